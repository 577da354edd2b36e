package figure

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

var (
	vegaType = regexp.MustCompile(`^application/vnd\.vega(?:lite)?\.v\d+(?:\.\d+)*\+json$`)
	// Altair's HTML begins a script with the chart in one of these ways.
	vegaScript = regexp.MustCompile(`(?:\}\)\(|\bspec\s*=\s*)(\{)`)
)

// Vega describes a display's Vega or Vega-Lite chart, from its own MIME type or Altair's HTML, in a line of at most 400
// characters: title, mark, the fields of its encodings with the ranges of inline data, and the number of rows. It is ""
// without a chart.
func Vega(data map[string]any) string {
	for _, mime := range slices.Sorted(maps.Keys(data)) {
		if vegaType.MatchString(mime) {
			if line := chart(object(data[mime])); line != "" {
				return line
			}
		}
	}
	page := textOf(data["text/html"], "")
	if !strings.Contains(page, "vega") {
		return ""
	}
	for _, at := range vegaScript.FindAllStringSubmatchIndex(page, mostTraces) {
		var spec map[string]any
		_ = json.NewDecoder(strings.NewReader(page[at[2]:])).Decode(&spec) // nil for malformed JSON
		if line := chart(spec); line != "" {
			return line
		}
	}
	return ""
}

// object returns an object, which a display may also have as the text of its JSON.
func object(v any) map[string]any {
	of, ok := v.(map[string]any)
	if !ok {
		_ = json.Unmarshal([]byte(textOf(v, "")), &of) // nil for malformed JSON
	}
	return of
}

// objects returns the objects in a list, or a single object.
func objects(v any) []map[string]any {
	if of, ok := v.(map[string]any); ok {
		return []map[string]any{of}
	}
	list, _ := v.([]any)
	return lo.FilterMap(list, func(one any, _ int) (map[string]any, bool) { m, ok := one.(map[string]any); return m, ok })
}

// textOf returns a text, which may also be a list of lines.
func textOf(v any, joint string) string {
	if list, ok := v.([]any); ok {
		return strings.Join(lo.FilterMap(list, func(one any, _ int) (string, bool) { s, ok := one.(string); return s, ok }), joint)
	}
	s, _ := v.(string)
	return s
}

// A vegaChart is a chart with the data that its parts refer to.
type vegaChart struct {
	sets  map[string][]any // inline data by name, without data that is transformed before it is drawn
	told  map[string]bool  // ranges that the line has: layers share them
	parts int              // described so far
}

func chart(spec map[string]any) string {
	c, rows := vegaChart{sets: map[string][]any{}, told: map[string]bool{}}, 0
	for name, set := range child(spec, "datasets") {
		c.sets[name] = rowsIn(set)
		rows += len(c.sets[name])
	}
	for _, set := range objects(spec["data"]) { // a list in Vega
		values := rowsIn(set)
		rows += len(values)
		if name := textOf(set["name"], ""); name != "" && values != nil && !transformed(set) {
			c.sets[name] = values
		}
	}
	kind, parts := "Vega-Lite chart", c.views(spec, nil, nil, 0)
	if _, ok := spec["marks"].([]any); ok {
		kind, parts = "Vega chart", c.marks(spec)
	}
	if len(parts) == 0 {
		return ""
	}
	line, rest := strings.TrimSpace(kind+" "+headingOf(titleOf(spec, mostTitle), nil))+": "+strings.Join(parts, "; "), ""
	if left := c.parts - len(parts); left > 0 {
		rest = "; and " + textfmt.Plural(left, "more mark")
	}
	if rows > 0 {
		rest += ", " + textfmt.Plural(rows, "row")
	}
	return clip(line, mostText-textfmt.Size(rest)) + rest
}

// rowsIn returns the rows of inline data: a list, or the values of an object.
func rowsIn(v any) []any {
	if of, ok := v.(map[string]any); ok {
		v = of["values"]
	}
	rows, _ := v.([]any)
	return rows
}

// transformed reports whether a view or a data set has transforms: the drawn values may differ from the data.
func transformed(of map[string]any) bool { return len(objects(of["transform"])) > 0 }

// composed are the members of a view that have views. A "spec" is of a facet, or repeated.
var composed = []string{"layer", "hconcat", "vconcat", "concat", "spec"}

