package plaintext_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// dict is a JSON object.
type dict = map[string]any

// stream returns an output of text.
func stream(name, text string) dict { return dict{"output_type": "stream", "name": name, "text": text} }

// display returns an output of data.
func display(mime string, data any) dict {
	return dict{"output_type": "display_data", "data": dict{mime: data}}
}

// Outputs become blocks in their order, each display begins a line, and consecutive texts are one block.
func TestOutputs(t *testing.T) {
	picture := dict{"output_type": "display_data", "data": dict{"image/png": "<image 1, 1×1: jupyter://images/0b66>", "text/plain": "an axis"}}
	for name, one := range map[string]struct {
		outputs []map[string]any
		want    []plaintext.Block
	}{
		"pieces of a stream":   {[]dict{stream("stdout", "a"), stream("stdout", "b\n"), stream("stdout", "c")}, []plaintext.Block{{Head: " out", Body: "ab\nc"}}},
		"displays":             {[]dict{display("text/plain", "1"), display("text/plain", "2")}, []plaintext.Block{{Head: " out", Body: "1\n2"}}},
		"a display after text": {[]dict{stream("stdout", "a"), display("text/plain", "2")}, []plaintext.Block{{Head: " out", Body: "a\n2"}}},
		"stderr":               {[]dict{stream("stderr", "a"), stream("stdout", "b")}, []plaintext.Block{{Head: " stderr", Body: "a"}, {Head: " out", Body: "b"}}},
		"a picture between": {
			[]dict{stream("stdout", "a"), picture, stream("stdout", "b")},
			[]plaintext.Block{{Head: " out", Body: "a"}, {Head: " image 1, 1×1: jupyter://images/0b66", Body: "an axis"}, {Head: " out", Body: "b"}},
		},
		"JSON":              {[]dict{display("application/json", json.RawMessage(`{"a":[1,2]}`))}, []plaintext.Block{{Head: " out", Body: `{"a":[1,2]}`}}},
		"JSON of a vendor":  {[]dict{display("application/vnd.x+json", json.RawMessage(`{"a":1}`))}, []plaintext.Block{{Head: " out", Body: `{"a":1}`}}},
		"hidden characters": {[]dict{stream("stdout", "a\u202eb\u200bc\x00d\U000e0041e")}, []plaintext.Block{{Head: " out", Body: "abcde"}}},
		"nothing":           {[]dict{stream("stdout", ""), stream("stdout", "\n")}, nil},
		"an error":          {[]dict{{"output_type": "error", "name": "E", "value": "v", "traceback": []string{"x", "E: v"}}}, []plaintext.Block{{Head: " out", Body: "x\nE: v"}}},
		"an error alone":    {[]dict{{"output_type": "error", "name": "E", "value": "v"}}, []plaintext.Block{{Head: " out", Body: "E: v"}}},
	} {
		if got := plaintext.Outputs(one.outputs); !slices.Equal(got, one.want) {
			t.Errorf("%s: %q, want %q", name, got, one.want)
		}
	}
}

// Overwritten lines are shown as in a terminal.
func TestOverwritten(t *testing.T) {
	for text, want := range map[string]string{
		"10%\r20%\r30%": "30%", "long line\rno": "nong line", "a\r\nb": "a\nb", "x\ry\nz\rw": "y\nw", "done\r": "done",
		"\r 1%\r 2%": " 2%",
	} {
		got := plaintext.Outputs([]dict{stream("stdout", text)})
		must.SliceLen(t, 1, got, must.Sprint(text))
		test.Eq(t, want, got[0].Body, test.Sprint(text))
	}
}

// A source with invisible characters is shown unchanged, and its head line mentions them.
func TestHiddenCharacters(t *testing.T) {
	for _, source := range []string{"a\u202eb", "a\u200bb", "\ufeffx", "a\x00", "a\U000e0041b", "a\u2063b", "a\rb"} {
		if got := plaintext.Source(plaintext.Cell{ID: "a0b1"}, source); got != (plaintext.Block{Head: "0 a0b1 with hidden characters", Body: source}) {
			t.Errorf("%q: %q", source, got)
		}
	}
	for _, source := range []string{"a\tb\n", "שלום\u200f!", "👩\u200d🔬 ❤\ufe0f", "é", "co\u00adop"} {
		if plaintext.Hides(source) {
			t.Errorf("%q hides nothing", source)
		}
	}
}

// nbduet's own lines stay one line, and the fields of a table one field, for any content.
func TestOwnLinesStayOne(t *testing.T) {
	hostile := "a\nb\rc\u2028d\u0085e\u202ef\tg\x00"
	written := plaintext.Text{First: hostile, Blocks: []plaintext.Block{{Head: " " + hostile}}, Notes: []string{hostile}}.String()
	n := strings.Count(written, "\n")
	test.Eq(t, 2, n)
	test.False(t, strings.ContainsAny(written, "\r\u2028\u0085\u202e\x00"))
	got := plaintext.Table([]string{hostile, "y"}, [][]string{{hostile, "1"}})
	test.Eq(t, 1, strings.Count(got, "\n"))
	test.Eq(t, 2, strings.Count(got, "\t"))
}
