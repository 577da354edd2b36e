package figure

import (
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// Plotly describes a plotly figure from its decoded JSON (application/vnd.plotly.v1+json), in a line of at most 400
// characters: title, names of the axes, and of each trace its kind, name, number of points and ranges. It is "" if v is not
// a figure.
func Plotly(v any) string {
	fig, _ := v.(map[string]any)
	data, isData := fig["data"].([]any)
	layout, isLayout := fig["layout"].(map[string]any)
	if !isData && !isLayout {
		return ""
	}
	line := strings.TrimSpace("plotly figure " + headingOf(titleOf(layout, mostTitle), axesOf(layout)))
	for i, v := range data {
		trace, _ := v.(map[string]any)
		text := traceText(trace)
		joint := lo.Ternary(i == 0, ": ", "; ")
		rest := len(data) - i
		room := mostText
		if rest > 1 {
			room -= len("; and ") + textfmt.Size(textfmt.Plural(rest, "more trace"))
		}
		if i == mostTraces || textfmt.Size(line+joint+text) > room {
			return clip(line+joint+more(i, rest), mostText)
		}
		line += joint + text
	}
	return clip(line, mostText)
}

// more says how many traces are not described.
func more(before, rest int) string {
	if before == 0 {
		return textfmt.Plural(rest, "trace")
	}
	return "and " + textfmt.Plural(rest, "more trace")
}

// titleOf returns the title of a layout or an axis, which is a text or an object with a text.
func titleOf(of map[string]any, most int) string {
	title := of["title"]
	if m, ok := title.(map[string]any); ok {
		title = m["text"]
	}
	return clean(markup.ReplaceAllString(textOf(title, " "), " "), most)
}

// axesOf returns the axes of a layout, with their titles, or of its first scene.
func axesOf(layout map[string]any) (axes [][2]string) {
	for _, of := range []map[string]any{layout, child(layout, "scene")} {
		for _, name := range []string{"x", "y", "z"} {
			axes = append(axes, [2]string{name, titleOf(child(of, name+"axis"), mostName)})
		}
	}
	return axes
}

func child(of map[string]any, key string) map[string]any {
	m, _ := of[key].(map[string]any)
	return m
}

// traceText describes one trace: `bar "2024" 12 points, x Jan … Dec, y 3.1 … 41`.
func traceText(trace map[string]any) string {
	if trace == nil {
		return "trace"
	}
	text := kindOf(trace)
	if name, _ := trace["name"].(string); name != "" {
		if name = clean(markup.ReplaceAllString(name, " "), mostName); name != "" {
			text += " " + quoted(name)
		}
	}
	count, ranges := points(trace)
	if count > 0 {
		text += " " + textfmt.Plural(count, "point")
	}
	if len(ranges) > 0 {
		text += ", " + strings.Join(ranges, ", ")
	}
	return text
}

// kindOf returns the type of a trace. A scatter plot of lines is called a line.
func kindOf(trace map[string]any) string {
	kind, _ := trace["type"].(string)
	if kind = clean(kind, mostName); kind == "" {
		kind = "scatter" // plotly's default
	}
	if kind != "scatter" && kind != "scattergl" {
		return kind
	}
	mode, given := trace["mode"].(string)
	fill, _ := trace["fill"].(string)
	group, _ := trace["stackgroup"].(string)
	switch {
	case fill != "" && fill != "none", group != "":
		return "area"
	case !given, strings.Contains(mode, "lines"):
		return "line"
	case strings.Contains(mode, "text") && !strings.Contains(mode, "markers"):
		return "text"
	}
	return "scatter"
}

// directions are the keys of a trace's values: the most common ones first, at most three per kind of plot.
var directions = []string{
	"x", "y", "lat", "lon", "r", "theta", "a", "b", "c", "labels", "ids", "locations", "values", "low", "high", "z", "value", "intensity",
}

// mostRanges is how many ranges of a trace are shown.
const mostRanges = 3

// points returns how many points a trace has, and their ranges.
func points(trace map[string]any) (count int, ranges []string) {
	for _, key := range directions {
		v, ok := valuesOf(trace[key])
		if !ok {
			continue
		}
		if lists, nested := trace[key].([]any); nested && (key == "x" || key == "y") {
			v.categories(lists)
		}
		count = max(count, v.count) // a grid has more values than each of its sides
		if between := v.between(); between != "" && len(ranges) < mostRanges {
			ranges = append(ranges, key+" "+between)
		}
	}
	if count > 0 {
		return count, ranges
	}
	// Some traces have points only in their parts: the links of a flow, the cells of a table, parallel axes.
	for _, part := range []string{"link", "cells"} {
		for _, key := range []string{"value", "values"} {
			if v, ok := valuesOf(child(trace, part)[key]); ok {
				return v.count, nil
			}
		}
	}
	dimensions := objects(trace["dimensions"])
	for _, dimension := range dimensions[:min(len(dimensions), mostRanges)] {
		if v, ok := valuesOf(dimension["values"]); ok {
			count = max(count, v.count)
			ranges = append(ranges, strings.TrimSpace(said(clean(textOf(dimension["label"], ""), mostName))+" "+v.between()))
		}
	}
	return count, ranges
}

// categories corrects the count of nested categories, each level of them a list.
func (all *values) categories(lists []any) {
	if len(lists) == 0 || slices.ContainsFunc(lists, func(v any) bool { _, ok := v.([]any); return !ok }) {
		return
	}
	inner, _ := lists[len(lists)-1].([]any)
	all.count = len(inner)
}
