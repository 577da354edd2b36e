package ydoc

import (
	"maps"
	"slices"

	"github.com/samber/lo"
)

// Plain JSON values as they are read from and written to a document.

func stringValue(v any) string {
	s, _ := v.(string)
	return s
}

func objectValue(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// objectOr is v if that is an object, else an empty one.
func objectOr(v any) map[string]any {
	if m := objectValue(v); m != nil {
		return m
	}
	return map[string]any{}
}

// countValue returns an execution count, or nil if v is not a count.
func countValue(v any) *int {
	if i, ok := v.(int); ok {
		return &i
	}
	return nil
}

// outputsValue is a list of outputs. What is no object reads as an empty one.
func outputsValue(v any) []Output {
	l, _ := v.([]any)
	return lo.Map(l, func(o any, _ int) Output { return objectOr(o) })
}

// joined is a text that may be given as a list of lines.
func joined(v any) string {
	l, ok := v.([]any)
	if !ok {
		return stringValue(v)
	}
	s := ""
	for _, line := range l {
		s += stringValue(line)
	}
	return s
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
