package figure_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/figure"
)

func TestVega(t *testing.T) {
	const bars = `{"title": "Yield", "mark": "bar", "data": {"values": [{"site": "A", "t": 3}, {"site": "B", "t": 5}]},
		"encoding": {"y": {"field": "t", "aggregate": "mean"}, "x": {"field": "site"}}}`
	const want = `Vega-Lite chart "Yield": bar (x: site A … B, y: mean t), 2 rows`
	for _, c := range []struct{ name, mime, text, want string }{
		{"Vega-Lite 5", "application/vnd.vegalite.v5+json", bars, want},
		{"Vega-Lite 6.1", "application/vnd.vegalite.v6.1+json", bars, want},
		{
			"layers", "application/vnd.vegalite.v4+json",
			`{"title": {"text": "T"}, "data": {"name": "d"}, "datasets": {"d": [{}, {}, {}]}, "encoding": {"x": {"field": "a"}}, "layer": [{"mark": {"type": "line"}, "encoding": {"y": {"field": "b"}}}, {"mark": "point"}]}`,
			`Vega-Lite chart "T": line (x: a, y: b); point (x: a), 3 rows`,
		},
		{"beside each other", "application/vnd.vegalite.v5+json", `{"hconcat": [{"mark": "bar", "encoding": {"x": {"aggregate": "count"}}}, {"mark": "arc"}]}`, "Vega-Lite chart: bar (x: count); arc"},
		{"a facet", "application/vnd.vegalite.v5+json", `{"facet": {"row": {"field": "k"}}, "spec": {"mark": "area", "encoding": {"x": {"field": "a"}}}}`, "Vega-Lite chart: area (x: a)"},
		{
			"Vega", "application/vnd.vega.v5+json",
			`{"title": "V", "data": [{"name": "t", "values": [1, 2]}], "marks": [{"type": "group", "marks": [{"type": "rect", "encode": {"enter": {"x": {"scale": "x", "field": "c"}, "y": {"field": "n"}}}}]}]}`,
			`Vega chart "V": rect (x: c, y: n), 2 rows`,
		},
		{"no chart", "application/vnd.vegalite.v5+json", `{}`, ""},
	} {
		var spec any
		must.NoError(t, json.Unmarshal([]byte(c.text), &spec))
		test.Eq(t, c.want, figure.Vega(map[string]any{c.mime: spec}), test.Sprint(c.name))
		test.Eq(t, c.want, figure.Vega(map[string]any{c.mime: c.text}), test.Sprint(c.name, "as text"))
	}
	html := "<div></div><script>(function(spec, embedOpt){ vegaEmbed(spec) })(" + bars + `, {"mode": "vega-lite"});</script>`
	test.Eq(t, want, figure.Vega(map[string]any{"text/html": html, "text/plain": "alt.Chart(...)"}), test.Sprint("Altair's HTML"))
	test.Eq(t, "", figure.Vega(map[string]any{"text/html": "<p>vega</p>"}), test.Sprint("a page"))
}

