package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"
)

// literal formats a bool, a string or a number in the syntax of a language that writes numbers as Go does.
func literal(v any, truth func(bool) string, text func(string) string) string {
	switch v := v.(type) {
	case bool:
		return truth(v)
	case string:
		return text(v)
	}
	return fmt.Sprint(v)
}

// literals formats a question as a list, in which each name and the literal of its value become a pair.
func literals(question map[string]any, literal func(any) string, pair func(name, value string) string) string {
	return strings.Join(lo.Map(slices.Sorted(maps.Keys(question)), func(name string, _ int) string { return pair(name, literal(question[name])) }), ", ")
}

// asciiString returns a string literal in ASCII, in the syntax of R and Julia: between double quotes, with a backslash
// before each of the characters in marks, and other characters by their numbers. Invalid UTF-8 is replaced.
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
