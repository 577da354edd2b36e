package render

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/render/htmltext"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// MaxOutputs is the maximum number of shown outputs of a cell: the first and the last ones.
const MaxOutputs = 200

// OutputLimits bound the shown part of a cell's outputs, in characters.
type OutputLimits struct {
	Each  int // of each output
	Total int // of all outputs of the cell
	Count int // how many outputs
	// Tail keeps only the ends of printed texts, and the last outputs: those of running code.
	Tail bool
}

// LimitsOf returns limits of size characters for each output, and for all outputs of a cell together.
func LimitsOf(size int) OutputLimits { return OutputLimits{Each: size, Total: size, Count: MaxOutputs} }

// Fit calls write with the limits, and halves them until the answer fits.
func (l OutputLimits) Fit(a *tool.Answer, write func(OutputLimits)) error {
	write(l)
	return a.Trim(func() bool {
		if l.None() {
			return false
		}
		l = l.Halved()
		write(l)
		return true
	})
}

// Halved returns half the limits.
func (l OutputLimits) Halved() OutputLimits {
	return OutputLimits{l.Each / 2, l.Total / 2, l.Count / 2, l.Tail}
}

// None reports whether the limits have reached zero.
func (l OutputLimits) None() bool { return l.Total == 0 && l.Count == 0 }

// ShownOutputs are a cell's outputs cut to size.
type ShownOutputs struct {
	Outputs  []map[string]any
	Cut      []bool // for each output shown
	Images   []int  // for each, the index of its image in the image set, -1 for none
	Original int    // length of all text before cutting, in characters
	Omitted  int    // outputs left out completely
	Short    bool   // whether something was left out before, see [ContentsFor]
}

// LeftOut says how many outputs are left out; "" if all are shown.
func (s ShownOutputs) LeftOut() string { return LeftOut(s.Omitted) }

// LeftOut says how many outputs are left out; "" for none.
func LeftOut(outputs int) string {
	if outputs == 0 {
		return ""
	}
	return textfmt.Plural(outputs, "output") + " left out of the middle"
}

// Truncated reports whether anything was cut or left out.
func (s ShownOutputs) Truncated() bool { return s.Omitted > 0 || slices.Contains(s.Cut, true) }

// Contents are a cell's decoded outputs, ready to be shown within any limits.
type Contents struct {
	Each []content
	Size int // characters of all text
}

// ContentsOf decodes a cell's outputs.
func ContentsOf(outputs []ydoc.Output) Contents {
	outputs = datauri.Expand(outputs)
	c := Contents{Each: make([]content, 0, len(outputs))}
	for _, o := range outputs {
		one := contentOf(o)
		c.Size += one.size
		c.Each = append(c.Each, one)
	}
	return c
}

// Show cuts the outputs to size. Small ones are shown whole, so that an error after a long log is visible, and the large
// ones get equal parts of the rest.
func (c Contents) Show(lim OutputLimits, pictures *ImageSet) ShownOutputs {
	s := ShownOutputs{Outputs: []map[string]any{}, Cut: []bool{}, Original: c.Size}
	all := c.Each
	if len(all) > lim.Count {
		head := lo.Ternary(lim.Tail, 0, (lim.Count+1)/2)
		s.Omitted = len(all) - lim.Count
		all = slices.Concat(all[:head], all[len(all)-(lim.Count-head):])
	}
	sizes := lo.Map(all, func(one content, _ int) int { return min(one.size, lim.Each) })
	for i, allowed := range share(sizes, lim.Total) {
		before := len(pictures.Images)
		out, wasCut := all[i].show(allowed, lim.Tail, pictures)
		at := lo.Ternary(len(pictures.Images) > before, before, -1)
		s.Short = s.Short || all[i].out[shortMember] != nil
		s.Outputs, s.Cut, s.Images = append(s.Outputs, out), append(s.Cut, wasCut), append(s.Images, at)
	}
	return s
}

// share divides total among sizes: small ones get their full size, the others equal parts of the rest.
func share(sizes []int, total int) []int {
	out := make([]int, len(sizes))
	order := lo.Range(len(sizes))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	for n, i := range order {
		out[i] = min(sizes[i], total/(len(order)-n))
		total -= out[i]
	}
	return out
}

// content is one decoded output: its fixed members, its texts and their total length.
type content struct {
	Kind  string // output_type
	out   ydoc.Output
	size  int // characters
	texts map[string]string
	// order is the order in which texts are shown: the first is cut if it is too long, the others are left out whole.
	order []string
}

