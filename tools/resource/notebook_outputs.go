package resource

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// Outputs are made harmless before they are handed over as resources, which hosts may show as they are: nothing in them
// runs or is loaded when it is shown. Terminal codes are taken out of texts, images stand by their addresses, HTML is
// reduced to its text, and what is neither text, JSON nor an image is left out.

// safeOutputs cuts outputs to size and makes them harmless. They are in nbformat's form.
func safeOutputs(outputs []ydoc.Output, lim desk.OutputLimits, pictures *desk.Tray) (shown []map[string]any, wasCut bool) {
	safe := make([]ydoc.Output, len(outputs))
	for i, o := range outputs {
		safe[i] = safeOutput(o)
	}
	cut := desk.ContentsOf(safe).Show(lim, pictures)
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
		out["text"] = printable(desk.JoinText(o["text"]))
	case "error":
		out["ename"], out["evalue"] = printable(desk.JoinText(o["ename"])), printable(desk.JoinText(o["evalue"]))
		out["traceback"] = printable(desk.JoinLines(o["traceback"]))
	case "execute_result", "display_data":
		data, _ := o["data"].(map[string]any)
		out["data"], out["metadata"] = safeData(data), map[string]any{}
	default: // of no kind that nbformat has
		return ydoc.Output{"output_type": "stream", "name": "stdout", "text": leftOutData("output of an unknown kind", o)}
	}
	return out
}

// safeData makes the forms of one output harmless.
func safeData(data map[string]any) map[string]any {
	out := map[string]any{}
	for mime, v := range data {
		switch {
		case slices.Contains(images.Types(), mime), mime == desk.Plotly:
			out[mime] = v // which the tray replaces
		case mime == "text/plain", mime == "text/latex", mime == "text/csv":
			out[mime] = printable(desk.JoinText(v))
		case mime == "text/markdown":
			out[mime] = inertMarkdown(printable(desk.JoinText(v)))
		case mime == "text/html":
			if data["text/plain"] == nil {
				out["text/plain"] = htmlText(printable(desk.JoinText(v)))
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
	return "<" + what + ", " + tool.Plural(tool.Size(desk.MimeText(v)), "character") + ", left out: it can hold what runs when it is shown>"
}

// printable takes terminal codes and what other control characters there are out of a text.
func printable(s string) string {
	s = tool.Lines(s)
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, tool.Plain(s))
}

var (
	// markup begins a tag, a comment or a declaration, in HTML as in Markdown.
	markup = regexp.MustCompile(`<([A-Za-z/!?])`)
	// activeLink is an address that runs something.
	activeLink = regexp.MustCompile(`(?i)(java\s*script|vbscript|data\s*:\s*text/html)\s*(:|&colon;|,|;)`)
	// hiddenText is what a page does not show of itself.
	hiddenText = regexp.MustCompile(`(?is)<(script|style|template|noscript|iframe|object|svg|math)\b.*?(</\s*(script|style|template|noscript|iframe|object|svg|math)\s*>|$)|<!--.*?(-->|$)`)
	// breaks are where a page begins a new line, or the next cell of a table.
	breaks    = regexp.MustCompile(`(?i)<(/?(p|div|tr|li|ul|ol|table|thead|tbody|h[1-6]|pre|blockquote)|br|hr)\b[^>]*>`)
	cells     = regexp.MustCompile(`(?i)</t[dh]\s*>`)
	tags      = regexp.MustCompile(`<[A-Za-z/!?][^>]*(>|$)`)
	manyLines = regexp.MustCompile(`\s*\n\s*(\n\s*)*`)
)

// inertMarkdown is a Markdown text in which HTML is text, and no link runs anything.
func inertMarkdown(s string) string {
	return activeLink.ReplaceAllString(markup.ReplaceAllString(s, "&lt;$1"), "unsafe:")
}

// htmlText is about the text that a page shows.
func htmlText(s string) string {
	s = hiddenText.ReplaceAllString(s, "")
	s = cells.ReplaceAllString(breaks.ReplaceAllString(s, "\n"), "\t")
	for before := ""; before != s; { // what is left can be a tag again
		before, s = s, tags.ReplaceAllString(s, "")
	}
	return strings.TrimSpace(manyLines.ReplaceAllString(s, "\n"))
}
