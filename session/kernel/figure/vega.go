package figure

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
)

var (
	vegaType = regexp.MustCompile(`^application/vnd\.vega(?:lite)?\.v\d+(?:\.\d+)*\+json$`)
	// Altair's HTML begins a script with the chart in one of these ways.
	vegaScript = regexp.MustCompile(`(?:\}\)\(|\bspec\s*=\s*)(\{)`)
)

// Vega describes a display's Vega or Vega-Lite chart, from its own MIME type or Altair's HTML, in a line of at most 400
// characters: title, mark, the fields of its encodings, and the number of rows. It is "" without a chart.
func Vega(data map[string]any) string {
	for _, mime := range slices.Sorted(maps.Keys(data)) {
		if !vegaType.MatchString(mime) {
			continue
		}
		spec, ok := data[mime].(map[string]any)
		if text, isText := data[mime].(string); isText {
			ok = json.Unmarshal([]byte(text), &spec) == nil
		}
		if ok {
			return chart(spec)
		}
	}
	page, _ := data["text/html"].(string)
	if lines, ok := data["text/html"].([]any); ok {
		for _, line := range lines {
			s, _ := line.(string)
			page += s
		}
	}
	if !strings.Contains(page, "vega") {
		return ""
	}
	for _, at := range vegaScript.FindAllStringSubmatchIndex(page, mostTraces) {
		var spec map[string]any
		if json.NewDecoder(strings.NewReader(page[at[2]:])).Decode(&spec) != nil {
			continue
		}
		if line := chart(spec); line != "" {
			return line
		}
	}
	return ""
}

// A vegaChart is a chart with the data that its parts refer to.
type vegaChart struct {
	spec  map[string]any
	parts int // described so far
}

func chart(spec map[string]any) string {
	c := vegaChart{spec: spec}
	kind, parts := "Vega-Lite chart", c.views(spec, nil, 0)
	if marks, ok := spec["marks"].([]any); ok {
		kind, parts = "Vega chart", c.marks(marks)
	}
	if len(parts) == 0 {
		return ""
	}
	line := strings.TrimSpace(kind+" "+headingOf(titleOf(spec, mostTitle), nil)) + ": " + strings.Join(parts, "; ")
	if left := c.parts - len(parts); left > 0 {
		line += "; and " + textfmt.Plural(left, "more mark")
	}
	if rows := c.rows(); rows > 0 {
		rest := ", " + textfmt.Plural(rows, "row")
		return clip(line, mostText-textfmt.Size(rest)) + rest
	}
	return clip(line, mostText)
}

// composed are the members of a view that have views.
var composed = []string{"layer", "hconcat", "vconcat", "concat"}

// views describes the marks of a view and its nested views, each with its encodings and those of the enclosing views.
func (c *vegaChart) views(view map[string]any, around map[string]any, depth int) (out []string) {
	encoding := maps.Clone(around)
	if encoding == nil {
		encoding = map[string]any{}
	}
	maps.Copy(encoding, child(view, "encoding"))
	mark, _ := view["mark"].(string)
	if m := child(view, "mark"); m != nil {
		mark, _ = m["type"].(string)
	}
	if mark != "" {
		if c.parts++; c.parts <= mostTraces {
			out = append(out, strings.TrimSpace(clean(mark, mostName)+" "+encodings(encoding)))
		}
	}
	if depth == deepest {
		return out
	}
	for _, key := range composed {
		inner, _ := view[key].([]any)
		for _, v := range inner {
			if v, ok := v.(map[string]any); ok {
				out = append(out, c.views(v, encoding, depth+1)...)
			}
		}
	}
	if inner := child(view, "spec"); inner != nil { // of a facet, or repeated
		out = append(out, c.views(inner, encoding, depth+1)...)
	}
	return out
}

// encodings formats the fields by channel: "(x: site, y: mean t)".
func encodings(of map[string]any) string {
	first := []string{"x", "y", "color", "size", "shape"}
	rank := func(channel string) int {
		if i := slices.Index(first, channel); i >= 0 {
			return i
		}
		return len(first)
	}
	channels := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
	var out [][2]string
	for _, name := range channels[:min(len(channels), mostTraces)] {
		if text := fieldOf(of[name]); text != "" {
			out = append(out, [2]string{clean(name, mostName), text})
		}
	}
	return names(out)
}

// fieldOf returns the field of an encoding and its aggregate: "mean t".
func fieldOf(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 { // as in tooltips
		v = list[0]
	}
	of, _ := v.(map[string]any)
	made, _ := of["aggregate"].(string)
	if unit, ok := of["timeUnit"].(string); ok && made == "" {
		made = unit
	}
	field, _ := of["field"].(string)
	if repeat, ok := child(of, "field")["repeat"].(string); ok {
		field = "each " + repeat
	}
	return clean(strings.TrimSpace(made+" "+field), mostName)
}

// marks describes the marks of a Vega chart, with the drawn fields.
func (c *vegaChart) marks(marks []any) (out []string) {
	for _, v := range marks {
		mark, _ := v.(map[string]any)
		kind, _ := mark["type"].(string)
		if kind == "" {
			continue
		}
		if inner, _ := mark["marks"].([]any); kind == "group" && len(inner) > 0 {
			out = append(out, c.marks(inner)...)
			continue
		}
		if c.parts++; c.parts > mostTraces {
			continue
		}
		fields := map[string]any{}
		for _, state := range []string{"update", "enter"} {
			maps.Copy(fields, child(child(mark, "encode"), state))
		}
		out = append(out, strings.TrimSpace(clean(kind, mostName)+" "+encodings(fields)))
	}
	return out
}

// rows returns how many rows of data the chart contains.
func (c *vegaChart) rows() (n int) {
	count := func(v any) {
		switch v := v.(type) {
		case []any:
			n += len(v)
		case map[string]any:
			values, _ := v["values"].([]any)
			n += len(values)
		}
	}
	for _, set := range child(c.spec, "datasets") {
		count(set)
	}
	if list, ok := c.spec["data"].([]any); ok { // of Vega
		for _, one := range list {
			if one, ok := one.(map[string]any); ok {
				count(one)
			}
		}
	} else {
		count(c.spec["data"])
	}
	return n
}
