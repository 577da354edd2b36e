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

// ContentsFor are the contents of outputs for the answer of a call: all of them, or for an answer in words what a model
// reads of them, see [readable]. figures is what is known of the figures among them.
func ContentsFor(ctx context.Context, outputs []ydoc.Output, figures *figure.Known) Contents {
	if tool.InWords(ctx) {
		outputs = readable(datauri.Expand(outputs), figures)
	}
	return ContentsOf(outputs)
}

// readable keeps of each output what a model reads: of a display one picture, or the one text that says most; of an error
// what went wrong and where. The whole output is in the run, page by page, and in the notebook's file.
func readable(outputs []ydoc.Output, figures *figure.Known) []ydoc.Output {
	out := make([]ydoc.Output, len(outputs))
	drawn := PicturesIn(outputs) > 0
	told := slices.ContainsFunc(outputs, func(o ydoc.Output) bool { // a picture says more of its axes
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
			// Before it is cut to size: what was written over takes no room.
			out[i] = ydoc.Output{"output_type": "stream", "name": o["name"], "text": plaintext.Overwritten(textfmt.Plain(JoinText(o["text"])))}
		case ok && drawn && onlyClasses.MatchString(textfmt.Plain(JoinText(data["text/plain"]))) && len(data) == 1:
			// What the code that drew the picture has returned: the artists, by their addresses in memory.
			out[i] = ydoc.Output{"output_type": o["output_type"], "data": map[string]any{}}
		case ok:
			out[i] = ydoc.Output{"output_type": o["output_type"], "data": oneForm(data, figures)}
		default:
			out[i] = o
		}
	}
	return out
}

// shortError is an error with its traceback cut to what went wrong and where.
func shortError(o ydoc.Output) ydoc.Output {
	name, value := textfmt.Plain(JoinText(o["ename"])), textfmt.Plain(JoinText(o["evalue"]))
	text, short := traceback.Short(name, value, linesOf(o["traceback"]))
	out := ydoc.Output{"output_type": "error", "ename": name, "evalue": value, "traceback": []any{text}}
	if short {
		out[shortMember] = true
	}
	return out
}

// shortMember marks an output of which something was left out.
const shortMember = "nbduet_short"

func linesOf(v any) []string {
	list, _ := v.([]any)
	return lo.FilterMap(list, func(one any, _ int) (string, bool) { s, ok := one.(string); return s, ok })
}

// oneForm keeps of a display one picture with what is said of it, or else the best text.
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
	if chart := figure.Vega(data); chart != "" {
		return map[string]any{"text/plain": chart}
	}
	forms := slices.SortedFunc(maps.Keys(data), func(a, b string) int {
		return cmp.Or(cmp.Compare(rankIn(a, data), rankIn(b, data)), cmp.Compare(a, b))
	})
	for _, mime := range forms {
		if mime != "text/html" && browserOnly(mime, MimeText(data[mime])) || mime == figure.Widget {
			continue // it makes the display, and does not say what that is
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

// aboutPicture is what a display says of its picture, "" if nothing: hosts show a picture a turn late, or not at all.
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

// asItBegan is said of the text of a widget: a bar that has long ended still reads 0%.
const asItBegan = "<widget, as it began>"

// rankIn is the rank of a type, in halves. A text that says only of which class an object is ranks behind the other forms
// that are read as text.
func rankIn(mime string, data map[string]any) int {
	if mime == "text/plain" && onlyClass.MatchString(textfmt.Plain(JoinText(data[mime]))) {
		return 2*Rank("text/html") + 1
	}
	return 2 * Rank(mime)
}

// onlyClasses is the same of one object or a list of them.
var onlyClasses = regexp.MustCompile(`^[\[(]*(<[\w.]+( object)? at 0x[0-9a-fA-F]+>[,\s]*)+[\])]*$`)

// onlyClass is what Python writes of an object that does not say what it is.
var onlyClass = regexp.MustCompile(`^<[\w.]+( object)?( at 0x[0-9a-fA-F]+)?>$`)
