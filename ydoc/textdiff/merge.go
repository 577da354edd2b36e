package textdiff

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Conflict is returned by [Merge] when both sides changed the same place. Nothing was merged.
type Conflict struct { //nolint:errname // it is a result of its own: a merge has a conflict, it does not fail
	// Spans are the places where the changes meet, in the order of the base text.
	Spans []ConflictSpan
	// TheirDiff and MyDiff are the two changes as unified diffs from the base text.
	TheirDiff, MyDiff string
}

// ConflictSpan is one place where the changes meet.
type ConflictSpan struct {
	// Pos and Len are the place in the base text, in UTF-16 code units.
	Pos, Len int
	// Base, Theirs and Mine are the three texts of that place.
	Base, Theirs, Mine string
}

// Error describes the first conflict and how the two sides differ there, in short.
func (c *Conflict) Error() string {
	s := c.Spans[0]
	more := ""
	if len(c.Spans) > 1 {
		more = fmt.Sprintf(", and in %d other places", len(c.Spans)-1)
	}
	return fmt.Sprintf("both changed %.60q at %d: to %.60q there, to %.60q here%s", s.Base, s.Pos, s.Theirs, s.Mine, more)
}

// Merge applies the change from base to mine to theirs, a version of the same base. The edits it returns apply to
// theirs and keep every character that theirs added. A change made by both is made once. Lines added by both at one
// place are all kept, theirs first. If the changes overlap, meet inside one word, or insert different text at one
// point within a line, it returns a *[Conflict] and no edits.
func Merge(base, theirs, mine string) ([]Edit, error) {
	base, theirs, mine = valid(base), valid(theirs), valid(mine)
	if mine == base || mine == theirs {
		return nil, nil
	}
	if theirs == base {
		return Diff(base, mine), nil
	}
	m := merger{base: base, theirs: theirs, mine: mine}
	m.ours, m.their = diff(base, mine), diff(base, theirs)
	if out := m.run(); len(m.places) == 0 {
		return joined(edits(theirs, mine, out)), nil
	}
	return nil, &Conflict{
		Spans:     m.conflictSpans(),
		TheirDiff: Unified("theirs", base, theirs, 1),
		MyDiff:    Unified("mine", base, mine, 1),
	}
}

// joined joins edits that touch because theirs deleted the text between them.
func joined(es []Edit) []Edit {
	out := es[:0]
	for _, e := range es {
		if last := len(out) - 1; last >= 0 && out[last].Pos+out[last].Del == e.Pos {
			out[last].Del += e.Del
			out[last].Ins += e.Ins
			continue
		}
		out = append(out, e)
	}
	return out
}

type merger struct {
	base, theirs, mine string
	ours, their        []span
	places             []place // where the changes clash
}

// run returns my spans shifted to positions in theirs, and collects conflicts.
func (m *merger) run() []span {
	var out []span
	t := 0     // the first of their spans that does not end before the present span of mine
	shift := 0 // how much longer theirs is than base up to there
	for _, s := range m.ours {
		for t < len(m.their) && m.their[t].a1 < s.a0 {
			shift += m.their[t].b1 - m.their[t].b0 - (m.their[t].a1 - m.their[t].a0)
			t++
		}
		same := false
		for k := t; k < len(m.their) && m.their[k].a0 <= s.a1; k++ {
			if m.equal(s, m.their[k]) {
				same = true
			} else if m.clash(s, m.their[k]) {
				m.conflict(s, m.their[k])
			}
		}
		if same {
			continue
		}
		// Their insertion at the start of mine comes first.
		at := shift
		for k := t; k < len(m.their) && m.their[k].a1 <= s.a0; k++ {
			at += m.their[k].b1 - m.their[k].b0 - (m.their[k].a1 - m.their[k].a0)
		}
		out = append(out, span{s.a0 + at, s.a1 + at, s.b0, s.b1})
	}
	return out
}

func (m *merger) equal(s, t span) bool {
	return s.a0 == t.a0 && s.a1 == t.a1 && m.mine[s.b0:s.b1] == m.theirs[t.b0:t.b1]
}

