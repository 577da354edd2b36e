package datauri_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/ydoc"
)

// uri returns a data: URI of 300 bytes of one letter.
func uri(mime, letter string) string {
	return "data:" + mime + ";base64," + strings.Repeat(letter, 400)
}

func TestAbbreviate(t *testing.T) {
	lines := strings.Repeat(strings.Repeat("A", 76)+"\n", 2)
	svg := `<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>`
	for _, c := range []struct{ name, text, want string }{
		{"Markdown", "a ![x](" + uri("image/png", "A") + ") b", "a ![x](data:image/png, 300 B) b"},
		{"HTML", `<img src="` + uri("image/jpeg", "A") + `"> b`, `<img src="data:image/jpeg, 300 B"> b`},
		{"CSS", "url(" + uri("image/gif", "A") + ")", "url(data:image/gif, 300 B)"},
		{"parameters", "data:image/png;charset=utf-8;base64," + strings.Repeat("A", 40), "data:image/png, 30 B"},
		{"lines", `src="data:image/png;base64,` + lines + `AAAA" b`, `src="data:image/png, 117 B" b`},
		{"a word below", uri("image/png", "A") + "\nHello", "data:image/png, 300 B\nHello"},
		{"SVG as text", `src='data:image/svg+xml;utf8,` + svg + `' b`, `src='data:image/svg+xml, 53 B' b`},
		{"SVG with escapes", `(data:image/svg+xml,%3Csvg%20width=%2210%22%20height=%2210%22%3E%3C/svg%3E) b`, `(data:image/svg+xml, 34 B) b`},
		{"audio", `<audio src="` + uri("audio/wav", "A") + `">`, `<audio src="data:audio/wav, 300 B">`},
		{"the same twice", uri("image/png", "A") + " " + uri("image/png", "A"), "data:image/png, 300 B data:image/png, 300 B"},
		{"of one size", uri("image/png", "A") + " " + uri("image/png", "B"), "data:image/png, 300 B data:image/png, 300 B #2"},
		{"words like it", "data:image/png, 300 B " + uri("image/png", "A"), "data:image/png, 300 B data:image/png, 300 B #2"},
		{"a prefix", `"data:image/png;base64," + x`, `"data:image/png;base64," + x`},
		{"words", "data: 3, metadata:x", "data: 3, metadata:x"},
	} {
		short, _ := datauri.Abbreviate(c.text)
		test.Eq(t, c.want, short, test.Sprint(c.name))
		back, err := datauri.Restore(short, c.text)
		must.NoError(t, err, must.Sprint(c.name))
		test.Eq(t, c.text, back, test.Sprint(c.name))
	}
}

func TestRestoreRefuses(t *testing.T) {
	source := "![x](" + uri("image/png", "A") + ")"
	for _, text := range []string{"![x](data:image/png, 301 B)", "![x](data:image/png,300 B)", "![x](data:image/jpeg, 300 B)", "![x](data:image/png, 300 B #2)"} {
		_, err := datauri.Restore(text, source)
		test.ErrorContains(t, err, `write "data:image/png, 300 B" unchanged`, test.Sprint(text))
	}
	_, err := datauri.Restore("![x](data:image/png, 300 B)")
	test.ErrorContains(t, err, "or write the whole data: URI")
}

// The picture of each text type becomes an output, and no text keeps its data.
func TestExpand(t *testing.T) {
	png := uri("image/png", "A")
	display := func(mime string, v any) ydoc.Output {
		return ydoc.Output{"output_type": "display_data", "data": map[string]any{mime: v}}
	}
	for _, c := range []struct {
		name string
		out  ydoc.Output
	}{
		{"text/markdown", display("text/markdown", "a ![x]("+png+")")},
		{"text/html", display("text/html", `<img src="`+png+`">`)},
		{"text/latex", display("text/latex", `\includegraphics{`+png+`}`)},
		{"text/plain", display("text/plain", png)},
		{"text/csv", display("text/csv", "a,\""+png+"\"")},
		{"lines", display("text/html", []any{"<p>\n", `<img src="` + png + `">`})},
		{"application/json", display("application/json", map[string]any{"a": []any{png}})},
		{"application/vnd.x+json", display("application/vnd.x+json", map[string]any{"a": png})},
		{"stream", ydoc.Output{"output_type": "stream", "name": "stdout", "text": "see " + png + "\n"}},
		{"error", ydoc.Output{"output_type": "error", "ename": "E", "evalue": png, "traceback": []any{"E", png}}},
	} {
		out := datauri.Expand([]ydoc.Output{c.out})
		must.Len(t, 2, out, must.Sprint(c.name))
		data, _ := out[1]["data"].(map[string]any)
		test.Eq(t, any(strings.Repeat("A", 400)), data["image/png"], test.Sprint(c.name))
		again := datauri.Expand(out)
		test.Eq(t, out, again, test.Sprint(c.name))
	}
	own := ydoc.Output{"output_type": "display_data", "data": map[string]any{"image/png": strings.Repeat("A", 400), "text/html": `<img src="` + png + `">`}}
	test.Len(t, 1, datauri.Expand([]ydoc.Output{own}), test.Sprint("the same picture"))
}