// The ranges of positions come from inline data as far as it is drawn unchanged.
func TestVegaRanges(t *testing.T) {
	const lite, vega = "application/vnd.vegalite.v5+json", "application/vnd.vega.v5+json"
	letters := make([]string, 30)
	for i := range letters {
		letters[i] = fmt.Sprintf(`{"k": "k%d", "d": "2024-01-%02d", "n": %d}`, i, 30-i, i-3)
	}
	many := `"data": {"values": [` + strings.Join(letters, ", ") + `]}`
	for _, c := range []struct{ name, mime, text, want string }{
		{
			"numbers, and the title of an axis", lite,
			`{"mark": "point", "data": {"values": [{"a": 3, "b": 1.5}, {"a": -1, "b": null}]}, "encoding": {"x": {"field": "a", "title": "width"}, "y": {"field": "b", "axis": {"title": ["weight", "(kg)"]}}}}`,
			`point (x: a "width" -1 … 3, y: b "weight (kg)" 1.5), 2 rows`,
		},
		{"an aggregate, and a color", lite, `{"mark": "bar", ` + many + `, "encoding": {"x": {"aggregate": {"argmax": "n"}, "field": "n"}, "color": {"field": "n", "title": "n"}}}`, "bar (x: n, color: n), 30 rows"},
		{"many names", lite, `{"mark": "bar", ` + many + `, "encoding": {"x": {"field": "k", "type": "nominal"}, "y": {"field": "n"}}}`, "bar (x: k 30 values, y: n -3 … 26), 30 rows"},
		{"dates are sorted", lite, `{"mark": "line", ` + many + `, "encoding": {"x": {"field": "d", "type": "temporal", "timeUnit": "yearmonth"}}}`, "line (x: yearmonth d 2024-01-01 … 2024-01-30), 30 rows"},
		{"dates in milliseconds", lite, `{"mark": "line", "data": {"values": [{"d": 1704067200000}, {"d": 1704153600500}]}, "encoding": {"x": {"field": "d", "type": "temporal"}}}`, "line (x: d 2024-01-01 … 2024-01-02), 2 rows"},
		{"few names, repeated", lite, `{"mark": "bar", "data": {"values": [{"k": "A"}, {"k": "B"}, {"k": "A"}]}, "encoding": {"x": {"field": "k"}}}`, "bar (x: k A … B), 3 rows"},
		{"a name with a dot", lite, `{"mark": "bar", "data": {"values": [{"a.b": 1}]}, "encoding": {"x": {"field": "a\\.b"}}}`, "bar (x: a.b 1), 1 row"},
		{
			"layers share a range", lite,
			`{"data": {"name": "d"}, "datasets": {"d": [{"a": 1}, {"a": 2}]}, "encoding": {"x": {"field": "a"}}, "layer": [{"mark": "line"}, {"mark": "point"}]}`,
			"line (x: a 1 … 2); point (x: a), 2 rows",
		},
		{
			"data of a nested view", lite,
			`{"data": {"values": [{"a": 1}]}, "hconcat": [{"mark": "line", "encoding": {"x": {"field": "a"}}}, {"data": {"values": [{"a": 7}]}, "mark": "bar", "encoding": {"x": {"field": "a"}}}, {"data": {"url": "u"}, "mark": "area", "encoding": {"x": {"field": "a"}}}]}`,
			"line (x: a 1); bar (x: a 7); area (x: a), 1 row",
		},
		{"a filter", lite, `{"mark": "bar", "transform": [{"filter": "datum.n > 0"}], ` + many + `, "encoding": {"x": {"field": "n"}}}`, "bar (x: n), 30 rows"},
		{"a URL", lite, `{"mark": "bar", "data": {"url": "data.csv"}, "encoding": {"x": {"field": "n"}}}`, "bar (x: n)"},
		{"odd rows", lite, `{"mark": "bar", "data": {"values": [1, null, [2], {"n": [3]}, {"n": {}}, {"n": true}]}, "encoding": {"x": {"field": "n"}}}`, "bar (x: n 3), 6 rows"},
		{"hostile texts", lite, `{"mark": "bar", "data": {"values": [{"n": "a\n\u202e\u0007b, y: \"9\""}]}, "encoding": {"x": {"field": "n", "title": "t\n, \"u"}}}`, `bar (x: n "t , \"u" "a b, y: \"9\""), 1 row`},
		{
			"Vega", vega,
			`{"data": [{"name": "t", "values": [{"c": "A", "n": 2}, {"c": "B", "n": 8}]}, {"name": "u", "values": [{"n": 1}], "transform": [{"type": "filter"}]}], "marks": [
				{"type": "group", "from": {"facet": {"name": "f", "data": "t", "groupby": "c"}}, "marks": [{"type": "rect", "from": {"data": "f"}, "encode": {"enter": {"x": {"field": "c"}}, "update": {"y": {"field": "n"}}}}]},
				{"type": "rule", "from": {"data": "u"}, "encode": {"update": {"y": {"field": "n"}}}}]}`,
			"rect (x: c A … B, y: n 2 … 8); rule (y: n), 3 rows",
		},
	} {
		line := figure.Vega(map[string]any{c.mime: c.text})
		_, got, _ := strings.Cut(line, " chart: ")
		test.Eq(t, c.want, got, test.Sprint(c.name))
	}
}

// A line has at most 400 characters and says how much it leaves out, and it takes little time for any chart.
func TestVegaLarge(t *testing.T) {
	long := strings.Repeat("é\u0301x, y", 5000)
	channels, rows := map[string]any{}, []any{}
	for i := range 20_000 {
		channels[fmt.Sprint(i)] = map[string]any{"field": long}
		rows = append(rows, map[string]any{long: fmt.Sprint(i) + long[:100]})
	}
	channels["x"] = map[string]any{"field": long, "title": long, "axis": map[string]any{"title": []any{long, long}}}
	views := make([]any, 20_000)
	for i := range views {
		views[i] = map[string]any{"mark": "bar", "encoding": channels, "layer": []any{map[string]any{}}}
	}
	got := figure.Vega(map[string]any{"application/vnd.vegalite.v5+json": map[string]any{"title": long, "data": map[string]any{"values": rows}, "encoding": channels, "layer": views}})
	checkLine(t, got)
	test.StrHasSuffix(t, "; and 19,994 more marks, 20,000 rows", got)
}

// No chart makes a panic, or a line of another form.
func FuzzVega(f *testing.F) {
	f.Add([]byte(`{"mark": "bar", "data": {"values": [{"a": 1, "b": "c"}]}, "encoding": {"x": {"field": "a"}, "y": {"field": "b"}}, "layer": [{"mark": "line"}]}`))
	f.Add([]byte(`{"data": [{"name": "t", "values": [{"c": 1}]}], "marks": [{"type": "rect", "from": {"data": "t"}, "encode": {"enter": {"x": {"field": "c"}}}}]}`))
	f.Add([]byte(`{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"a": 1}, "geometry": {"type": "Point", "coordinates": [1, 2]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		if json.Unmarshal(data, &v) == nil {
			checkLine(t, figure.Vega(map[string]any{"application/vnd.vegalite.v5+json": v}))
			checkLine(t, figure.GeoJSON(map[string]any{"application/geo+json": v}))
		}
	})
}
