package figure

import (
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// mostVisited bounds how many values of a display of GeoJSON are read.
const mostVisited = 1_000_000

// mostProperties is how many names of properties are shown.
const mostProperties = 4

// geometries are the types of geometries.
var geometries = []string{"Polygon", "MultiPolygon", "LineString", "MultiLineString", "Point", "MultiPoint", "GeometryCollection"}

// GeoJSON describes a display's GeoJSON (RFC 7946) in a line of at most 400 characters: `GeoJSON: 3 features (2 Polygon,
// 1 Point), longitude 5.9 … 10.5, latitude 45.8 … 47.8, properties name, population`. It is "" without GeoJSON.
func GeoJSON(data map[string]any) string {
	of := object(data["application/geo+json"])
	kind := textOf(of["type"], "")
	features := []map[string]any{of}
	switch {
	case kind == "FeatureCollection":
		features = objects(of["features"])
	case slices.Contains(geometries, kind):
		features = []map[string]any{{"geometry": of}}
	case kind != "Feature":
		return ""
	}
	b, kinds, properties := bounds{left: mostVisited}, map[string]int{}, map[string]bool{}
	for _, feature := range features {
		geometry := child(feature, "geometry")
		if kind := textOf(geometry["type"], ""); slices.Contains(geometries, kind) {
			kinds[kind]++
			b.geometry(geometry, 0)
		} else {
			kinds["without geometry"]++
		}
		for name := range child(feature, "properties") {
			if b.left--; b.left > 0 {
				properties[name] = true
			}
		}
	}
	line := "GeoJSON: " + kind
	if !slices.Contains(geometries, kind) {
		counts := lo.FilterMap(slices.Concat(geometries, []string{"without geometry"}), func(kind string, _ int) (string, bool) {
			return textfmt.Thousands(kinds[kind]) + " " + kind, kinds[kind] > 0
		})
		line = strings.TrimSpace("GeoJSON: " + textfmt.Plural(len(features), "feature") + " " + bracketed(counts))
	}
	// The former version of GeoJSON also had projected coordinates.
	names := lo.Ternary(max(-b.of[1].low, b.of[1].high) > 90, []string{"x", "y"}, []string{"longitude", "latitude"})
	for i, name := range names {
		b.of[i].texts = 0 // malformed
		if between := b.of[i].between(); between != "" {
			line += ", " + name + " " + between
		}
	}
	if b.left <= 0 {
		line += " (of the first " + textfmt.Thousands(mostVisited) + " values)"
	}
	if all := slices.Sorted(maps.Keys(properties)); len(all) > 0 {
		shown := lo.Map(all[:min(len(all), mostProperties)], func(s string, _ int) string { return said(clean(s, mostName)) })
		line += ", properties " + strings.Join(shown, ", ") + lo.Ternary(len(all) > len(shown), ", …", "")
	}
	return clip(line, mostText)
}

// bounds collects the bounds of geometries.
type bounds struct {
	of   [2]values // longitudes and latitudes
	left int       // how many values may still be visited
}

func (b *bounds) geometry(of map[string]any, depth int) {
	if b.left--; b.left <= 0 || depth > deepest {
		return
	}
	b.positions(of["coordinates"], 0)
	for _, inner := range objects(of["geometries"]) {
		b.geometry(inner, depth+1)
	}
}

// positions reads a position, or nested lists of positions.
func (b *bounds) positions(v any, depth int) {
	list, _ := v.([]any)
	if b.left--; b.left <= 0 || depth > deepest || len(list) == 0 {
		return
	}
	if _, nested := list[0].([]any); !nested {
		for i, v := range list[:min(len(list), len(b.of))] {
			b.of[i].list([]any{v}, deepest)
		}
		return
	}
	for _, inner := range list {
		b.positions(inner, depth+1)
	}
}
