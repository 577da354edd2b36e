package python

import (
	"regexp"
	"strings"
)

var (
	asking  = regexp.MustCompile(`^(\?{1,2})([\w.]+)$|^([\w.]+)(\?{1,2})$`)
	asIndex = regexp.MustCompile(`^%{1,2}(\w+)(?:[ \t]+(.*))?$`)
)

// magic reads a line in IPython's own syntax, if the lexer is at the beginning of one: a magic, a shell command or a
// question about an object. Each becomes a call of a method of the shell.
func (l *lexer) magic() bool {
	end := l.at
	for end < len(l.src) && l.src[end] != '\n' {
		end++
	}
	text := strings.TrimRight(string(l.src[l.at:end]), " \t")
	var method string
	var args []string
	if m := asking.FindStringSubmatch(text); m != nil {
		method, args = "run_line_magic", []string{"pinfo", m[2] + m[3]}
	} else if m := asIndex.FindStringSubmatch(text); m != nil {
		method, args = "run_line_magic", []string{m[1], m[2]}
	} else if command, ok := strings.CutPrefix(text, "!"); ok {
		method, args = "system", []string{command}
	} else {
		return false
	}
	for _, t := range []token{
		{kind: tokName, text: "get_ipython"},
		{kind: tokOp, text: "("},
		{kind: tokOp, text: ")"},
		{kind: tokOp, text: "."},
		{kind: tokName, text: method},
		{kind: tokOp, text: "("},
	} {
		t.pos = l.here()
		l.tokens = append(l.tokens, t)
	}
	for _, a := range args {
		l.tokens = append(l.tokens, token{kind: tokString, value: a, pos: l.here()}, token{kind: tokOp, text: ",", pos: l.here()})
	}
	l.add(tokOp, ")")
	l.at = end
	l.add(tokNewline, "")
	if l.at < len(l.src) {
		l.newline()
	}
	return true
}

// cellMagic splits a cell that begins with %%name.
func cellMagic(code string) (name, line, body string, ok bool) {
	if !strings.HasPrefix(code, "%%") {
		return "", "", "", false
	}
	first, body, _ := strings.Cut(code, "\n")
	m := asIndex.FindStringSubmatch(strings.TrimRight(first, " \t\r"))
	if m == nil {
		return "", "", "", false
	}
	return m[1], m[2], body, true
}

// dedented takes away the indentation that the whole cell has.
func dedented(code string) string {
	lines := strings.Split(code, "\n")
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if indent == "" {
			return code
		}
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], indent)
		}
		return strings.Join(lines, "\n")
	}
	return code
}
