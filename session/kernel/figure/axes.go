package figure

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
)

var (
	// Python's repr of axes: "<Axes: title={'center': 'Prices'}, xlabel='day'>". Other classes of axes have longer names,
	// and older versions of matplotlib have no space after the colon.
	axesBegin = regexp.MustCompile(`^<[\w.]*Axes\w*: ?`)
	// And of a text in a figure: "Text(0.5, 1.0, 'Prices')".
	textBegin = regexp.MustCompile(`^Text\((?:[^'",()]+(?:\([^'"()]*\))?, ){2}`)
	// The first characters of such a repr, or of a list of them.
	listBegin = regexp.MustCompile(`^(?:<|Text\(|array\(|\[|\(|\{)`)
)

// The bounds of the search: hundreds of axes.
const (
	mostPlain  = 100_000 // bytes
	mostBegins = 1000    // places where axes could begin
)

// keyName matches the name of a property of axes.
var keyName = regexp.MustCompile(`^\w+$`)

// Axes describes the axes of a figure, from Python's repr of matplotlib's axes and texts, alone or in lists: `"Prices" (x:
// day, y: EUR)`. It is "" if the repr does not describe them.
func Axes(plain string) string {
	plain = strings.TrimSpace(plain)
	if !listBegin.MatchString(plain) {
		return ""
	}
	if len(plain) > mostPlain {
		plain = plain[:mostPlain]
	}
	var found []string
	for range mostBegins {
		at := strings.IndexAny(plain, "<T")
		if at < 0 {
			break
		}
		plain = plain[at:]
		text, after, ok := oneOf(plain)
		if !ok {
			plain = plain[1:]
			continue
		}
		plain = after
		if text != "" {
			found = append(found, text)
		}
	}
	line := ""
	for i, text := range found {
		if i > 0 {
			text = "; " + text
		}
		if end := "; and " + strconv.Itoa(len(found)-i) + " more"; i == mostTraces || textfmt.Size(line+text+end) > mostText {
			return clip(strings.TrimPrefix(line+end, "; "), mostText)
		}
		line += text
	}
	return line
}

// oneOf describes the axes or the text that plain begins with.
func oneOf(plain string) (text, after string, ok bool) {
	if m := textBegin.FindString(plain); m != "" {
		s, rest, ok := literal(plain[len(m):])
		if s = clean(s, mostTitle); s != "" {
			text = quoted(s)
		}
		return text, rest, ok
	}
	m := axesBegin.FindString(plain)
	if m == "" {
		return "", "", false
	}
	plain = plain[len(m):]
	title, labels := "", make([][2]string, 0, 3)
	for !strings.HasPrefix(plain, ">") {
		key, rest, found := strings.Cut(plain, "=")
		if !found || !keyName.MatchString(key) {
			return "", "", false
		}
		value, after, ok := field(rest)
		if !ok {
			return "", "", false
		}
		switch key {
		case "title":
			title = value
		case "xlabel", "ylabel", "zlabel":
			labels = append(labels, [2]string{key[:1], value})
		}
		plain = strings.TrimPrefix(after, ", ")
	}
	return headingOf(title, labels), plain[1:], true
}

// field reads a value: a string, or a dictionary of strings, whose values are joined.
func field(s string) (value, after string, ok bool) {
	if !strings.HasPrefix(s, "{") {
		return literal(s)
	}
	var parts []string
	for s = s[1:]; !strings.HasPrefix(s, "}"); s = strings.TrimPrefix(s, ", ") {
		_, rest, ok := literal(s)
		if !ok || !strings.HasPrefix(rest, ":") {
			return "", "", false
		}
		part, rest, ok := literal(strings.TrimPrefix(rest[1:], " "))
		if !ok {
			return "", "", false
		}
		parts = append(parts, part)
		s = rest
	}
	return strings.Join(parts, " / "), s[1:], true
}

// literal reads a Python string literal.
func literal(s string) (value, after string, ok bool) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", "", false
	}
	var b strings.Builder
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			r, size := escape(s[i+1:])
			b.WriteRune(r)
			i += size
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}

// escape reads the escape sequence after a backslash. Unknown sequences stay unchanged.
func escape(s string) (r rune, size int) {
	switch s[0] {
	case 'n', 'r', 't':
		return ' ', 1
	case 'x', 'u', 'U':
		if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]; len(s) > digits {
			if code, err := strconv.ParseUint(s[1:1+digits], 16, 31); err == nil {
				return rune(code), 1 + digits
			}
		}
	}
	return rune(s[0]), 1
}