func contentOf(o ydoc.Output) content {
	c := content{out: o, texts: map[string]string{}}
	c.Kind, _ = o["output_type"].(string)
	switch c.Kind {
	case "stream":
		c.texts["text"] = textfmt.Plain(JoinText(o["text"]))
	case "error":
		c.texts["name"] = textfmt.Plain(JoinText(o["ename"]))
		c.texts["value"] = textfmt.Plain(JoinText(o["evalue"]))
		c.texts["traceback"] = textfmt.Plain(JoinLines(o["traceback"]))
	case "execute_result", "display_data":
		data, _ := o["data"].(map[string]any)
		for mime, v := range data {
			if !slices.Contains(PictureTypes, mime) {
				c.texts[mime] = formText(mime, v)
				c.order = append(c.order, mime)
			}
		}
		slices.SortFunc(c.order, Better)
	default:
		c.texts["text"] = MimeText(map[string]any(o))
	}
	for _, t := range c.texts {
		c.size += textfmt.Size(t)
	}
	return c
}

// largestVendor is the maximum length of a shown form of a vendor-specific type, in characters.
const largestVendor = 1000

// formText returns the text of one form of an output, or a note about a form that only a browser shows.
func formText(mime string, v any) string {
	t := MimeText(v)
	if browserOnly(mime, t) {
		return onlyInBrowser(mime, t)
	}
	return t
}

// onlyInBrowser returns the note about a form without readable text.
func onlyInBrowser(mime, text string) string {
	return "<" + mime + " of " + textfmt.Plural(textfmt.Size(text), "character") + ", which only a browser shows>"
}

// browserOnly reports whether a form of an output is a script, or binary, or long and of a vendor-specific type.
func browserOnly(mime, text string) bool {
	kind, sub, _ := strings.Cut(strings.ToLower(mime), "/")
	sub, _, _ = strings.Cut(sub, ";")
	switch {
	case strings.HasSuffix(sub, "javascript"), strings.HasSuffix(sub, "ecmascript"), strings.HasPrefix(sub, "vnd.bokehjs"), strings.HasPrefix(sub, "vnd.holoviews"):
		return true
	case kind == "image", kind == "audio", kind == "video", kind == "font", sub == "pdf", sub == "octet-stream", sub == "wasm", sub == "zip":
		return true
	case sub == "html":
		if !strings.Contains(text, "<script") {
			return false
		}
		read, err := htmltext.Of(text)
		return err == nil && read == ""
	case strings.HasPrefix(sub, "vnd."), strings.HasPrefix(sub, "x."):
		return textfmt.Size(text) > largestVendor
	}
	return false
}

// Rank orders the MIME types of one output by how well a model reads them.
func Rank(mime string) int {
	order := []string{"text/plain", "text/markdown", "text/latex", "application/json", "text/html"}
	if i := slices.Index(order, mime); i >= 0 {
		return i
	}
	return len(order)
}

// Better compares MIME types by [Rank], and those of equal rank by name.
func Better(a, b string) int { return cmp.Or(cmp.Compare(Rank(a), Rank(b)), cmp.Compare(a, b)) }

// Reduced keeps the images of each display; add adds other forms of it to kept.
func Reduced(outputs []ydoc.Output, add func(o ydoc.Output, data, kept map[string]any)) []ydoc.Output {
	out := slices.Clone(datauri.Expand(outputs))
	for i, o := range out {
		data, ok := o["data"].(map[string]any)
		if !ok {
			continue
		}
		kept := map[string]any{}
		for _, mime := range PictureTypes {
			if v, ok := data[mime]; ok {
				kept[mime] = v
			}
		}
		add(o, data, kept)
		out[i] = ydoc.Output{"output_type": o["output_type"], "data": kept}
	}
	return out
}

// show returns the output in nbformat's shape within allowed characters, and whether anything was left out. Error
// outputs have the field names of the tools' contract.
func (c content) show(allowed int, tail bool, pictures *ImageSet) (map[string]any, bool) {
	switch c.Kind {
	case "stream":
		shorten := textfmt.Cut
		if tail {
			shorten = textfmt.CutTail
		}
		t, wasCut := shorten(c.texts["text"], allowed)
		name, _ := c.out["name"].(string)
		return map[string]any{"output_type": "stream", "name": name, "text": t}, wasCut
	case "error":
		return c.showError(allowed)
	case "execute_result", "display_data":
		return c.showData(allowed, pictures)
	default:
		t, wasCut := textfmt.Cut(c.texts["text"], allowed)
		return map[string]any{"output_type": c.Kind, "text": t}, wasCut
	}
}

