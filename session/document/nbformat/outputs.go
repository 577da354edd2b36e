package nbformat

import (
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/ydoc"
)

func outputOf(at string, v any) (ydoc.Output, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is %s, wanted an object", at, kindOf(v))
	}
	kind, _ := m["output_type"].(string)
	fields, ok := ydoc.OutputFields[kind]
	if !ok {
		return nil, fmt.Errorf("%s.output_type is %s, wanted \"stream\", \"display_data\", \"execute_result\" or \"error\"", at, shownValue(m["output_type"]))
	}
	if err := onlyKeys(at, m, append([]string{"output_type"}, fields...)...); err != nil {
		return nil, err
	}
	out := ydoc.Output{"output_type": kind}
	for _, f := range fields {
		value, err := outputField(at, f, m)
		if err != nil {
			return nil, err
		}
		out[f] = value
	}
	return out, nil
}

func outputField(at, field string, m map[string]any) (any, error) {
	wrong := func(want string) error {
		return fmt.Errorf("%s.%s is %s, wanted %s", at, field, kindOf(m[field]), want)
	}
	switch field {
	case "data", "metadata":
		return objectIn(m, at, field, true)
	case "execution_count":
		n, err := countIn(m, at)
		if err != nil || n == nil {
			return nil, err
		}
		return *n, nil
	case "text":
		s, ok := textOf(m[field])
		if !ok {
			return nil, wrong("a string or a list of strings")
		}
		return s, nil
	case "traceback":
		list, ok := m[field].([]any)
		if !ok || slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok }) {
			return nil, wrong("a list of strings")
		}
		return list, nil
	default:
		s, ok := m[field].(string)
		if !ok {
			return nil, wrong("a string")
		}
		return s, nil
	}
}
