package tools

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/ydoc"
)

// maxOutputs bounds how many outputs of one cell are shown, the first and the last ones.
const maxOutputs = 200

// outputLimits say how much of a cell's outputs is shown, in characters.
type outputLimits struct {
	each  int // of each output
	total int // of all outputs of the cell
	count int // how many outputs
}

func (l outputLimits) halved() outputLimits {
	return outputLimits{l.each / 2, l.total / 2, l.count / 2}
}

// none tells that nothing is left to halve.
func (l outputLimits) none() bool { return l.total == 0 && l.count == 0 }

// shownOutputs are a cell's outputs cut to size.
type shownOutputs struct {
	outputs  []map[string]any
	cut      []bool // for each output shown
	images   []int  // for each, which of the tray's images it put there, -1 for none
	original int    // characters of all text before cutting
	omitted  int    // outputs left out altogether
}

func (s shownOutputs) truncated() bool { return s.omitted > 0 || slices.Contains(s.cut, true) }

// contents are a cell's outputs taken apart, ready to be shown within any limits.
type contents struct {
	each []content
	size int // characters of all text
}

func contentsOf(outputs []ydoc.Output) contents {
	c := contents{each: make([]content, 0, len(outputs))}
	for _, o := range outputs {
		one := contentOf(o)
		c.size += one.size
		c.each = append(c.each, one)
	}
	return c
}

// show cuts the outputs to size. What there is to give is shared fairly: the small ones are shown whole, so that an
// error after a long log is seen, and the large ones get equal parts of the rest.
func (c contents) show(lim outputLimits, pictures *tray) shownOutputs {
	s := shownOutputs{outputs: []map[string]any{}, cut: []bool{}, original: c.size}
	all := c.each
	if len(all) > lim.count {
		head := (lim.count + 1) / 2
		s.omitted = len(all) - lim.count
		all = slices.Concat(all[:head], all[len(all)-(lim.count-head):])
	}
	sizes := make([]int, len(all))
	for i, one := range all {
		sizes[i] = min(one.size, lim.each)
	}
	for i, allowed := range share(sizes, lim.total) {
		before := len(pictures.images)
		out, wasCut := all[i].show(allowed, pictures)
		at := -1
		if len(pictures.images) > before {
			at = before
		}
		s.outputs, s.cut, s.images = append(s.outputs, out), append(s.cut, wasCut), append(s.images, at)
	}
	return s
}

// share gives each size what it asks for as far as total reaches: the small ones all, the others equal parts.
func share(sizes []int, total int) []int {
	out := make([]int, len(sizes))
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	for n, i := range order {
		out[i] = min(sizes[i], total/(len(order)-n))
		total -= out[i]
	}
	return out
}

// content is one output taken apart: its fixed members, and its texts with how long they are.
type content struct {
	kind  string // output_type
	out   ydoc.Output
	size  int // characters
	texts map[string]string
	// order is the order in which texts get room; the first is cut where it is too long, others are left out whole.
	order []string
}

func contentOf(o ydoc.Output) content {
	c := content{out: o, texts: map[string]string{}}
	c.kind, _ = o["output_type"].(string)
	switch c.kind {
	case "stream":
		c.texts["text"] = plain(joinText(o["text"]))
	case "error":
		c.texts["name"] = plain(joinText(o["ename"]))
		c.texts["value"] = plain(joinText(o["evalue"]))
		c.texts["traceback"] = plain(joinLines(o["traceback"]))
	case "execute_result", "display_data":
		data, _ := o["data"].(map[string]any)
		for mime, v := range data {
			if !slices.Contains(pictureTypes, mime) {
				c.texts[mime] = mimeText(v)
				c.order = append(c.order, mime)
			}
		}
		slices.SortFunc(c.order, func(a, b string) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
		})
	default:
		c.texts["text"] = mimeText(map[string]any(o))
	}
	for _, t := range c.texts {
		c.size += size(t)
	}
	return c
}

// rank orders the forms of one output by how well a model reads them.
func rank(mime string) int {
	order := []string{"text/plain", "text/markdown", "text/latex", "application/json", "text/html"}
	if i := slices.Index(order, mime); i >= 0 {
		return i
	}
	return len(order)
}

