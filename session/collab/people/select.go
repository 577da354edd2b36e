package people

import (
	"strings"
	"unicode/utf8"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A Position is a position in a text as people count: line and column from 1, the column in characters.
type Position struct{ Line, Column int }

// maxSelected is how many characters of a selection are kept.
const maxSelected = 500

// selects sets the selection between two offsets of a source.
func (p *Place) selects(source string, anchor, head int) {
	p.Anchor, p.Head = anchor, head
	from, to := textdiff.ByteOffset(source, min(anchor, head)), textdiff.ByteOffset(source, max(anchor, head))
	p.From, p.To = position(source, from), position(source, to)
	p.Selected, p.Cut = textfmt.Cut(source[from:to], maxSelected)
}

// position returns the position of a byte in a text.
func position(text string, at int) Position {
	line := strings.LastIndexByte(text[:at], '\n') + 1
	return Position{strings.Count(text[:line], "\n") + 1, utf8.RuneCountInString(text[line:at]) + 1}
}
