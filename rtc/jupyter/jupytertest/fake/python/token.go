package python

import (
	"fmt"
	"strings"
	"unicode"
)

// tokenKind says what a token is.
type tokenKind int

const (
	tokEnd tokenKind = iota
	tokNewline
	tokIndent
	tokDedent
	tokName
	tokNumber
	tokString // value is the decoded text
	tokBytes  // value is the decoded bytes
	tokFormat // an f-string: value is its body, undecoded
	tokOp
)

// pos is a place in a source: line and column count from 1, columns in characters.
type pos struct{ line, col int }

type token struct {
	kind  tokenKind
	text  string // as written; of a name, a number or an operator
	value string // of a string
	raw   bool   // an f-string whose backslashes mean themselves
	pos
}

// syntaxError is a fault of the source, found before anything of it runs.
type syntaxError struct {
	kind string // SyntaxError or IndentationError
	msg  string
	pos
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%s: %s (line %d)", e.kind, e.msg, e.line) }

func syntaxErrorf(at pos, format string, args ...any) *syntaxError {
	return &syntaxError{kind: "SyntaxError", msg: fmt.Sprintf(format, args...), pos: at}
}

// operators, the longest first.
var operators = []string{
	"**=", "//=", ">>=", "<<=", "...", "!=", ":=", "->", "**", "//", ">>", "<<", "<=", ">=", "==", "+=", "-=", "*=", "/=", "%=", "&=",
	"|=", "^=", "@=", "+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "=",
}

// lexer cuts a source into tokens.
type lexer struct {
	src     []rune
	at      int
	line    int
	start   int // of the line, in src
	indents []int
	depth   int // of brackets
	tokens  []token
}

// tokenize cuts a source into tokens; the last one is tokEnd.
func tokenize(src string) ([]token, error) {
	l := &lexer{src: []rune(strings.ReplaceAll(src, "\r\n", "\n")), line: 1, indents: []int{0}}
	for l.at < len(l.src) {
		if err := l.logicalLine(); err != nil {
			return nil, err
		}
	}
	incomplete := ""
	if l.depth > 0 {
		incomplete = "incomplete input"
	}
	if n := len(l.tokens); incomplete == "" && n > 0 && l.tokens[n-1].kind != tokNewline {
		l.add(tokNewline, "")
	}
	for range len(l.indents) - 1 {
		l.add(tokDedent, "")
	}
	l.add(tokEnd, incomplete)
	return l.tokens, nil
}

func (l *lexer) here() pos { return pos{l.line, l.at - l.start + 1} }

func (l *lexer) add(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, pos: l.here()})
}

func (l *lexer) rest() string { return string(l.src[l.at:min(len(l.src), l.at+4)]) }

func (l *lexer) peek(n int) rune {
	if l.at+n >= len(l.src) {
		return 0
	}
	return l.src[l.at+n]
}

// newline steps over a line's end.
func (l *lexer) newline() {
	l.at++
	l.line++
	l.start = l.at
}

// logicalLine reads a line, with those that brackets and backslashes join to it.
func (l *lexer) logicalLine() error {
	width := 0
	for l.peek(0) == ' ' || l.peek(0) == '\t' {
		if l.peek(0) == '\t' {
			width += 8 - width%8
		} else {
			width++
		}
		l.at++
	}
	switch l.peek(0) {
	case 0:
		return nil
	case '\n':
		l.newline()
		return nil
	case '#':
		l.comment()
		return nil
	}
	if err := l.indent(width); err != nil {
		return err
	}
	if l.magic() {
		return nil
	}
	for {
		done, err := l.token()
		if err != nil || done {
			return err
		}
	}
}

func (l *lexer) comment() {
	for l.at < len(l.src) && l.src[l.at] != '\n' {
		l.at++
	}
}

func (l *lexer) indent(width int) error {
	switch top := l.indents[len(l.indents)-1]; {
	case width > top:
		l.indents = append(l.indents, width)
		l.add(tokIndent, "")
	case width < top:
		for width < l.indents[len(l.indents)-1] {
			l.indents = l.indents[:len(l.indents)-1]
			l.add(tokDedent, "")
		}
		if width != l.indents[len(l.indents)-1] {
			return &syntaxError{kind: "IndentationError", msg: "unindent does not match any outer indentation level", pos: l.here()}
		}
	}
	return nil
}

