package resource

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/ydoc"
)

// Hosts may render resources directly, so outputs are made harmless first: rendering them runs and loads nothing. Texts lose
// terminal codes, images are replaced by their addresses, HTML is reduced to its text, and data other than text, JSON and
// images is left out.

// safeOutputs cuts outputs to size and makes them harmless. They keep nbformat's form.
func safeOutputs(outputs []ydoc.Output, lim render.OutputLimits, pictures *render.ImageSet) (shown []map[string]any, wasCut bool) {
	outputs = datauri.Expand(outputs)
	cut := render.ContentsOf(lo.Map(outputs, func(o ydoc.Output, _ int) ydoc.Output { return safeOutput(o) })).Show(lim, pictures)
	for _, o := range cut.Outputs {
		if o["output_type"] == "error" {
			o = map[string]any{"output_type": "error", "ename": o["name"], "evalue": o["value"], "traceback": o["traceback"]}
		}
		shown = append(shown, o)
	}
	if shown == nil {
		shown = []map[string]any{}
	}
	return shown, cut.Truncated()
}

func safeOutput(o ydoc.Output) ydoc.Output {
	out := ydoc.Output{}
	maps.Copy(out, o)
	switch o.Type() {
	case "stream":
		out["text"] = printable(render.JoinText(o["text"]))
	case "error":
		out["ename"], out["evalue"] = printable(render.JoinText(o["ename"])), printable(render.JoinText(o["evalue"]))
		out["traceback"] = printable(render.JoinLines(o["traceback"]))
	case "execute_result", "display_data":
		data, _ := o["data"].(map[string]any)
		out["data"], out["metadata"] = safeData(data), map[string]any{}
	default: // a type that nbformat does not have
		return ydoc.Output{"output_type": "stream", "name": "stdout", "text": leftOutData("output of an unknown kind", o)}
	}
	return out
}

// safeData makes the forms of one output harmless.
func safeData(data map[string]any) map[string]any {
	out := map[string]any{}
	for mime, v := range data {
		switch {
		case slices.Contains(images.Types(), mime), mime == render.Plotly:
			out[mime] = v // the image set replaces it
		case mime == "text/plain", mime == "text/latex", mime == "text/csv":
			out[mime] = printable(render.JoinText(v))
		case mime == "text/markdown":
			out[mime] = inertMarkdown(printable(render.JoinText(v)))
		case mime == "text/html":
			if data["text/plain"] == nil {
				out["text/plain"] = htmlText(printable(render.JoinText(v)))
			}
			out[mime] = leftOutData(mime, v)
		case mime == "application/json", strings.HasSuffix(mime, "+json"):
			out[mime] = v
		default:
			out[mime] = leftOutData(mime, v)
		}
	}
	return out
}

func leftOutData(what string, v any) string {
	return "<" + what + ", " + textfmt.Plural(textfmt.Size(render.MimeText(v)), "character") + ", left out: showing it could run code>"
}

// printable removes terminal codes and other control characters from a text.
func printable(s string) string {
	s = textfmt.Lines(s)
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, textfmt.Plain(s))
}

var (
	// markup matches the beginning of a tag, a comment or a declaration, in HTML and in Markdown.
	markup = regexp.MustCompile(`<([A-Za-z/!?])`)
	// activeLink matches an address that runs code.
	activeLink = regexp.MustCompile(`(?i)(java\s*script|vbscript|data\s*:\s*text/html)\s*(:|&colon;|,|;)`)
	// hiddenText matches content that a page does not show.
	hiddenText = regexp.MustCompile(`(?is)<(script|style|template|noscript|iframe|object|svg|math)\b.*?(</\s*(script|style|template|noscript|iframe|object|svg|math)\s*>|$)|<!--.*?(-->|$)`)
	// breaks matches where a page begins a new line; cells matches where a table's next cell begins.
	breaks    = regexp.MustCompile(`(?i)<(/?(p|div|tr|li|ul|ol|table|thead|tbody|h[1-6]|pre|blockquote)|br|hr)\b[^>]*>`)
	cells     = regexp.MustCompile(`(?i)</t[dh]\s*>`)
	tags      = regexp.MustCompile(`<[A-Za-z/!?][^>]*(>|$)`)
	manyLines = regexp.MustCompile(`\s*\n\s*(\n\s*)*`)
)

// inertMarkdown makes a Markdown text harmless: HTML becomes text, and no link runs code.
func inertMarkdown(s string) string {
	return activeLink.ReplaceAllString(markup.ReplaceAllString(s, "&lt;$1"), "unsafe:")
}

// htmlText returns approximately the text that a page shows.
func htmlText(s string) string {
	s = hiddenText.ReplaceAllString(s, "")
	s = cells.ReplaceAllString(breaks.ReplaceAllString(s, "\n"), "\t")
	for before := ""; before != s; { // the remaining text can contain a tag again
		before, s = s, tags.ReplaceAllString(s, "")
	}
	return strings.TrimSpace(manyLines.ReplaceAllString(s, "\n"))
}
