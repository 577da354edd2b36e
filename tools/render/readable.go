package render

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/render/htmltext"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/render/traceback"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
)

// ContentsFor returns the contents of outputs for the answer of a call: all of them, or for an answer in words the parts
// that a model reads, see [readable]. figures has the known facts about their figures.
func ContentsFor(ctx context.Context, outputs []ydoc.Output, figures *figure.Known) Contents {
	if tool.InWords(ctx) {
		outputs = readable(datauri.Expand(outputs), figures)
	}
	return ContentsOf(outputs)
}

// readable reduces each output to the parts that a model reads: a display to one image or its most informative text, an
// error to its message and location. The whole output is in the run, page by page, and in the notebook's file.
func readable(outputs []ydoc.Output, figures *figure.Known) []ydoc.Output {
	out := make([]ydoc.Output, len(outputs))
	drawn := PicturesIn(outputs) > 0
	told := slices.ContainsFunc(outputs, func(o ydoc.Output) bool { // an image says more about its axes
		data, _ := o["data"].(map[string]any)
		return figures.About(data) != ""
	})
	for i, o := range outputs {
		switch data, ok := o["data"].(map[string]any); {
		case o.Type() == "error":
			out[i] = shortError(o)
		case ok && drawn && len(data) == 1 && figure.Axes(textfmt.Plain(JoinText(data["text/plain"]))) != "":
			if told {
				out[i] = ydoc.Output{"output_type": o["output_type"], "data": map[string]any{}}
				continue
			}
			out[i] = ydoc.Output{"output_type": o["output_type"], "data": map[string]any{"text/plain": figure.Axes(textfmt.Plain(JoinText(data["text/plain"])))}}
		case o.Type() == "stream":
			// Before cutting to size, so that overwritten text takes no room.
			out[i] = ydoc.Output{"output_type": "stream", "name": o["name"], "text": plaintext.Overwritten(textfmt.Plain(JoinText(o["text"])))}
		case ok && drawn && onlyClasses.MatchString(textfmt.Plain(JoinText(data["text/plain"]))) && len(data) == 1:
			// The return value of the code that drew the image: the artists, by their addresses in memory.
			out[i] = ydoc.Output{"output_type": o["output_type"], "data": map[string]any{}}
		case ok:
			out[i] = ydoc.Output{"output_type": o["output_type"], "data": oneForm(data, figures)}
		default:
			out[i] = o
		}
	}
	return out
}

// shortError returns an error with its traceback cut to the message and the location.
func shortError(o ydoc.Output) ydoc.Output {
	name, value := textfmt.Plain(JoinText(o["ename"])), textfmt.Plain(JoinText(o["evalue"]))
	text, short := traceback.Short(name, value, linesOf(o["traceback"]))
	out := ydoc.Output{"output_type": "error", "ename": name, "evalue": value, "traceback": []any{text}}
	if short {
		out[shortMember] = true
	}
	return out
}

// shortMember marks an output from which something was left out.
const shortMember = "nbduet_short"

func linesOf(v any) []string {
	list, _ := v.([]any)
	return lo.FilterMap(list, func(one any, _ int) (string, bool) { s, ok := one.(string); return s, ok })
}

// oneForm reduces a display to one image with its description, or else to the best text.
func oneForm(data map[string]any, figures *figure.Known) map[string]any {
	kept := map[string]any{}
	for _, mime := range images.Types() {
		if v, ok := data[mime]; ok {
			kept[mime] = v
			break
		}
	}
	if v, ok := data[Plotly]; ok {
		kept[Plotly] = v
	}
	if len(kept) > 0 {
		if about := aboutPicture(data, figures); about != "" {
			kept["text/plain"] = about
		}
		return kept
	}
	if chart := cmp.Or(figure.Vega(data), figure.GeoJSON(data)); chart != "" {
		return map[string]any{"text/plain": chart}
	}
	forms := slices.SortedFunc(maps.Keys(data), func(a, b string) int {
		return cmp.Or(cmp.Compare(rankIn(a, data), rankIn(b, data)), cmp.Compare(a, b))
	})
	for _, mime := range forms {
		if mime != "text/html" && browserOnly(mime, MimeText(data[mime])) || mime == figure.Widget {
			continue // its data creates the display without describing it
		}
		if mime == "text/plain" && data[figure.Widget] != nil {
			if now := figures.Widget(data); now != "" {
				return map[string]any{mime: now}
			}
			return map[string]any{mime: strings.TrimRight(textfmt.Plain(JoinText(data[mime])), "\n") + "\n" + asItBegan}
		}
		if mime != "text/html" {
			return map[string]any{mime: data[mime]}
		}
		if text, err := htmltext.Of(JoinText(data[mime])); err == nil && text != "" {
			return map[string]any{mime: text}
		}
	}
	if len(forms) > 0 { // it is drawn by scripts
		return map[string]any{"text/plain": onlyInBrowser(forms[0], MimeText(data[forms[0]]))}
	}
	return kept
}

// aboutPicture returns a display's description of its image, "" for none: hosts show an image a turn late, or never.
func aboutPicture(data map[string]any, figures *figure.Known) string {
	if v, ok := data[Plotly]; ok {
		return figure.Plotly(v)
	}
	if line := figures.About(data); line != "" {
		return line
	}
	plain := textfmt.Plain(JoinText(data["text/plain"]))
	if datauri.IsName(plain) {
		return plain
	}
	return figure.Axes(plain)
}

// asItBegan follows the text of a widget: a progress bar that ended long ago still reads 0%.
const asItBegan = "<widget, initial state>"

// rankIn returns twice the rank of a type. A text that only names an object's class ranks after the other forms that are
// read as text.
func rankIn(mime string, data map[string]any) int {
	if mime == "text/plain" && onlyClass.MatchString(textfmt.Plain(JoinText(data[mime]))) {
		return 2*Rank("text/html") + 1
	}
	return 2 * Rank(mime)
}

// onlyClasses matches such a text for one object or a list of them.
var onlyClasses = regexp.MustCompile(`^[\[(]*(<[\w.]+( object)? at 0x[0-9a-fA-F]+>[,\s]*)+[\])]*$`)

// onlyClass matches Python's default text for an object, which only names its class.
var onlyClass = regexp.MustCompile(`^<[\w.]+( object)?( at 0x[0-9a-fA-F]+)?>$`)
