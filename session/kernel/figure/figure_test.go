package figure_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/session/kernel/figure"
)

// read decodes a file of recorded figures, see testdata/README.md.
func read[T any](t testing.TB, name string) (all map[string]T) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// decoded returns decoded JSON.
func decoded(t testing.TB, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// Figures made by plotly are described with their names and ranges, also if their data is in typed arrays.
func TestPlotly(t *testing.T) {
	all := read[any](t, "plotly.json")
	for name, want := range map[string]string{
		"bar":     `plotly figure "Sales by month" (x: month, y: EUR): bar "2023" 4 points, x Jan … Dec, y 3.1 … 41; bar "2024" 4 points, x Jan … Dec, y 4 … 7.25`,
		"box":     `plotly figure (y: y): box 5 points, y 1 … 100`,
		"candles": `plotly figure: candlestick 2 points, x 2024-01-01 … 2024-01-02, low 0 … 1, high 3 … 4`,
		"float32": `plotly figure: line 3 points, x 1 … 3, y 1.5 … 3`,
		"heatmap": `plotly figure: heatmap 12 points, x a … d, y x … z, z 0 … 11`,

		"histogram": `plotly figure (x: x, y: count): histogram 50 points, x -2.711 … 2.118`,
		"int8":      `plotly figure: line 3 points, x 1 … 250, y -3 … 5`,
		"line":      `plotly figure (x: t, y: v): line 12 points, x 2024-01-01 … 2024-01-12, y 0 … 13.58`,
		"many": `plotly figure "Many": line "series 0" 5 points, y 0; line "series 1" 5 points, y 0 … 4; line "series 2" 5 points, y 0 … 8; ` +
			`line "series 3" 5 points, y 0 … 12; line "series 4" 5 points, y 0 … 16; line "series 5" 5 points, y 0 … 20; and 14 more traces`,
		"map":       `plotly figure: scattermap 2 points, lat 45.5 … 46, lon -73.5 … -70`,
		"pie":       `plotly figure: pie 3 points, labels a … c, values 1 … 3`,
		"scatter":   `plotly figure (x: x, y: y): scatter 3 points, x 1 … 3, y 4 … 6`,
		"scatter3d": `plotly figure: scatter3d "points" 2 points, x 1 … 2, y 1 … 2, z -1.5 … 2e+09`,
		"sub":       `plotly figure: bar 2 points, x 1 … 2, y 3 … 4; line 2 points, x 1 … 2, y 5 … 6`,
	} {
		if all[name] == nil {
			t.Errorf("there is no figure %s", name)
		}
		if got := figure.Plotly(all[name]); got != want {
			t.Errorf("%s: %s\nwant: %s", name, got, want)
		}
	}
}

// Possible forms of figures, beyond the recorded ones.
func TestPlotlyForms(t *testing.T) {
	for text, want := range map[string]string{
		`{"data": [], "layout": {"title": "Old <b>style</b><br>title", "xaxis": {"title": "a, b"}, "yaxis": {"title": {"text": "weight (kg)"}}}}`: `plotly figure "Old style title" (x: "a, b", y: weight (kg))`,
		`{"data": [{"mode": "lines+markers", "y": [1, null, 12345.678]}]}`:                                                                        `plotly figure: line 3 points, y 1 … 12350`,
		`{"data": [{"type": "scattergl", "mode": "markers", "x": [0.00001234567]}]}`:                                                              `plotly figure: scatter 1 point, x 1.235e-05`,
		`{"data": [{"fill": "tozeroy", "y": [1]}, {"stackgroup": "a", "y": [2]}]}`:                                                                `plotly figure: area 1 point, y 1; area 1 point, y 2`,
		`{"data": [{"mode": "text", "x": [1], "y": [2]}]}`:                                                                                        `plotly figure: text 1 point, x 1, y 2`,
		`{"data": [{"type": "bar", "x": [["a", "a"], ["q", "r"]], "y": [1, 2]}]}`:                                                                 `plotly figure: bar 2 points, x a … r, y 1 … 2`,
		`{"data": [{"type": "bar", "y": {"_inputArray": {"dtype": "float32", "bdata": "AACAPwAAAEA="}}}]}`:                                        `plotly figure: bar 2 points, y 1 … 2`,
		`{"data": [{"type": "surface", "z": [[1, 2], [3, 4], [5, 6]]}], "layout": {"scene": {"zaxis": {"title": {"text": "height"}}}}}`:           `plotly figure (z: height): surface 6 points, z 1 … 6`,
		`{"data": [{"type": "sankey", "link": {"value": [1, 2]}}, {"type": "table", "cells": {"values": [[1], [2]]}}]}`:                           `plotly figure: sankey 2 points; table 2 points`,
		`{"data": [{"type": "splom", "dimensions": [{"label": "a b", "values": [1, 9]}]}]}`:                                                       `plotly figure: splom 2 points, a b 1 … 9`,
		`{"data": [{"type": "indicator", "value": 3}]}`:                                                                                           `plotly figure: indicator`,
		`{"data": [{"name": "a\nb\u202e\u0007 \"c\"", "y": [true]}]}`:                                                                             `plotly figure: line "a b \"c\"" 1 point, y true`,
		`{"data": [{"y": [null, null]}]}`:                                                                                                         `plotly figure: line 2 points`,
		`{"data": [1, {"type": "bar"}, []]}`:                                                                                                      `plotly figure: trace; bar; trace`,
		`{"data": [{"y": {"dtype": "f8", "bdata": "not base64!"}}, {"y": {"dtype": "complex", "bdata": ""}}]}`:                                    `plotly figure: line; line`,
		`{"data": {}, "layout": []}`: "",
		`{"model": 1}`:               "",
		`[1]`:                        "",
		`null`:                       "",
	} {
		if got := figure.Plotly(decoded(t, text)); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", text, got, want)
		}
	}
	numbers := []any{1, int64(2), json.Number("3.5"), json.Number("x")}
	got := figure.Plotly(map[string]any{"data": []any{map[string]any{"y": numbers}}})
	if want := "plotly figure: line 4 points, y 1 … 3.5"; got != want {
		t.Errorf("Go's numbers: %s\nwant: %s", got, want)
	}
}

