package python

import "strings"

// formatParts takes an f-string apart.
func formatParts(t token) []formatPart {
	parts, rest := formatBody(t.value, t, false)
	if rest != "" {
		panic(syntaxErrorf(t.pos, "f-string: single '}' is not allowed"))
	}
	return parts
}

// formatBody reads the body of an f-string, or of the format of a value in it, which ends at a brace.
func formatBody(s string, t token, nested bool) (parts []formatPart, rest string) {
	var text strings.Builder
	flush := func() {
		out := text.String()
		text.Reset()
		if !t.raw {
			var err error
			if out, err = unescape(out, false); err != nil {
				panic(syntaxErrorf(t.pos, "%s", err))
			}
		}
		if out != "" {
			parts = append(parts, formatPart{text: out})
		}
	}
	for len(s) > 0 {
		switch {
		case !nested && (strings.HasPrefix(s, "{{") || strings.HasPrefix(s, "}}")):
			text.WriteByte(s[0])
			s = s[2:]
		case s[0] == '{':
			flush()
			var part []formatPart
			part, s = formatValue(s[1:], t)
			parts = append(parts, part...)
		case s[0] == '}':
			flush()
			return parts, s
		default:
			text.WriteByte(s[0])
			s = s[1:]
		}
	}
	flush()
	return parts, ""
}

// formatValue reads "expression!conversion:format}".
func formatValue(s string, t token) (parts []formatPart, rest string) {
	end := endOfValue(s)
	if end == len(s) {
		panic(syntaxErrorf(t.pos, "f-string: expecting '}'"))
	}
	source := s[:end]
	s = s[end:]
	part := formatPart{}
	if bare, ok := strings.CutSuffix(strings.TrimRight(source, " "), "="); ok {
		parts = append(parts, formatPart{text: source})
		source = bare
		if s[0] == '}' {
			part.conv = "r"
		}
	}
	x, err := parseExpr("("+source+")", t.pos)
	if err != nil {
		if strings.TrimSpace(source) == "" {
			panic(syntaxErrorf(t.pos, "f-string: empty expression not allowed"))
		}
		panic(syntaxErrorf(t.pos, "f-string: invalid syntax"))
	}
	part.x = x
	if s[0] == '!' {
		if len(s) < 3 {
			panic(syntaxErrorf(t.pos, "f-string: invalid conversion character"))
		}
		part.conv = s[1:2]
		s = s[2:]
	}
	if s[0] == ':' {
		part.spec, s = formatBody(s[1:], t, true)
	}
	if !strings.HasPrefix(s, "}") {
		panic(syntaxErrorf(t.pos, "f-string: expecting '}'"))
	}
	return append(parts, part), s[1:]
}

// endOfValue finds the end of the expression at the beginning of s: "!", ":" or "}" outside of brackets and strings.
func endOfValue(s string) int {
	depth := 0
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case depth > 0 && (c == ')' || c == ']' || c == '}'):
			depth--
		case depth > 0:
		case c == '!' && i+1 < len(s) && s[i+1] == '=':
			i++
		case c == '!' || c == ':' || c == '}':
			return i
		}
	}
	return len(s)
}
