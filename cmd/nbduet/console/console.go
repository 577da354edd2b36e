// Package console writes text for people in a terminal: lines with marks, progress bars, and commands to type there.
//
// Only terminals get colours, and only if NO_COLOR is not set (https://no-color.org) and TERM is not dumb. Other outputs,
// such as a pipe or the log of a service, get plain lines, each whole.
//
// A Console is for one goroutine. While it shows a bar, nothing else may be written to it.
package console

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"
)

// narrow is the usual minimum width of terminals.
const narrow = 80

// Console is an output for people.
type Console struct {
	Paint
	w        io.Writer
	terminal bool // the cursor can be moved
}

// Paint emphasizes and dims text where there are colours.
type Paint struct{ colours bool }

// New returns the console of w, and checks whether w is a terminal.
func New(w io.Writer) *Console {
	terminal := false
	if f, ok := w.(*os.File); ok && os.Getenv("TERM") != "dumb" {
		terminal = isatty.IsTerminal(f.Fd())
	}
	return &Console{Paint{terminal && os.Getenv("NO_COLOR") == ""}, w, terminal}
}

// Terminal reports whether the output is a terminal.
func (c *Console) Terminal() bool { return c.terminal }

// Good writes a line about a success.
func (c *Console) Good(format string, args ...any) { c.marked("✓", color.FgGreen, format, args) }

// Bad writes a line about a failure.
func (c *Console) Bad(format string, args ...any) { c.marked("✗", color.FgRed, format, args) }

// Note writes a line about anything else.
func (c *Console) Note(format string, args ...any) { c.marked("·", color.FgYellow, format, args) }

// Line writes a line without a mark.
func (c *Console) Line(format string, args ...any) { fmt.Fprintf(c.w, format+"\n", args...) }

// Folded breaks the lines of a text between words on a terminal, so that they fit behind an indent, which all lines after
// the first get. Elsewhere it keeps each text on one line, where other programs search for it.
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

// Strong returns a text that stands out.
func (p Paint) Strong(s string) string { return p.painted(s, color.Bold) }

// Faint returns a dimmed text.
func (p Paint) Faint(s string) string { return p.painted(s, color.Faint) }

func (c *Console) marked(mark string, with color.Attribute, format string, args []any) {
	fmt.Fprintf(c.w, "%s %s\n", c.painted(mark, with), fmt.Sprintf(format, args...))
}

func (p Paint) painted(s string, with color.Attribute) string {
	if !p.colours {
		return s
	}
	paint := color.New(with)
	paint.EnableColor() // the library has checked standard output, which may not be w
	return paint.Sprint(s)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Typed returns words as a person types them in a shell of the system goos.
func Typed(goos string, words ...string) string {
	var quoted []string
	for _, w := range words {
		switch {
		case plainWord.MatchString(w):
		case goos == "windows":
			w = `"` + w + `"`
		default:
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return strings.Join(quoted, " ")
}
