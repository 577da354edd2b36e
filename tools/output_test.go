package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc"
)

// cellsOf makes code cells with the given sources and the ids c0, c1, ….
func cellsOf(sources ...string) []ydoc.Cell {
	var out []ydoc.Cell
	for i, s := range sources {
		out = append(out, ydoc.Cell{ID: fmt.Sprintf("c%d", i), Type: "code", Source: s, Metadata: map[string]any{}})
	}
	return out
}

func stream(text string) ydoc.Output {
	return ydoc.Output{"output_type": "stream", "name": "stdout", "text": text}
}

func display(data map[string]any) ydoc.Output {
	return ydoc.Output{"output_type": "display_data", "data": data, "metadata": map[string]any{}}
}

var generous = outputLimits{each: 10_000, total: 10_000, count: 100}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := compact(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestShowOutputsOfEachKind(t *testing.T) {
	outputs := []ydoc.Output{
		stream("a\x1b[31mb\x1b[0m\n"),
		{"output_type": "stream", "name": "stderr", "text": []any{"x\n", "y"}},
		{"output_type": "execute_result", "data": map[string]any{"text/plain": "42"}, "metadata": map[string]any{}, "execution_count": 3},
		display(map[string]any{"text/html": []any{"<b>", "1</b>"}, "application/json": map[string]any{"a": []any{1, nil}}}),
		{"output_type": "error", "ename": "E", "evalue": "\x1b[1mv", "traceback": []any{"\x1b[0;31m---\x1b[0m", "line 1\nline 2"}},
		{"output_type": "odd", "x": 1},
	}
	got := contentsOf(outputs).show(generous, testTray(t, 4))
	want := []string{
		`{"name":"stdout","output_type":"stream","text":"ab\n"}`,
		`{"name":"stderr","output_type":"stream","text":"x\ny"}`,
		`{"data":{"text/plain":"42"},"execution_count":3,"metadata":{},"output_type":"execute_result"}`,
		`{"data":{"application/json":{"a":[1,null]},"text/html":"<b>1</b>"},"metadata":{},"output_type":"display_data"}`,
		`{"name":"E","output_type":"error","traceback":["---","line 1","line 2"],"value":"v"}`,
		`{"output_type":"odd","text":"{\"output_type\":\"odd\",\"x\":1}"}`,
	}
	for i, w := range want {
		if g := asJSON(t, got.outputs[i]); g != w {
			t.Errorf("output %d:\n got %s\nwant %s", i, g, w)
		}
	}
	if got.truncated() || len(got.cut) != len(want) {
		t.Errorf("cut = %v", got.cut)
	}
}

func TestShowOutputsSharesTheLimit(t *testing.T) {
	outputs := []ydoc.Output{stream(strings.Repeat("x", 5000)), stream("short"), stream(strings.Repeat("y", 5000))}
	got := contentsOf(outputs).show(outputLimits{each: 1000, total: 1000, count: 100}, testTray(t, 4))
	total := 0
	for _, o := range got.outputs {
		total += size(o["text"].(string))
	}
	if total > 1000 || total < 900 || got.original != 10_005 || !slices.Equal(got.cut, []bool{true, false, true}) {
		t.Errorf("%d characters of %d, cut %v", total, got.original, got.cut)
	}
	if got.outputs[1]["text"] != "short" {
		t.Errorf("the short output is %q", got.outputs[1]["text"])
	}
}

func TestShowOutputsLeavesOutTheMiddleOfMany(t *testing.T) {
	var outputs []ydoc.Output
	for i := range 500 {
		outputs = append(outputs, stream(fmt.Sprint(i)))
	}
	got := contentsOf(outputs).show(outputLimits{each: 100, total: 10_000, count: 10}, testTray(t, 4))
	if len(got.outputs) != 10 || got.omitted != 490 || !got.truncated() {
		t.Fatalf("%d shown, %d omitted", len(got.outputs), got.omitted)
	}
	if got.outputs[0]["text"] != "0" || got.outputs[9]["text"] != "499" {
		t.Errorf("first %q, last %q", got.outputs[0]["text"], got.outputs[9]["text"])
	}
}

func TestShowDataPrefersPlainText(t *testing.T) {
	table := display(map[string]any{"text/plain": "1  2", "text/html": strings.Repeat("<td>", 1000)})
	got := contentsOf([]ydoc.Output{table}).show(outputLimits{each: 100, total: 100, count: 10}, testTray(t, 4))
	data := got.outputs[0]["data"].(map[string]any)
	if data["text/plain"] != "1  2" || data["text/html"] != "<text/html, 4,000 characters, left out>" || !got.cut[0] {
		t.Errorf("data = %v, cut %v", data, got.cut)
	}
}

func TestShowErrorKeepsItsEnd(t *testing.T) {
	e := ydoc.Output{"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": []any{strings.Repeat("frame\n", 1000), "ValueError: bad"}}
	got := contentsOf([]ydoc.Output{e}).show(outputLimits{each: 300, total: 300, count: 10}, testTray(t, 4))
	o := got.outputs[0]
	trace := o["traceback"].([]string)
	if o["name"] != "ValueError" || o["value"] != "bad" || trace[len(trace)-1] != "ValueError: bad" || !got.cut[0] {
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
