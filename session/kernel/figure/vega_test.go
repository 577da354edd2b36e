package figure_test

import (
	"encoding/json"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/figure"
)

func TestVega(t *testing.T) {
	const bars = `{"title": "Yield", "mark": "bar", "data": {"values": [{"site": "A", "t": 3}, {"site": "B", "t": 5}]},
		"encoding": {"y": {"field": "t", "aggregate": "mean"}, "x": {"field": "site"}}}`
	const want = `Vega-Lite chart "Yield": bar (x: site, y: mean t), 2 rows`
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