// views describes the marks of a view and its nested views, each with its encodings and those of the enclosing views.
func (c *vegaChart) views(view map[string]any, around []map[string]any, rows []any, depth int) (out []string) {
	encoding := append(slices.Clip(around), child(view, "encoding"))
	if _, ok := view["data"]; ok {
		data := child(view, "data")
		if rows = rowsIn(data); rows == nil {
			rows = c.sets[textOf(data["name"], "")]
		}
	}
	if transformed(view) {
		rows = nil
	}
	if mark := cmp.Or(textOf(view["mark"], ""), textOf(child(view, "mark")["type"], "")); mark != "" {
		if c.parts++; c.parts <= mostTraces {
			out = append(out, strings.TrimSpace(clean(mark, mostName)+" "+c.encodings(lo.Assign(encoding...), rows)))
		}
	}
	if depth == deepest {
		return out
	}
	for _, key := range composed {
		for _, v := range objects(view[key]) {
			out = append(out, c.views(v, encoding, rows, depth+1)...)
		}
	}
	return out
}

// encodings formats the fields by channel: "(x: site A … D, y: mean t)".
func (c *vegaChart) encodings(of map[string]any, rows []any) string {
	last := []string{"shape", "size", "color", "y", "x"}
	channels := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(last, b), slices.Index(last, a)), strings.Compare(a, b))
	})
	var out []string
	for _, name := range channels[:min(len(channels), mostTraces)] {
		if text := c.fieldOf(of[name], name, rows); text != "" {
			out = append(out, clean(name, mostName)+": "+text)
		}
	}
	return bracketed(out)
}

// positions are the channels whose ranges are described.
var positions = []string{"x", "y", "longitude", "latitude", "theta"}

// fieldOf returns the field of an encoding, its aggregate, its title if it has another one, and its range: "mean t",
// `t "Yield" 0 … 92`.
func (c *vegaChart) fieldOf(v any, channel string, rows []any) string {
	of := lo.FirstOrEmpty(objects(v)) // tooltips have a list
	made := cmp.Or(textOf(of["aggregate"], ""), textOf(of["timeUnit"], ""))
	field := strings.ReplaceAll(textOf(of["field"], ""), `\`, "") // "a\.b" is the name "a.b"
	name := field
	if repeat, ok := child(of, "field")["repeat"].(string); ok {
		name = "each " + repeat
	}
	name = clean(strings.TrimSpace(made+" "+name), mostName)
	if name == "" {
		return ""
	}
	text := said(name)
	if title := cmp.Or(titleOf(child(of, "axis"), mostName), titleOf(of, mostName)); title != "" && title != name {
		text += " " + quoted(title)
	}
	if slices.Contains(positions, channel) && of["aggregate"] == nil {
		between := rangeOf(rows, field, textOf(of["type"], ""))
		if told := name + " " + between; between != "" && !c.told[told] {
			c.told[told] = true
			text += " " + between
		}
	}
	return text
}

// mostFew is how many different texts a field may have to be described by the first and the last one. More are counted.
const mostFew = 20

// isoDate matches the beginning of dates whose order is the order of their texts.
var isoDate = regexp.MustCompile(`^\d{4}-\d\d`)

// rangeOf formats the range of a field of rows, or the number of its texts if they are many.
func rangeOf(rows []any, field, kind string) string {
	column := lo.Map(rows, func(row any, _ int) any {
		of, _ := row.(map[string]any)
		return of[field]
	})
	all, _ := valuesOf(column)
	texts := lo.Uniq(lo.FilterMap(column, func(v any, _ int) (string, bool) { s, ok := v.(string); return s, ok }))
	switch {
	case kind == "temporal" && all.numbers > all.texts: // milliseconds
		texts = lo.Map([]float64{all.low, all.high}, func(v float64, _ int) string { return time.UnixMilli(int64(v)).UTC().Format("2006-01-02T15:04:05") })
		all.texts = all.numbers + 1
	case isoDate.MatchString(all.first):
		slices.Sort(texts)
	case kind != "temporal" && all.texts > all.numbers && len(texts) > mostFew:
		return textfmt.Plural(len(texts), "value")
	}
	if len(texts) > 0 {
		all.first, all.last = texts[0], texts[len(texts)-1]
	}
	return all.between()
}

// marks describes the marks of a Vega chart or group, with the drawn fields.
func (c *vegaChart) marks(group map[string]any) (out []string) {
	for _, mark := range objects(group["marks"]) {
		kind, from := textOf(mark["type"], ""), child(mark, "from")
		if facet := child(from, "facet"); facet != nil {
			c.sets[textOf(facet["name"], "")] = c.sets[textOf(facet["data"], "")]
		}
		if len(objects(mark["marks"])) > 0 && kind == "group" {
			out = append(out, c.marks(mark)...)
		} else if kind != "" {
			if c.parts++; c.parts <= mostTraces {
				fields := lo.Assign(child(child(mark, "encode"), "update"), child(child(mark, "encode"), "enter"))
				out = append(out, strings.TrimSpace(clean(kind, mostName)+" "+c.encodings(fields, c.sets[textOf(from["data"], "")])))
			}
		}
	}
	return out
}
