package textdiff

import (
	"strings"
	"unicode/utf8"
)

// Edit replaces a stretch of a text.
type Edit struct {
	// Pos is the start of the stretch, Del its length, both in UTF-16 code units of the old text.
	Pos, Del int
	// Ins is its replacement.
	Ins string
}

// Apply returns old with the edits made. They must be ascending and must not overlap, like those of [Diff]. Positions
// beyond the text are cut to its end; one inside a surrogate pair moves to its beginning.
func Apply(old string, edits []Edit) string {
	old = valid(old)
	var b strings.Builder
	c := cursor{text: old}
	done := 0
	for _, e := range edits {
		start := max(c.offset(e.Pos), done)
		end := max(c.offset(e.Pos+e.Del), start)
		b.WriteString(old[done:start])
		b.WriteString(valid(e.Ins))
		done = end
	}
	b.WriteString(old[done:])
	return b.String()
}

// span means that old[a0:a1] became new[b0:b1], in bytes.
type span struct{ a0, a1, b0, b1 int }

// edits converts spans over old to edits.
func edits(old, new string, spans []span) []Edit {
	if len(spans) == 0 {
		return nil
	}
	es := make([]Edit, len(spans))
	at, units := 0, 0
	for i, s := range spans {
		units += UTF16Len(old[at:s.a0])
		del := UTF16Len(old[s.a0:s.a1])
		es[i] = Edit{Pos: units, Del: del, Ins: new[s.b0:s.b1]}
		units += del
		at = s.a1
	}
	return es
}

// valid returns s with each run of invalid UTF-8 replaced by U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