// clash reports whether my change s and their change t, which touch or overlap, cannot both be made.
func (m *merger) clash(s, t span) bool {
	switch {
	case s.a0 == s.a1 && t.a0 == t.a1: // two insertions at one point
		return !wholeLines(m.base, s.a0, m.mine[s.b0:s.b1], m.theirs[t.b0:t.b1])
	case t.a1 <= s.a0:
		return glued(m.base[t.a0:t.a1], m.theirs[t.b0:t.b1], m.base[s.a0:s.a1], m.mine[s.b0:s.b1])
	case s.a1 <= t.a0:
		return glued(m.base[s.a0:s.a1], m.mine[s.b0:s.b1], m.base[t.a0:t.a1], m.theirs[t.b0:t.b1])
	}
	return true
}

// wholeLines reports whether two texts to insert at the offset at are whole lines there. Then one can follow the
// other, in either order. Within a line the second would change its meaning after the first: a name continued, an
// operator after a comment.
func wholeLines(base string, at int, a, b string) bool {
	if lineStart(base, at) && strings.HasSuffix(a, "\n") && strings.HasSuffix(b, "\n") {
		return true
	}
	return (at == len(base) || base[at] == '\n') && strings.HasPrefix(a, "\n") && strings.HasPrefix(b, "\n")
}

// glued reports whether, of two neighbouring changes given as old and new text, the left ends inside a word with
// which the right begins: one author extends a word that the other replaces.
func glued(leftOld, leftNew, rightOld, rightNew string) bool {
	return (endsInWord(leftOld) || endsInWord(leftNew)) && (beginsInWord(rightOld) || beginsInWord(rightNew))
}

func endsInWord(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && wordRune(r)
}

func beginsInWord(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && wordRune(r)
}

// conflict records that my s and their t clash. A place that meets the one before is merged into it.
func (m *merger) conflict(s, t span) {
	p := place{min(s.a0, t.a0), max(s.a1, t.a1)}
	if last := len(m.places) - 1; last >= 0 && p.start <= m.places[last].end {
		m.places[last].end = max(m.places[last].end, p.end)
		return
	}
	m.places = append(m.places, p)
}

// place is a stretch of base, in bytes.
type place struct{ start, end int }

func (m *merger) conflictSpans() []ConflictSpan {
	cs := make([]ConflictSpan, len(m.places))
	for i, p := range m.places {
		cs[i] = ConflictSpan{
			Pos:    UTF16Len(m.base[:p.start]),
			Len:    UTF16Len(m.base[p.start:p.end]),
			Base:   m.base[p.start:p.end],
			Theirs: p.changed(m.base, m.theirs, m.their),
			Mine:   p.changed(m.base, m.mine, m.ours),
		}
	}
	return cs
}

// changed returns the text of p after the spans.
func (p place) changed(base, text string, spans []span) string {
	var b strings.Builder
	at := p.start
	for _, s := range spans {
		if s.a0 < p.start || s.a1 > p.end {
			continue
		}
		b.WriteString(base[at:s.a0])
		b.WriteString(text[s.b0:s.b1])
		at = s.a1
	}
	b.WriteString(base[at:p.end])
	return b.String()
}

// Keeps reports whether mine, as a change of theirs, keeps the changes from base to theirs: it neither deletes text
// added there nor restores text deleted there. Then the author of mine knew theirs, or nothing of it is lost anyway.
func Keeps(base, theirs, mine string) bool {
	base, theirs, mine = valid(base), valid(theirs), valid(mine)
	ours := diff(theirs, mine)
	for _, t := range diff(base, theirs) {
		for _, s := range ours {
			if s.a0 > t.b1 || s.a1 < t.b0 {
				continue
			}
			if s.a1 > t.b0 && s.a0 < t.b1 { // it replaces part of their addition
				return false
			}
			if gone := strings.TrimSpace(base[t.a0:t.a1]); gone != "" && strings.Contains(mine[s.b0:s.b1], gone) {
				return false
			}
		}
	}
	return true
}

// Apart reports whether the changes from base to theirs and to mine do not meet anywhere, so that either is
// independent of the other.
func Apart(base, theirs, mine string) bool {
	base, theirs, mine = valid(base), valid(theirs), valid(mine)
	ours := diff(base, mine)
	for _, t := range diff(base, theirs) {
		for _, s := range ours {
			if s.a0 <= t.a1 && t.a0 <= s.a1 {
				return false
			}
		}
	}
	return true
}
