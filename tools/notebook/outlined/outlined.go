// Package outlined writes the outline of a notebook: a line for each cell.
package outlined

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/nbduet/nbduet/session/document/outline"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
)

// A Cell is a cell in the outline of a notebook.
type Cell struct {
	Index   int      `json:"index"`
	ID      string   `json:"id"`
	Type    string   `json:"cell_type"`
	Line    string   `json:"line" jsonschema:"The first heading, or the first line."`
	Defines []string `json:"defines,omitempty" jsonschema:"Names that the code defines."`
	State   string   `json:"state,omitempty" jsonschema:"Of a code cell: \"done\", \"failed\", \"running\", or absent if it was not run."`
}

// Of returns the outline of a cell.
func Of(index int, c ydoc.Cell) Cell {
	line, _, _ := strings.Cut(strings.TrimSpace(c.Source), "\n")
	o := Cell{Index: index, ID: c.ID, Type: c.Type, Line: line}
	switch headings := outline.Headings(c.Source); {
	case c.Type == ydoc.Code:
		o.Defines = outline.Defines(c.Source)
		o.State = stateOf(c)
	case c.Type == ydoc.Markdown && len(headings) > 0:
		o.Line = strings.Repeat("#", headings[0].Level) + " " + headings[0].Text
	}
	return o
}

// stateOf returns the state of a code cell's last run; "" if it was not run.
func stateOf(c ydoc.Cell) string {
	if c.ExecutionState == ydoc.Running {
		return "running"
	}
	for _, o := range c.Outputs {
		if o.Type() == "error" {
			return "failed"
		}
	}
	if c.ExecutionCount != nil {
		return "done"
	}
	return ""
}

// maxSize is the size of an outline that is not shortened, in bytes: about 1,500 tokens.
const maxSize = 5_000

// widths are the lengths to which the lines of an outline are cut, in characters, until it is short enough. From the
// second on it has no ids.
var widths = []int{70, 50, 30, 20, 14, 10}

// Legend explains the signs of states in [Lines].
const Legend = "! failed, * running, - not run"

// Lines returns a line for each cell. Lines are cut so far that the whole outline is short. id returns the id of a cell in
// an answer.
func Lines(cells []Cell, id func(string) string) (body string) {
	for i, width := range widths {
		lines := make([]string, len(cells))
		for n, c := range cells {
			name := fmt.Sprint(c.Index)
			if i == 0 {
				name = plaintext.Cell{Index: c.Index, ID: id(c.ID)}.Name()
			}
			lines[n] = name + c.mark() + " " + c.summary(width)
		}
		if body = strings.Join(lines, "\n"); len(body) <= maxSize {
			break
		}
	}
	return body
}

// mark is the sign of the cell's state.
func (o Cell) mark() string {
	switch {
	case o.State == "failed":
		return "!"
	case o.State == "running":
		return "*"
	case o.Type == ydoc.Code && o.State == "":
		return "-"
	}
	return ""
}

// summary returns the names that a cell defines, or its line, in at most width characters.
func (o Cell) summary(width int) string {
	text := o.Line
	if len(o.Defines) > 0 {
		text = strings.Join(o.Defines, ", ")
	}
	if text = plaintext.Line(text); utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}