// A line has at most 400 characters for any figure, and says how many traces it does not describe.
func TestPlotlyLong(t *testing.T) {
	long := strings.Repeat("é\u0301x y", 5000)
	var traces []any
	for range 20 {
		traces = append(traces, map[string]any{"type": "bar" + long, "name": long, "x": []any{long, long + "z"}, "y": []any{1.0}})
	}
	axis := map[string]any{"title": long}
	for _, layout := range []map[string]any{nil, {"title": long}, {"title": long, "xaxis": axis, "yaxis": axis, "scene": map[string]any{"zaxis": axis, "xaxis": axis, "yaxis": axis}}} {
		got := figure.Plotly(map[string]any{"data": traces, "layout": layout})
		n := utf8.RuneCountInString(got)
		test.LessEq(t, 400, n, test.Sprint(got))
		test.GreaterEq(t, 200, n, test.Sprint(got))
		if !strings.HasSuffix(got, "more traces") && !strings.HasSuffix(got, " 20 traces") {
			t.Errorf("traces are not counted: %s", got)
		}
	}
}

// Figures are described in time that is at most linear in their size.
func TestPlotlyHostile(t *testing.T) {
	var deep any = []any{1.0}
	for range 100_000 {
		deep = []any{deep}
	}
	many := make([]any, 200_000)
	for i := range many {
		many[i] = map[string]any{}
	}
	for _, v := range []any{
		map[string]any{"data": many},
		map[string]any{"data": []any{map[string]any{"x": deep, "y": many, "z": deep, "dimensions": many}}},
		map[string]any{"data": []any{map[string]any{"name": strings.Repeat("<", 1_000_000), "y": []any{strings.Repeat("<a", 200_000)}}}},
		map[string]any{"data": []any{map[string]any{"y": map[string]any{"dtype": "u1", "bdata": strings.Repeat("AAAA", 300_000)}}}},
	} {
		got := figure.Plotly(v)
		test.LessEq(t, 400, utf8.RuneCountInString(got))
		test.StrHasPrefix(t, "plotly figure: ", got)
	}
}

