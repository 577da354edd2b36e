package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// complaints collects the mistakes in arguments: the place, the given value, the expected one. The schema library words its
// errors for programmers, and stops at the first mistake.
type complaints struct {
	found []string
	// left is true if a mistake was left to the tool, which refuses it with a better message.
	left bool
}

func (c *complaints) add(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

// look checks a value against its schema.
func (c *complaints) look(s *jsonschema.Schema, value any, at []string) {
	if wanted := kindsOf(s); len(wanted) > 0 && !slices.ContainsFunc(wanted, func(kind string) bool { return isKind(value, kind) }) {
		c.add("%s is %s, wanted %s", subject(at), shown(value), strings.Join(wanted, " or "))
		return
	}
	if s.Enum != nil && !slices.Contains(s.Enum, value) {
		c.add("%s is %s, wanted one of %s", subject(at), shown(value), textfmt.QuotedList(s.Enum))
	}
	switch v := value.(type) {
	case string:
		c.text(s, utf8.RuneCountInString(v), at)
	case float64:
		c.number(s, v, at)
	case []any:
		c.list(s, v, at)
	case map[string]any:
		c.object(s, v, at)
	}
}

func (c *complaints) text(s *jsonschema.Schema, n int, at []string) {
	if s.MinLength != nil && n < *s.MinLength {
		c.add("%s has %s, at least %d needed", subject(at), textfmt.Plural(n, "character"), *s.MinLength)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		c.add("%s has %s, at most %s allowed", subject(at), textfmt.Plural(n, "character"), textfmt.Thousands(*s.MaxLength))
	}
}

func (c *complaints) number(s *jsonschema.Schema, v float64, at []string) {
	switch {
	case s.Minimum != nil && v < *s.Minimum && leftToTool(v, at):
		c.left = true
	case s.Minimum != nil && v < *s.Minimum:
		c.add("%s is %s, the minimum is %s", subject(at), number(v), number(*s.Minimum))
	case s.ExclusiveMinimum != nil && v <= *s.ExclusiveMinimum:
		c.add("%s is %s, it must be more than %s", subject(at), number(v), number(*s.ExclusiveMinimum))
	case s.Maximum != nil && v > *s.Maximum:
		c.add("%s is %s, the maximum is %s", subject(at), number(v), number(*s.Maximum))
	}
}

func (c *complaints) list(s *jsonschema.Schema, v []any, at []string) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		c.add("%s is a list of %d, at least %d needed", subject(at), len(v), *s.MinItems)
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		c.add("%s is a list of %s, at most %s allowed in one call", subject(at), textfmt.Thousands(len(v)), textfmt.Thousands(*s.MaxItems))
	}
	for i, item := range v {
		if s.Items != nil {
			c.look(s.Items, item, append(at[:len(at):len(at)], strconv.Itoa(i)))
		}
	}
}

func (c *complaints) object(s *jsonschema.Schema, v map[string]any, at []string) {
	missing := lo.Reject(s.Required, func(name string, _ int) bool { return lo.HasKey(v, name) })
	switch {
	case len(missing) == 0:
	case len(at) == 0:
		c.add("the required argument %s is missing", textfmt.QuotedList(missing))
	default:
		c.add("%s lacks %s", place(at), textfmt.QuotedList(missing))
	}
	var further []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if p := s.Properties[name]; p != nil {
			c.look(p, v[name], append(at[:len(at):len(at)], name))
		} else if s.AdditionalProperties != nil {
			further = append(further, name)
		}
	}
	if further != nil {
		c.unknown(s, further, at)
	}
}

// unknown refuses arguments that do not exist, and lists the existing ones.
func (c *complaints) unknown(s *jsonschema.Schema, further []string, at []string) {
	of := "this tool"
	if len(at) > 0 {
		of = place(at)
	}
	names := members(s)
	if len(names) == 0 {
		c.add("%s has no argument %s: it takes none", of, textfmt.QuotedList(further))
		return
	}
	var near []string
	for _, name := range further {
		if n := Nearest(name, names); n != "" && !slices.Contains(near, n) {
			near = append(near, n)
		}
	}
	meant := ""
	if near != nil {
		meant = " (did you mean " + textfmt.QuotedList(near) + "?)"
	}
	c.add("%s has no argument %s%s: it takes %s", of, textfmt.QuotedList(further), meant, strings.Join(names, ", "))
}

// isKind reports whether a value has one of JSON Schema's types.
func isKind(value any, kind string) bool {
	switch v := value.(type) {
	case nil:
		return kind == "null"
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v)
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

// leftToTool reports whether the tool itself will refuse a number below the minimum with a better message: for a negative
// cell index it can give the number of cells.
func leftToTool(v float64, at []string) bool {
	return len(at) > 0 && v >= -MaxIndex && slices.Contains([]string{"start", "end", "position"}, at[len(at)-1])
}

func subject(at []string) string {
	if len(at) == 0 {
		return "the argument object"
	}
	return place(at)
}

// place formats a location as in code: ranges[0].start.
func place(at []string) string {
	var b strings.Builder
	for i, seg := range at {
		switch {
		case seg != "" && strings.Trim(seg, "0123456789") == "":
			b.WriteString("[" + seg + "]")
		case i == 0:
			b.WriteString(seg)
		default:
			b.WriteString("." + seg)
		}
	}
	return b.String()
}

// shown returns a value, short enough for a message.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		return "the string " + textfmt.Quoted(v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case float64:
		return number(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "of another kind"
	}
	return string(b)
}

// number formats a number for people, without an exponent.
func number(v float64) string {
	const most = 1e15 // more digits are not useful
	switch {
	case v > most:
		return "a number over " + textfmt.Thousands(most)
	case v < -most:
		return "a number under " + textfmt.Thousands(-most)
	case v == math.Trunc(v):
		return textfmt.Thousands(int(v))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
