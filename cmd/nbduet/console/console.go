// Package console writes what people read in a terminal: lines with marks, bars of progress, and words to type there.
//
// Colours are for terminals alone, and neither where NO_COLOR is set (https://no-color.org) nor where TERM is dumb. What is
// no terminal, a pipe or the log of a service, gets plain lines, each whole.
//
// A Console is for one goroutine, and nothing is to be written between the making of a bar and its end.
package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"
)

// narrow is how wide terminals are at least, as a rule.
const narrow = 80

// Console is one place to write to.
type Console struct {
	Paint
	w        io.Writer
	terminal bool // the cursor can be moved
}

// Paint has texts stand out or back, where there are colours.
type Paint struct{ colours bool }

// New returns the console of w, and looks whether that is a terminal.
func New(w io.Writer) *Console {
	terminal := false
	if f, ok := w.(*os.File); ok && os.Getenv("TERM") != "dumb" {
		terminal = isatty.IsTerminal(f.Fd())
	}
	return &Console{Paint{terminal && os.Getenv("NO_COLOR") == ""}, w, terminal}
}

// Terminal reports whether somebody sees what is written, as it is written.
func (c *Console) Terminal() bool { return c.terminal }

// Good writes a line about what is as it should be.
func (c *Console) Good(format string, args ...any) { c.marked("✓", color.FgGreen, format, args) }

// Bad writes a line about what is not.
func (c *Console) Bad(format string, args ...any) { c.marked("✗", color.FgRed, format, args) }

// Note writes a line about what is neither.
func (c *Console) Note(format string, args ...any) { c.marked("·", color.FgYellow, format, args) }

// Line writes a line without a mark.
func (c *Console) Line(format string, args ...any) { fmt.Fprintf(c.w, format+"\n", args...) }

// Folded is a text whose lines on a terminal are broken between words, so that they fit behind an indent, which those after
// the first get. What is no terminal has each text in one line, where others look for it.
func Folded(c *Console, indent int, s string) string {
	if !c.terminal {
		return s
	}
	var b strings.Builder
	at := indent
	for i, word := range strings.Split(s, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > narrow:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// Strong is a text that stands out.
func (p Paint) Strong(s string) string { return p.painted(s, color.Bold) }

// Faint is a text that stands back.
func (p Paint) Faint(s string) string { return p.painted(s, color.Faint) }

func (c *Console) marked(mark string, with color.Attribute, format string, args []any) {
	fmt.Fprintf(c.w, "%s %s\n", c.painted(mark, with), fmt.Sprintf(format, args...))
}

func (p Paint) painted(s string, with color.Attribute) string {
	if !p.colours {
		return s
	}
	paint := color.New(with)
	paint.EnableColor() // the library has looked at standard output, which is not always where we write
	return paint.Sprint(s)
}