func (c content) showError(allowed int) (map[string]any, bool) {
	// Name and value come first: they are the error itself, and the traceback repeats them at its end.
	name, cutName := textfmt.Cut(c.texts["name"], min(allowed, 200))
	allowed -= textfmt.Size(name)
	value, cutValue := textfmt.Cut(c.texts["value"], max(allowed/3, allowed-textfmt.Size(c.texts["traceback"])))
	allowed -= textfmt.Size(value)
	trace, cutTrace := textfmt.Cut(c.texts["traceback"], allowed)
	traceback := []string{}
	if trace != "" {
		traceback = strings.Split(trace, "\n")
	}
	return map[string]any{"output_type": "error", "name": name, "value": value, "traceback": traceback},
		cutName || cutValue || cutTrace
}

func (c content) showData(allowed int, pictures *ImageSet) (map[string]any, bool) {
	data, _ := c.out["data"].(map[string]any)
	shown := map[string]any{}
	wasCut := false
	for i, mime := range c.order {
		t := c.texts[mime]
		switch n := textfmt.Size(t); {
		case n <= allowed:
			shown[mime] = t
			if t == MimeText(data[mime]) && !IsText(data[mime]) && shallow(data[mime], maxDepth) && json.Valid([]byte(t)) {
				shown[mime] = json.RawMessage(t)
			}
			allowed -= n
		case i == 0:
			short, _ := textfmt.Cut(t, allowed)
			shown[mime] = short
			allowed -= textfmt.Size(short)
			wasCut = true
		default:
			// Half an HTML table is useless.
			shown[mime] = "<" + mime + ", " + textfmt.Plural(n, "character") + ", left out>"
			wasCut = true
		}
	}
	// The limits do not count images, so an image that is not shown is not a cut.
	for mime, reference := range pictures.put(data) {
		shown[mime] = reference
	}
	out := map[string]any{"output_type": c.Kind, "data": shown}
	metadata, short := SmallObject(c.out["metadata"])
	out["metadata"] = metadata
	if c.Kind == "execute_result" {
		out["execution_count"] = countOf(c.out["execution_count"])
	}
	return out, wasCut || short
}

// maxMetadata bounds the metadata of a cell or an output, in bytes of JSON.
const maxMetadata = 2000

// maxDepth is the maximum nesting depth of an answer's values: hosts stop at some hundred levels and then lose the whole
// answer.
const maxDepth = 64

// shallow reports whether a plain value is nested no deeper than depth.
func shallow(v any, depth int) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if depth == 0 || !shallow(e, depth-1) {
				return false
			}
		}
	case map[string]any:
		for _, e := range v {
			if depth == 0 || !shallow(e, depth-1) {
				return false
			}
		}
	}
	return true
}

// SmallObject returns v if it is a small object, else an empty one, and whether something was left out.
func SmallObject(v any) (map[string]any, bool) {
	m, _ := v.(map[string]any)
	if len(m) == 0 {
		return map[string]any{}, false
	}
	if b, err := tool.Compact(m); err != nil || len(b) > maxMetadata || !shallow(m, maxDepth) {
		return map[string]any{}, true
	}
	return m, false
}

// IsText reports whether a value of an output's data is text as nbformat writes it: a string or a list of lines.
func IsText(v any) bool {
	switch v := v.(type) {
	case string:
		return true
	case []any:
		return len(v) > 0 && len(linesOf(v)) == len(v)
	}
	return false
}

// JoinText joins text that nbformat may write as a list of lines.
func JoinText(v any) string { return join(v, "") }

// JoinLines joins a traceback, whose entries have no line ends.
func JoinLines(v any) string { return join(v, "\n") }

func join(v any, between string) string {
	if lines, ok := v.([]string); ok {
		return strings.Join(lines, between)
	}
	return ydoc.JoinText(v, between)
}

// MimeText returns the text of one MIME type of an output: the text itself, or JSON.
func MimeText(v any) string {
	if IsText(v) {
		return textfmt.Plain(JoinText(v))
	}
	b, err := tool.Compact(v)
	if err != nil {
		return "<not valid JSON>" // a shared document can contain numbers that JSON cannot represent
	}
	return string(b)
}

// countOf returns an execution count, or nil if v is not a count.
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

// Main returns the most readable text of an output, and its MIME type if it has one.
func (c content) Main() (text, mime string) {
	switch {
	case c.Kind == "error":
		return c.texts["traceback"], ""
	case len(c.order) > 0:
		return c.texts[c.order[0]], c.order[0]
	}
	return c.texts["text"], ""
}