// show returns the output in nbformat's shape, with error outputs under the names that the tools' contract has, within
// allowed characters, and whether anything was left out.
func (c content) show(allowed int, pictures *tray) (map[string]any, bool) {
	switch c.kind {
	case "stream":
		t, wasCut := cut(c.texts["text"], allowed)
		name, _ := c.out["name"].(string)
		return map[string]any{"output_type": "stream", "name": name, "text": t}, wasCut
	case "error":
		return c.showError(allowed)
	case "execute_result", "display_data":
		return c.showData(allowed, pictures)
	default:
		t, wasCut := cut(c.texts["text"], allowed)
		return map[string]any{"output_type": c.kind, "text": t}, wasCut
	}
}

func (c content) showError(allowed int) (map[string]any, bool) {
	// Name and value say what happened; the traceback repeats them at its end.
	name, cutName := cut(c.texts["name"], min(allowed, 200))
	allowed -= size(name)
	value, cutValue := cut(c.texts["value"], max(allowed/3, allowed-size(c.texts["traceback"])))
	allowed -= size(value)
	trace, cutTrace := cut(c.texts["traceback"], allowed)
	traceback := []string{}
	if trace != "" {
		traceback = strings.Split(trace, "\n")
	}
	return map[string]any{"output_type": "error", "name": name, "value": value, "traceback": traceback},
		cutName || cutValue || cutTrace
}

func (c content) showData(allowed int, pictures *tray) (map[string]any, bool) {
	data, _ := c.out["data"].(map[string]any)
	shown := map[string]any{}
	wasCut := false
	for i, mime := range c.order {
		t := c.texts[mime]
		switch n := size(t); {
		case n <= allowed:
			shown[mime] = t
			if !isText(data[mime]) && json.Valid([]byte(t)) {
				shown[mime] = json.RawMessage(t)
			}
			allowed -= n
		case i == 0:
			short, _ := cut(t, allowed)
			shown[mime] = short
			allowed -= size(short)
			wasCut = true
		default:
			// Half of an HTML table helps nobody.
			shown[mime] = "<" + mime + ", " + plural(n, "character") + ", left out>"
			wasCut = true
		}
	}
	// An image has no size that the limits speak of, so one that is not shown is not cut.
	for mime, reference := range pictures.put(data) {
		shown[mime] = reference
	}
	out := map[string]any{"output_type": c.kind, "data": shown}
	metadata, short := smallObject(c.out["metadata"])
	out["metadata"] = metadata
	if c.kind == "execute_result" {
		out["execution_count"] = countOf(c.out["execution_count"])
	}
	return out, wasCut || short
}

// maxMetadata bounds the metadata of a cell or an output, in bytes of JSON.
const maxMetadata = 2000

// smallObject returns v where it is an object of modest size, else an empty one, and whether something was left out.
func smallObject(v any) (map[string]any, bool) {
	m, _ := v.(map[string]any)
	if len(m) == 0 {
		return map[string]any{}, false
	}
	if b, err := compact(m); err != nil || len(b) > maxMetadata {
		return map[string]any{}, true
	}
	return m, false
}

// isText tells whether a value of an output's data is text as nbformat writes it: a string or a list of lines.
func isText(v any) bool {
	switch v := v.(type) {
	case string:
		return true
	case []any:
		for _, line := range v {
			if _, ok := line.(string); !ok {
				return false
			}
		}
		return len(v) > 0
	}
	return false
}

// joinText returns text that nbformat may write as a list of lines.
func joinText(v any) string { return join(v, "") }

// joinLines returns a traceback, whose entries are lines without their ends.
func joinLines(v any) string { return join(v, "\n") }

func join(v any, between string) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, line := range v {
			if s, ok := line.(string); ok {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, between)
	case []string:
		return strings.Join(v, between)
	}
	return ""
}

// mimeText is the text of one form of an output: the text itself, or JSON.
func mimeText(v any) string {
	if isText(v) {
		return plain(joinText(v))
	}
	b, err := compact(v)
	if err != nil {
		return "<not valid JSON>" // a shared document can hold numbers that JSON has no form for
	}
	return string(b)
}

// countOf is an execution count, or null where it is none.
func countOf(v any) *int {
	switch v := v.(type) {
	case int:
		return &v
	case float64:
		if n := int(v); float64(n) == v {
			return &n
		}
	}
	return nil
}

// main is the text of an output that is worth reading, and its MIME type where it has one.
func (c content) main() (text, mime string) {
	switch {
	case c.kind == "error":
		return c.texts["traceback"], ""
	case len(c.order) > 0:
		return c.texts[c.order[0]], c.order[0]
	}
	return c.texts["text"], ""
}
