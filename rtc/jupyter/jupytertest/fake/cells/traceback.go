package cells

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// source is the text of a cell, for tracebacks, and the functions that it defines.
type source struct {
	lines     []string
	functions map[string]*syntax.DefStmt
}

var parenthesis = regexp.MustCompile(`\(.*\)`)

// note records the functions of a statement.
func (s *source) note(stmt syntax.Stmt) {
	syntax.Walk(stmt, func(n syntax.Node) bool {
		if def, ok := n.(*syntax.DefStmt); ok {
			s.functions[def.Name.Name] = def
		}
		return true
	})
}

func red(s string) string { return "\x1b[31m" + s + "\x1b[39m" }

// traceback returns an exception as IPython displays it.
func traceback(f *failure, stack starlark.CallStack, sources map[string]*source) []string {
	const title = "Traceback (most recent call last)"
	out := []string{red(strings.Repeat("-", 75)), red(f.name) + strings.Repeat(" ", max(1, 75-len(f.name)-len(title))) + title}
	for _, call := range stack {
		if s := sources[call.Pos.Filename()]; s != nil {
			out = append(out, s.frame(call))
		}
	}
	return append(out, red(f.name)+": "+f.text)
}

func place(label string, line int) string {
	return fmt.Sprintf("\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32m%s\x1b[39m\x1b[32m, line %d\x1b[39m", label, line)
}

// frame returns the lines around the current one.
func (s *source) frame(call starlark.CallFrame) string {
	line := int(call.Pos.Line)
	out, first, last := place(call.Pos.Filename(), line), 1, len(s.lines)
	if def := s.functions[call.Name]; def != nil {
		start, end := def.Span()
		first, last = int(start.Line), int(end.Line)
		out += ", in \x1b[36m" + call.Name + "\x1b[39m\x1b[34m" + parenthesis.FindString(s.lines[first-1]) + "\x1b[39m"
	}
	out += "\n"
	for n := max(first, line-4); n <= min(last, line+3); n++ {
		number := fmt.Sprintf("\x1b[32m%7d\x1b[39m ", n)
		if n == line {
			arrow := strings.Repeat("-", max(1, 5-len(fmt.Sprint(n)))) + "> "
			number = fmt.Sprintf("\x1b[32m%s\x1b[39m\x1b[32m%d\x1b[39m ", arrow, n)
		}
		out += number + token.ReplaceAllStringFunc(s.lines[n-1], coloured) + "\n"
	}
	return out
}

var (
	token    = regexp.MustCompile(`#.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[\pL_][\pL\d_]*|\d[\d._]*`)
	keywords = regexp.MustCompile(`^(?:False|None|True|and|break|continue|def|elif|else|for|from|if|import|in|lambda|not|or|pass|raise|return|while)$`)
)

// coloured returns a token in IPython's colours.
func coloured(t string) string {
	switch {
	case t[0] == '#':
		return "\x1b[38;5;66;03m" + t + "\x1b[39;00m"
	case t[0] == '\'' || t[0] == '"':
		return "\x1b[33m" + t + "\x1b[39m"
	case t[0] >= '0' && t[0] <= '9':
		return "\x1b[32m" + t + "\x1b[39m"
	case keywords.MatchString(t):
		return "\x1b[38;5;28;01m" + t + "\x1b[39;00m"
	}
	return t
}

// syntaxError returns the error that IPython displays for an invalid cell.
func (s *source) syntaxError(label, code string, at syntax.Position) *Error {
	line := s.lines[at.Line-1]
	text := strings.TrimLeft(line, " \t")
	caret := strings.Repeat(" ", max(4, 2+int(at.Col)-len(line)+len(text))) + "^"
	shown := "  " + place(label, int(at.Line)) + "\n" + red("    ") + red(text) + "\n" + caret + "\n" + red("SyntaxError") + red(":") + " invalid syntax\n"
	return &Error{"SyntaxError", fmt.Sprintf("invalid syntax (%d.py, line %d)", fileNumber(code), at.Line), []string{shown}}
}

// fileNumber returns the number in ipykernel's file name for a cell: MurmurHash2 of its text.
func fileNumber(code string) uint32 {
	const m = 0x5bd1e995
	h := uint32(0xc70f6907) ^ uint32(len(code))
	for ; len(code) >= 4; code = code[4:] {
		k := binary.LittleEndian.Uint32([]byte(code[:4])) * m
		h = h*m ^ (k^k>>24)*m
	}
	if len(code) > 0 {
		h = (h ^ binary.LittleEndian.Uint32([]byte(code+"\x00\x00\x00"))) * m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}
