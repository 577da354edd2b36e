package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// literal is a value in the syntax of a language that writes numbers as Go does.
func literal(v any, language string, truth func(bool) string, text func(string) string) (string, error) {
	switch v := v.(type) {
	case bool:
		return truth(v), nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case string:
		return text(v), nil
	}
	return "", fmt.Errorf("%T has no form in %s", v, language)
}

// literals writes a question as a list, in which each name and the literal of its value become a pair.
func literals(question map[string]any, literal func(any) (string, error), pair func(name, value string) string) (string, error) {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(question)) {
		value, err := literal(question[name])
		if err != nil {
			return "", fmt.Errorf("write the question: %s: %w", name, err)
		}
		list = append(list, pair(name, value))
	}
	return strings.Join(list, ", "), nil
}

// asciiString is a string literal in ASCII, as R and Julia have it: between double quotes, with a backslash before each
// of the characters in marks, and other characters by their numbers. Invalid UTF-8 is replaced.
func asciiString(s, marks string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case strings.ContainsRune(marks, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r == 0x7f || r > 0x7f && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
