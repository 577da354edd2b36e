package ydoc

import (
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"
)

// Conversions of plain JSON values read from and written to a document.

func stringValue(v any) string {
	s, _ := v.(string)
	return s
}

func objectValue(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// objectOr returns v if it is an object, else an empty one.
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

// outputsValue returns a list of outputs. An element that is not an object reads as an empty output.
func outputsValue(v any) []Output {
	l, _ := v.([]any)
	return lo.Map(l, func(o any, _ int) Output { return objectOr(o) })
}

// JoinText returns a text that nbformat may store as a list; between goes between its entries.
func JoinText(v any, between string) string {
	l, ok := v.([]any)
	if !ok {
		return stringValue(v)
	}
	return strings.Join(lo.FilterMap(l, func(one any, _ int) (string, bool) { s, ok := one.(string); return s, ok }), between)
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
