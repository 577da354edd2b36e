package desk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
	"github.com/nbduet/nbduet/ydoc"
)

var generous = OutputLimits{Each: 10_000, Total: 10_000, Count: 100}

func TestShowOutputsOfEachKind(t *testing.T) {
	outputs := []ydoc.Output{
		sample.Stream("a\x1b[31mb\x1b[0m\n"),
		{"output_type": "stream", "name": "stderr", "text": []any{"x\n", "y"}},
		{"output_type": "execute_result", "data": map[string]any{"text/plain": "42"}, "metadata": map[string]any{}, "execution_count": 3},
		sample.Display(map[string]any{"text/html": []any{"<b>", "1</b>"}, "application/json": map[string]any{"a": []any{1, nil}}}),
		{"output_type": "error", "ename": "E", "evalue": "\x1b[1mv", "traceback": []any{"\x1b[0;31m---\x1b[0m", "line 1\nline 2"}},
		{"output_type": "odd", "x": 1},
	}
	got := ContentsOf(outputs).Show(generous, testTray(t, 4))
	want := []string{
		`{"name":"stdout","output_type":"stream","text":"ab\n"}`,
		`{"name":"stderr","output_type":"stream","text":"x\ny"}`,
		`{"data":{"text/plain":"42"},"execution_count":3,"metadata":{},"output_type":"execute_result"}`,
		`{"data":{"application/json":{"a":[1,null]},"text/html":"<b>1</b>"},"metadata":{},"output_type":"display_data"}`,
		`{"name":"E","output_type":"error","traceback":["---","line 1","line 2"],"value":"v"}`,
		`{"output_type":"odd","text":"{\"output_type\":\"odd\",\"x\":1}"}`,
	}
	for i, w := range want {
		if g := sample.AsJSON(t, got.Outputs[i]); g != w {
			t.Errorf("output %d:\n got %s\nwant %s", i, g, w)
		}
	}
	if got.Truncated() || len(got.Cut) != len(want) {
		t.Errorf("cut = %v", got.Cut)
	}
}

func TestShowOutputsSharesTheLimit(t *testing.T) {
	outputs := []ydoc.Output{sample.Stream(strings.Repeat("x", 5000)), sample.Stream("short"), sample.Stream(strings.Repeat("y", 5000))}
	got := ContentsOf(outputs).Show(OutputLimits{Each: 1000, Total: 1000, Count: 100}, testTray(t, 4))
	total := 0
	for _, o := range got.Outputs {
		total += words.Size(o["text"].(string))
	}
	if total > 1000 || total < 900 || got.Original != 10_005 || !slices.Equal(got.Cut, []bool{true, false, true}) {
		t.Errorf("%d characters of %d, cut %v", total, got.Original, got.Cut)
	}
	if got.Outputs[1]["text"] != "short" {
		t.Errorf("the short output is %q", got.Outputs[1]["text"])
	}
}

func TestShowOutputsLeavesOutTheMiddleOfMany(t *testing.T) {
	var outputs []ydoc.Output
	for i := range 500 {
		outputs = append(outputs, sample.Stream(fmt.Sprint(i)))
	}
	got := ContentsOf(outputs).Show(OutputLimits{Each: 100, Total: 10_000, Count: 10}, testTray(t, 4))
	if len(got.Outputs) != 10 || got.Omitted != 490 || !got.Truncated() {
		t.Fatalf("%d shown, %d omitted", len(got.Outputs), got.Omitted)
	}
	if got.Outputs[0]["text"] != "0" || got.Outputs[9]["text"] != "499" {
		t.Errorf("first %q, last %q", got.Outputs[0]["text"], got.Outputs[9]["text"])
	}
}

func TestShowDataPrefersPlainText(t *testing.T) {
	table := sample.Display(map[string]any{"text/plain": "1  2", "text/html": strings.Repeat("<td>", 1000)})
	got := ContentsOf([]ydoc.Output{table}).Show(OutputLimits{Each: 100, Total: 100, Count: 10}, testTray(t, 4))
	data := got.Outputs[0]["data"].(map[string]any)
	if data["text/plain"] != "1  2" || data["text/html"] != "<text/html, 4,000 characters, left out>" || !got.Cut[0] {
		t.Errorf("data = %v, cut %v", data, got.Cut)
	}
}

func TestShowErrorKeepsItsEnd(t *testing.T) {
	e := ydoc.Output{"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": []any{strings.Repeat("frame\n", 1000), "ValueError: bad"}}
	got := ContentsOf([]ydoc.Output{e}).Show(OutputLimits{Each: 300, Total: 300, Count: 10}, testTray(t, 4))
	o := got.Outputs[0]
	trace := o["traceback"].([]string)
	if o["name"] != "ValueError" || o["value"] != "bad" || trace[len(trace)-1] != "ValueError: bad" || !got.Cut[0] {
		t.Errorf("error = %v", o)
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		total int
		want  []int
	}{
		{nil, 10, []int{}},
		{[]int{5, 5}, 10, []int{5, 5}},
		{[]int{100, 2, 100}, 12, []int{5, 2, 5}},
		{[]int{3, 3, 3}, 0, []int{0, 0, 0}},
	} {
		if got := share(c.sizes, c.total); !slices.Equal(got, c.want) {
			t.Errorf("share(%v, %d) = %v, want %v", c.sizes, c.total, got, c.want)
		}
	}
}