// token reads one token and tells whether it ended the line.
func (l *lexer) token() (done bool, err error) {
	switch c := l.peek(0); {
	case c == 0:
		if l.depth == 0 {
			l.add(tokNewline, "")
		}
		return true, nil
	case c == ' ' || c == '\t' || c == '\f':
		l.at++
	case c == '#':
		l.comment()
	case c == '\\' && l.peek(1) == '\n':
		l.at++
		l.newline()
	case c == '\n':
		if l.depth > 0 {
			l.newline()
			return false, nil
		}
		l.add(tokNewline, "")
		l.newline()
		return true, nil
	case c == '\'' || c == '"':
		return false, l.str("")
	case c == '_' || unicode.IsLetter(c):
		return false, l.name()
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		l.number()
	default:
		return false, l.operator()
	}
	return false, nil
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

func (l *lexer) name() error {
	end := l.at
	for end < len(l.src) && (l.src[end] == '_' || unicode.IsLetter(l.src[end]) || unicode.IsDigit(l.src[end])) {
		end++
	}
	text := string(l.src[l.at:end])
	if end < len(l.src) && (l.src[end] == '\'' || l.src[end] == '"') && len(text) <= 2 && strings.Trim(strings.ToLower(text), "rbfu") == "" {
		return l.str(strings.ToLower(text))
	}
	l.add(tokName, text)
	l.at = end
	return nil
}

func (l *lexer) number() {
	end := l.at
	for end < len(l.src) {
		c := l.src[end]
		exponent := (c == '+' || c == '-') && (l.src[end-1] == 'e' || l.src[end-1] == 'E') && !strings.HasPrefix(string(l.src[l.at:end]), "0x")
		if !exponent && c != '.' && c != '_' && !unicode.IsLetter(c) && !isDigit(c) {
			break
		}
		end++
	}
	l.add(tokNumber, strings.ReplaceAll(string(l.src[l.at:end]), "_", ""))
	l.at = end
}

func (l *lexer) operator() error {
	rest := l.rest()
	for _, op := range operators {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		switch op {
		case "(", "[", "{":
			l.depth++
		case ")", "]", "}":
			if l.depth == 0 {
				return syntaxErrorf(l.here(), "unmatched '%s'", op)
			}
			l.depth--
		}
		l.add(tokOp, op)
		l.at += len(op)
		return nil
	}
	return syntaxErrorf(l.here(), "invalid syntax")
}

// str reads a string literal; l.at is at its prefix.
func (l *lexer) str(prefix string) error {
	begin := l.here()
	l.at += len(prefix)
	quote := string(l.peek(0))
	if l.peek(1) == l.peek(0) && l.peek(2) == l.peek(0) {
		quote = strings.Repeat(quote, 3)
	}
	l.at += len(quote)
	first := l.at
	for {
		c := l.peek(0)
		switch {
		case c == 0 || c == '\n' && len(quote) == 1:
			if len(quote) == 3 {
				return syntaxErrorf(begin, "incomplete input")
			}
			return syntaxErrorf(begin, "unterminated string literal (detected at line %d)", begin.line)
		case c == '\\' && l.peek(1) != 0:
			l.at++
			if l.peek(0) == '\n' {
				l.newline()
			} else {
				l.at++
			}
			continue
		case c == '\n':
			l.newline()
			continue
		case c == rune(quote[0]) && (len(quote) == 1 || l.peek(1) == c && l.peek(2) == c):
			return l.endStr(begin, prefix, string(l.src[first:l.at]), len(quote))
		}
		l.at++
	}
}

func (l *lexer) endStr(begin pos, prefix, body string, quote int) error {
	l.at += quote
	t := token{kind: tokString, value: body, raw: strings.Contains(prefix, "r"), pos: begin}
	switch {
	case strings.Contains(prefix, "f"):
		t.kind = tokFormat
	case strings.Contains(prefix, "b"):
		t.kind = tokBytes
	}
	if t.kind != tokFormat && !t.raw {
		text, err := unescape(body, t.kind == tokBytes)
		if err != nil {
			return syntaxErrorf(begin, "%s", err)
		}
		t.value = text
	}
	l.tokens = append(l.tokens, t)
	return nil
}

// unescape decodes the backslashes of a literal.
func unescape(s string, bytes bool) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	simple := map[byte]byte{
		'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\'', '"': '"', 'a': 7, 'b': 8, 'f': 12, 'v': 11,
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		c := s[i]
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		if bytes && c != 'x' {
			digits = 0
		}
		switch {
		case simple[c] != 0:
			b.WriteByte(simple[c])
		case c == '\n': // joins two lines
		case c >= '0' && c <= '7':
			n := 0
			for k := 0; k < 3 && i < len(s) && s[i] >= '0' && s[i] <= '7'; k++ {
				n = n*8 + int(s[i]-'0')
				i++
			}
			i--
			writeCode(&b, n, bytes)
		case digits > 0:
			var n int
			if _, err := fmt.Sscanf(s[i+1:min(len(s), i+1+digits)], "%x", &n); err != nil || i+digits >= len(s) {
				return "", fmt.Errorf(`(unicode error) 'unicodeescape' codec can't decode bytes: truncated \%cXX escape`, c)
			}
			i += digits
			writeCode(&b, n, bytes)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

func writeCode(b *strings.Builder, n int, bytes bool) {
	if bytes {
		b.WriteByte(byte(n))
		return
	}
	b.WriteRune(rune(n))
}
