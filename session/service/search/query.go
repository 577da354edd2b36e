package search

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/nbduet/nbduet/session/document/outline"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

// A Part is the part of cells that a query searches.
type Part string

// The parts of cells.
const (
	Sources  Part = "sources"
	Outputs  Part = "outputs"
	Headings Part = "headings" // of Markdown cells
	Errors   Part = "errors"   // outputs of failed cells
	All      Part = "all"      // sources and outputs
)

// A Query describes the text to find.
type Query struct {
	// Pattern matches within a text of a cell; nil matches the first line of each.
	Pattern *regexp.Regexp
	In      Part
	// Literal is the text of which Pattern was made, if it is one; it spares most texts the slower pattern.
	Literal string
}

// may reports whether a text may match.
func (q Query) may(text string) bool {
	for _, r := range q.Literal {
		if r >= utf8.RuneSelf {
			return true // other letters may have several lower-case forms
		}
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(q.Literal)) || strings.ContainsRune(text, 'ſ') // an s
}

// Compile returns the pattern for a text, or for a regular expression in the syntax of RE2. It ignores case, except where
// the expression says (?-i). arg names it in errors. It matches lines: "^" and "$" are the ends of a line.
func Compile(arg, text string, isRegexp bool) (*regexp.Regexp, error) {
	expression := text
	if !isRegexp {
		expression = regexp.QuoteMeta(textfmt.Lines(text))
	}
	p, err := regexp.Compile("(?im)" + expression)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s is not a regular expression (RE2): %s", arg, textfmt.Quoted(text), strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	case p.MatchString(""):
		return nil, fmt.Errorf("%s %s matches the empty text, so it would be found everywhere: make it require a character", arg, textfmt.Quoted(text))
	}
	return p, nil
}

// A Hit is a group of lines of a cell with at least one match, and the lines around it.
type Hit struct {
	Index int // of the cell
	ID    string
	// Output is the index of the output with the lines; -1 for the source.
	Output int
	// First is the number of the first of Lines, from 1.
	First int
	Lines []string
	// Matches are the indexes in Lines of the lines in which a match begins.
	Matches []int
}

const (
	contextLines = 2   // shown before and after a match
	lineMax      = 200 // bytes shown of a line
	lineBefore   = 60  // of them before a match
)

// Cells returns the hits in cells, beginning at a place, at most n matches, and the place at which to continue, or nil at
// the end.
func (q Query) Cells(cells []ydoc.Cell, from Place, n int) ([]Hit, *Place) {
	var out []Hit
	for i := from.Cell; i < len(cells); i++ {
		for _, t := range q.texts(cells[i]) {
			if i == from.Cell && t.output < from.Output {
				continue
			}
			first := 0
			if i == from.Cell && t.output == from.Output {
				first = min(from.Line, len(t.lines))
			}
			spans := t.matches(q.Pattern, first, n+1)
			if len(spans) > n {
				out = append(out, t.hits(i, cells[i].ID, spans[:n])...)
				return out, &Place{Cell: i, Output: t.output, Line: spans[n].line}
			}
			n -= len(spans)
			out = append(out, t.hits(i, cells[i].ID, spans)...)
		}
	}
	return out, nil
}

// A Place is a place in the cells of a notebook: a line of a cell's output, or of its source if Output is -1.
type Place struct {
	Cell, Output, Line int
}

// Start is the place before all cells.
var Start = Place{Output: -1}

// A text is a searched text of a cell.
type text struct {
	output int
	lines  []string
	// only, if not nil, are the lines that are searched.
	only []int
}

// texts returns the texts of a cell in which the query looks.
func (q Query) texts(c ydoc.Cell) []text {
	var out []text
	if (q.In == Sources || q.In == All) && q.may(c.Source) {
		out = append(out, text{output: -1, lines: strings.Split(c.Source, "\n")})
	}
	if q.In == Headings && c.Type == ydoc.Markdown {
		t := text{output: -1, lines: strings.Split(c.Source, "\n"), only: []int{}}
		for _, h := range outline.Headings(c.Source) {
			t.only = append(t.only, h.Line)
		}
		out = append(out, t)
	}
	for i, o := range c.Outputs {
		if q.In != Outputs && q.In != All && (q.In != Errors || o.Type() != "error") {
			continue
		}
		if all := outputText(o); q.may(all) {
			out = append(out, text{output: i, lines: strings.Split(all, "\n")})
		}
	}
	return out
}

// outputText returns the text of an output, without colors.
func outputText(o ydoc.Output) string {
	switch data, _ := o["data"].(map[string]any); {
	case o.Type() == "stream":
		return textfmt.Plain(ydoc.JoinText(o["text"], ""))
	case o.Type() == "error":
		return textfmt.Plain(ydoc.JoinText(o["ename"], "") + ": " + ydoc.JoinText(o["evalue"], "") + "\n" + ydoc.JoinText(o["traceback"], "\n"))
	case data["text/plain"] != nil:
		return textfmt.Plain(ydoc.JoinText(data["text/plain"], ""))
	default:
		return ydoc.JoinText(data["text/markdown"], "")
	}
}

// A span is a match: the lines on which it begins and ends, and the column of its beginning, in bytes.
type span struct{ line, last, column int }

// matches returns the matches that begin in the lines from first on, at most one for each line, and at most most.
func (t text) matches(p *regexp.Regexp, first, most int) (out []span) {
	switch {
	case p == nil && first == 0:
		return []span{{}}
	case p == nil:
		return nil
	case t.only != nil:
		for _, line := range t.only {
			if found := p.FindStringIndex(t.lines[line]); line >= first && found != nil && len(out) < most {
				out = append(out, span{line: line, last: line, column: found[0]})
			}
		}
		return out
	}
	rest := strings.Join(t.lines[first:], "\n")
	for line := first; len(out) < most && line < len(t.lines); line++ {
		found := p.FindStringIndex(rest)
		if found == nil {
			break
		}
		for ; found[0] > len(t.lines[line]); line++ {
			n := len(t.lines[line]) + 1
			rest, found[0], found[1] = rest[n:], found[0]-n, found[1]-n
		}
		s := span{line: line, last: line, column: found[0]}
		for end := found[1]; end > len(t.lines[s.last]); s.last++ {
			end -= len(t.lines[s.last]) + 1
		}
		out = append(out, s)
		rest = rest[min(len(rest), len(t.lines[line])+1):]
	}
	return out
}

// hits groups matches whose lines of context meet.
func (t text) hits(index int, id string, spans []span) []Hit {
	var out []Hit
	end := 0 // of the last hit's lines
	for _, s := range spans {
		from, to := max(0, s.line-contextLines), min(len(t.lines), s.last+contextLines+1)
		if len(out) == 0 || from > end {
			out = append(out, Hit{Index: index, ID: id, Output: t.output, First: from + 1})
			end = from
		}
		h := &out[len(out)-1]
		for ; end < to; end++ {
			h.Lines = append(h.Lines, cutLine(t.lines[end], 0))
		}
		at := s.line - (h.First - 1)
		h.Lines[at] = cutLine(t.lines[s.line], s.column)
		h.Matches = append(h.Matches, at)
	}
	return out
}

// cutLine returns the part of a long line around a column.
func cutLine(line string, column int) string {
	if len(line) <= lineMax {
		return line
	}
	from := max(0, column-lineBefore)
	to := min(len(line), from+lineMax)
	for !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to--
	}
	out := line[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(line) {
		out += "…"
	}
	return out
}
