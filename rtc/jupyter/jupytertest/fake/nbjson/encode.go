package nbjson

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// appendJSON appends a plain value as Python's json.dumps writes it with indent=1, sort_keys=True and
// ensure_ascii=False.
func appendJSON(dst []byte, v any, depth int) []byte {
	newline := func(depth int) {
		dst = append(dst, '\n')
		for range depth {
			dst = append(dst, ' ')
		}
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return append(dst, "{}"...)
		}
		dst = append(dst, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			newline(depth)
			dst = append(appendString(dst, k), ": "...)
			dst = appendJSON(dst, v[k], depth+1)
		}
		newline(depth - 1)
		return append(dst, '}')
	case []any:
		if len(v) == 0 {
			return append(dst, "[]"...)
		}
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			newline(depth)
			dst = appendJSON(dst, e, depth+1)
		}
		newline(depth - 1)
		return append(dst, ']')
	case string:
		return appendString(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case pyjson.Number:
		return append(dst, v...)
	case float64:
		return append(dst, float(v)...)
	}
	return append(dst, "null"...)
}

// appendString appends a string in quotes.
func appendString(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// float writes a float as Python's repr does: with an exponent below 1e-4 and from 1e16 on, else with a point.
func float(f float64) string {
	s := strconv.FormatFloat(f, 'e', -1, 64)
	_, exponent, _ := strings.Cut(s, "e")
	if e, err := strconv.Atoi(exponent); err != nil || e < -4 || e >= 16 {
		return s
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
