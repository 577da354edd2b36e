package plaintext

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A Text is an answer in words.
type Text struct {
	// First is the first line, or "". It names the subject of the answer.
	First  string
	Blocks []Block
	// Notes are the last lines: errors, omissions, and how to get the omitted parts.
	Notes []string
	// Tail, if not nil, is the rest of the answer after the first line, verbatim. The first line then has the notes, too,
	// and Blocks is not used.
	Tail *string
}

// A Block is a head line and the text beneath it.
type Block struct {
	// Head follows the mark: an index for a cell, a space and a word for other blocks.
	Head string
	// Body is shown verbatim. It has no line if it is empty.
	Body string
}

// Note adds a note, unless it is empty.
func (t *Text) Note(note string) {
	if note != "" {
		t.Notes = append(t.Notes, note)
	}
}

// Add adds blocks.
func (t *Text) Add(blocks ...Block) { t.Blocks = append(t.Blocks, blocks...) }

// Own applies change to nbduet's own words: the first line, the head lines and the notes. The texts stay as they are.
func (t Text) Own(change func(string) string) Text {
	t.First, t.Blocks, t.Notes = change(t.First), slices.Clone(t.Blocks), slices.Clone(t.Notes)
	for i := range t.Blocks {
		t.Blocks[i].Head = change(t.Blocks[i].Head)
	}
	for i := range t.Notes {
		t.Notes[i] = change(t.Notes[i])
	}
	return t
}

// String writes the answer, without a line end after the last line.
func (t Text) String() string {
	var out []string
	line := func(parts ...string) { out = append(out, Line(strings.Join(parts, ""))) }
	if t.Tail != nil {
		line(append(append([]string{t.First}, notes(t.Notes)...), ":")...)
		return strings.Join(append(out, *t.Tail), "\n")
	}
	mark, usual := t.mark()
	switch {
	case usual && t.First != "":
		line(t.First)
	case !usual:
		line(t.First, fmt.Sprintf(" (nbduet's own lines begin with %s here)", mark))
	}
	for _, b := range t.Blocks {
		line(mark, b.Head)
		if b.Body != "" {
			out = append(out, b.Body)
		}
	}
	for _, note := range t.Notes {
		if len(t.Blocks) > 0 {
			note = mark + " " + note
		}
		line(note)
	}
	return strings.Join(out, "\n")
}

// notes returns the notes as a continuation of a first line.
func notes(all []string) (out []string) {
	for _, note := range all {
		out = append(out, "; ", note)
	}
	return out
}

// usualMark begins nbduet's own lines. Lines of code, Markdown or output rarely begin with it.
const usualMark = "@@"

// mark returns a mark with which neither a line of the texts nor the first line begins, and whether it is the usual one.
func (t Text) mark() (mark string, usual bool) {
	taken := marked(Line(t.First)) // lines that begin with the usual mark
	for _, b := range t.Blocks {
		taken = append(taken, marked(b.Body)...)
		if seen := seen(b.Body); len(seen) < len(b.Body) {
			taken = append(taken, marked(seen)...) // visible marks
		}
	}
	slices.Sort(taken)
	mark = usualMark
	for n := 1; ; n++ {
		if at, _ := slices.BinarySearch(taken, mark); at == len(taken) || !strings.HasPrefix(taken[at], mark) {
			return mark, n == 1
		}
		if mark = strings.Repeat("@", n+2); n > 4 {
			mark = fmt.Sprintf("%s%d:", usualMark, n)
		}
	}
}

// seen returns the visible part of a text, with its line ends.
func seen(text string) string {
	return strings.Map(func(r rune) rune {
		if isHidden(r) && !isLineEnd(r) {
			return -1
		}
		return r
	}, text)
}

// longestMark exceeds the length of any mark, in characters.
const longestMark = 20

// marked returns the beginnings of the lines of a text that begin with the usual mark. Any character that may look like a
// line end counts as one.
func marked(text string) (out []string) {
	from := 0
	for {
		at := strings.Index(text[from:], usualMark)
		if at < 0 {
			return out
		}
		at += from
		if before := []rune(lastRune(text[:at])); len(before) == 0 || isLineEnd(before[0]) || isHidden(before[0]) {
			out = append(out, text[at:min(len(text), at+longestMark)])
		}
		for from = at + len(usualMark); from < len(text) && text[from] == '@'; from++ {
			continue
		}
	}
}

// lastRune returns the last character of s, or "" if s is empty.
func lastRune(s string) string {
	last := ""
	for _, r := range strings.ToValidUTF8(s[max(0, len(s)-4):], "") {
		last = string(r)
	}
	return last
}

// isLineEnd reports whether some programs end a line at r.
func isLineEnd(r rune) bool { return strings.ContainsRune("\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r) }

// isHidden reports whether r is invisible, or changes the display order of the text: control characters, bidirectional
// controls, zero-width characters, tags. Line ends and tabs are not hidden.
func isHidden(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unseen, r)
}

// unseen are characters without width that no text needs. Tags spell ASCII text that only a model reads.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x180e, Hi: 0x180e, Stride: 1},
		{Lo: 0x200b, Hi: 0x200b, Stride: 1},
		{Lo: 0x2060, Hi: 0x2064, Stride: 1},
		{Lo: 0x206a, Hi: 0x206f, Stride: 1},
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1},
		{Lo: 0xfff9, Hi: 0xfffb, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe007f, Stride: 1}},
}

// Hides reports whether a text has invisible characters, which the answer should mention.
func Hides(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return isHidden(r) && r != '\u200e' && r != '\u200f' && r != '\u061c' // marks that right-to-left texts need
	}) >= 0
}

// Line converts a text to one line: line ends become spaces, and hidden characters are removed.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case isLineEnd(r):
			return ' '
		case isHidden(r):
			return -1
		}
		return r
	}, s)
}
