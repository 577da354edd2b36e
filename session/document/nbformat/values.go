package nbformat

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// countIn reads an execution count, nil for null.
func countIn(m map[string]any, at string) (*int, error) {
	v, given := m["execution_count"]
	if given && v == nil {
		return nil, nil
	}
	if n, ok := wholeNumber(v); ok {
		return &n, nil
	}
	return nil, fmt.Errorf("%s.execution_count is %s, wanted a number or null", at, shownValue(v))
}

// wholeNumber reads a whole number that is not negative.
func wholeNumber(v any) (int, bool) {
	number, _ := v.(json.Number)
	n, err := strconv.ParseUint(string(number), 10, 31)
	return int(n), err == nil
}

// objectIn reads a member that must be an object.
func objectIn(m map[string]any, at, name string, needed bool) (map[string]any, error) {
	v, given := m[name]
	if !given && !needed {
		return nil, nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: \"%s\" is %s, wanted an object", at, name, kindOf(v))
	}
	return o, nil
}

func onlyKeys(at string, m map[string]any, allowed ...string) error {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(allowed, k) {
			return fmt.Errorf("%s has a member %s, which nbformat does not allow there: allowed are %s", at, textfmt.Quoted(k), textfmt.QuotedList(allowed))
		}
	}
	return nil
}

// textOf reads a text that may be a list of lines.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var b strings.Builder
		for _, line := range v {
			s, ok := line.(string)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	return "", false
}

// kindOf names the kind of a JSON value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "missing or null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return "a number"
	}
}

// shownValue writes a JSON value for a message: the value of a string or number, the kind of others.
func shownValue(v any) string {
	switch v := v.(type) {
	case string:
		return textfmt.Quoted(v)
	case json.Number:
		return textfmt.Quoted(string(pyjson.Python([]byte(v))))
	}
	return kindOf(v)
}