// The reprs of matplotlib's axes and texts are read, and other values give nothing.
func TestAxes(t *testing.T) {
	all := read[string](t, "matplotlib.json")
	for name, want := range map[string]string{
		"axes": `"Prices" (x: day, y: EUR)`, "title": `"Prices"`, "suptitle": `"Whole"`, "xlabel": `"day"`, "texts": `"one"; "two"`,
		"array": `"A B's" (x: "da\"y"); (y: count)`, "pandas": `"Frame" (x: i)`, "pandas hist": `"a"; "b"`, "pandas subplots": `(y: v); (y: v)`,
		"3d": `"3D" (x: x, z: z)`, "polar": `"P"`, "loc": `"L / R"`, "label": `"L / R"`, "hostile": `"L / a > b, {'c'} / R" (x: day)`,
		"axes bare": "", "array bare": "", "list": "", "tuple": "", "lines": "", "legend": "", "mosaic": "", "hist": "", "figure": "", "series": "",
	} {
		plain, ok := all[name]
		if !ok {
			t.Errorf("there is no text %s", name)
		}
		if got := figure.Axes(plain); got != want {
			t.Errorf("%s: %s\nwant: %s", plain, got, want)
		}
	}
}

// Older versions of matplotlib write their axes somewhat differently, and other texts are not axes.
func TestAxesForms(t *testing.T) {
	for plain, want := range map[string]string{
		`<AxesSubplot:title={'center':'Prices'}, xlabel='day'>`:                 `"Prices" (x: day)`,
		`<cartopy.mpl.geoaxes.GeoAxes: title={'center': 'Map\nof \x41\u00e9'}>`: `"Map of Aé"`,
		`Text(np.float64(0.5), 1.0, "it's")`:                                    `"it's"`,
		"  [Text(0, 0, ''), Text(1, 0, 'b')]\n":                                 `"b"`,
		`<Axes: title={'center': 'no end'`:                                      "",
		`<Axes: title={'center' 'x'}>`:                                          "",
		`<Axes: title=None>`:                                                    "",
		`   name\n0 <Axes: title={'center': 'in a table'}>`:                     "",
		`Text`: "",
		`["\`:  "",
		"":     "",
	} {
		if got := figure.Axes(plain); got != want {
			t.Errorf("%s: %s\nwant: %s", plain, got, want)
		}
	}
}

// The first of many axes are described, within the bounds of a line and in bounded time.
func TestAxesMany(t *testing.T) {
	one := "<Axes: title={'center': 'T'}, xlabel='day'>, "
	if got, want := figure.Axes("["+strings.Repeat(one, 50)), strings.Repeat(`"T" (x: day); `, 6)+"and 44 more"; got != want {
		t.Errorf("%s\nwant: %s", got, want)
	}
	long := "<Axes: title={'center': '" + strings.Repeat("long ", 100) + "'}>, "
	got := figure.Axes("[" + strings.Repeat(long, 5))
	test.LessEq(t, 400, utf8.RuneCountInString(got))
	test.StrHasSuffix(t, " more", got)
	for _, unit := range []string{"<Axes: ", "<Axes: a='',", "<Axes: a=''", "<Axes: a='", "<Axes: a={'':", "Text(0, 0, '", "Text(0, 0, '\\", "T<"} {
		if got := figure.Axes("[" + strings.Repeat(unit, 50_000)); utf8.RuneCountInString(got) > 400 {
			t.Errorf("%s: %s", unit, got)
		}
	}
}

// No text makes a panic, or a line that is too long, has more than one line, or is invalid.
func FuzzAxes(f *testing.F) {
	for _, plain := range read[string](f, "matplotlib.json") {
		f.Add(plain)
	}
	f.Fuzz(func(t *testing.T, plain string) { checkLine(t, figure.Axes(plain)) })
}

// No JSON does so either.
func FuzzPlotly(f *testing.F) {
	for _, v := range read[json.RawMessage](f, "plotly.json") {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		if json.Unmarshal(data, &v) == nil {
			checkLine(t, figure.Plotly(v))
		}
	})
}

func checkLine(t *testing.T, line string) {
	t.Helper()
	test.True(t, utf8.ValidString(line), test.Sprint("not one line of text"))
	test.False(t, strings.ContainsAny(line, "\n\r\x00\x1b\u202e\u2028"), test.Sprint("not one line of text"))
	if utf8.RuneCountInString(line) > 400 {
		t.Errorf("too long: %q", line)
	}
}
