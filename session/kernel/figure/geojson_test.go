package figure_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/session/kernel/figure"
)

func TestGeoJSON(t *testing.T) {
	const (
		polygon = `{"type": "Feature", "properties": {"name": "A", "area": 1}, "geometry": {"type": "Polygon", "coordinates": [[[5.9, 45.8], [10.5, 46], [6, 47.8], [5.9, 45.8]]]}}`
		point   = `{"type": "Feature", "properties": {"name": "B", "code": "x, y"}, "geometry": {"type": "Point", "coordinates": [7, 46.5, 400]}}`
	)
	collection := func(features ...string) string {
		return `{"type": "FeatureCollection", "features": [` + strings.Join(features, ", ") + `]}`
	}
	geometry := func(text string) string { return `{"type": "Feature", "properties": null, "geometry": ` + text + `}` }
	for _, c := range []struct{ name, text, want string }{
		{"a collection", collection(polygon, point, polygon), "GeoJSON: 3 features (2 Polygon, 1 Point), longitude 5.9 … 10.5, latitude 45.8 … 47.8, properties area, code, name"},
		{"a feature", point, "GeoJSON: 1 feature (1 Point), longitude 7, latitude 46.5, properties code, name"},
		{"a geometry", `{"type": "MultiPoint", "coordinates": [[1, 2], [-3, 4]]}`, "GeoJSON: MultiPoint, longitude -3 … 1, latitude 2 … 4"},
		{
			"nested geometries", geometry(`{"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [1, 2]}, {"type": "GeometryCollection", "geometries": [{"type": "LineString", "coordinates": [[3, 4], [5, 6]]}]}]}`),
			"GeoJSON: 1 feature (1 GeometryCollection), longitude 1 … 5, latitude 2 … 6",
		},
		{"no features", collection(), "GeoJSON: 0 features"},
		{"no geometries", collection(geometry("null"), geometry(`{"type": "Circle", "coordinates": [1, 2]}`), `1`, `null`), "GeoJSON: 2 features (2 without geometry)"},
		{"projected", geometry(`{"type": "LineString", "coordinates": [[500000, 4649776], [500100, 4649876]]}`), "GeoJSON: 1 feature (1 LineString), x 500000 … 500100, y 4650000"},
		{"malformed positions", geometry(`{"type": "Polygon", "coordinates": [[["a", "b"], [1], [], 7, null, [{}, [2]], [true, 3]]]}`), "GeoJSON: 1 feature (1 Polygon), longitude 1, latitude 3"},
		{"malformed geometry", geometry(`{"type": "Polygon", "coordinates": "1, 2", "geometries": 3}`), "GeoJSON: 1 feature (1 Polygon)"},
		{"malformed features", `{"type": "FeatureCollection", "features": "x"}`, "GeoJSON: 0 features"},
		{
			"hostile properties", `{"type": "Feature", "properties": {"a\n\u202eb, \"c": 1, "d": 1, "e": 1, "f": 1, "g": 1}}`,
			`GeoJSON: 1 feature (1 without geometry), properties "a b, \"c", d, e, f, …`,
		},
		{"another type", `{"type": "Topology", "objects": {}}`, ""},
		{"not an object", `[1]`, ""},
		{"null", `null`, ""},
	} {
		test.Eq(t, c.want, figure.GeoJSON(map[string]any{"application/geo+json": decoded(t, c.text)}), test.Sprint(c.name))
		test.Eq(t, c.want, figure.GeoJSON(map[string]any{"application/geo+json": c.text}), test.Sprint(c.name, " as text"))
	}
	test.Eq(t, "", figure.GeoJSON(map[string]any{"application/json": decoded(t, point)}), test.Sprint("another MIME type"))
	test.Eq(t, "", figure.GeoJSON(map[string]any{"application/geo+json": "{"}), test.Sprint("malformed text"))
}

// A line takes little time for any GeoJSON, and says if it does not cover all of it.
func TestGeoJSONLarge(t *testing.T) {
	var coordinates, nested any = []any{1.0, 2.0}, map[string]any{"type": "Point", "coordinates": []any{1.0, 2.0}}
	for range 100_000 {
		coordinates = []any{coordinates}
		nested = map[string]any{"type": "GeometryCollection", "geometries": []any{nested}}
	}
	deep := map[string]any{"type": "Feature", "properties": map[string]any{strings.Repeat("p, q", 1000): 1}}
	for kind, geometry := range map[string]any{"MultiPolygon": map[string]any{"type": "MultiPolygon", "coordinates": coordinates}, "GeometryCollection": nested} {
		deep["geometry"] = geometry
		got := figure.GeoJSON(map[string]any{"application/geo+json": deep})
		checkLine(t, got)
		test.StrHasPrefix(t, "GeoJSON: 1 feature (1 "+kind+"), properties ", got)
	}
	line := make([]any, 1_000_001)
	for i := range line {
		line[i] = []any{float64(min(i, 50)), 2.0}
	}
	line[1_000_000] = []any{170.0, 80.0}
	got := figure.GeoJSON(map[string]any{"application/geo+json": map[string]any{"type": "LineString", "coordinates": line}})
	test.Eq(t, "GeoJSON: LineString, longitude 0 … 50, latitude 2 (of the first 1,000,000 values)", got)
}
