package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/textfmt"
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
	test.False(t, got.Truncated())
	test.SliceLen(t, len(want), got.Cut)
}

func TestShowOutputsSharesTheLimit(t *testing.T) {
	outputs := []ydoc.Output{sample.Stream(strings.Repeat("x", 5000)), sample.Stream("short"), sample.Stream(strings.Repeat("y", 5000))}
	got := ContentsOf(outputs).Show(OutputLimits{Each: 1000, Total: 1000, Count: 100}, testTray(t, 4))
	total := 0
	for _, o := range got.Outputs {
		total += textfmt.Size(o["text"].(string))
	}
	test.LessEq(t, 1000, total)
	test.GreaterEq(t, 900, total)
	test.Eq(t, 10_005, got.Original)
	test.SliceEqOp(t, []bool{true, false, true}, got.Cut)
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
	must.SliceLen(t, 10, got.Outputs)
	must.Eq(t, 490, got.Omitted)
	must.True(t, got.Truncated())
	test.EqOp[any](t, "0", got.Outputs[0]["text"])
	test.EqOp[any](t, "499", got.Outputs[9]["text"])
}

func TestShowDataPrefersPlainText(t *testing.T) {
	table := sample.Display(map[string]any{"text/plain": "1  2", "text/html": strings.Repeat("<td>", 1000)})
	got := ContentsOf([]ydoc.Output{table}).Show(OutputLimits{Each: 100, Total: 100, Count: 10}, testTray(t, 4))
	data := got.Outputs[0]["data"].(map[string]any)
	test.EqOp[any](t, "1  2", data["text/plain"])
	test.EqOp[any](t, "<text/html, 4,000 characters, left out>", data["text/html"])
	test.True(t, got.Cut[0])
}

func TestShowErrorKeepsItsEnd(t *testing.T) {
	e := ydoc.Output{"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": []any{strings.Repeat("frame\n", 1000), "ValueError: bad"}}
	got := ContentsOf([]ydoc.Output{e}).Show(OutputLimits{Each: 300, Total: 300, Count: 10}, testTray(t, 4))
	o := got.Outputs[0]
	trace := o["traceback"].([]string)
	test.EqOp[any](t, "ValueError", o["name"])
	test.EqOp[any](t, "bad", o["value"])
	test.Eq(t, "ValueError: bad", trace[len(trace)-1])
	test.True(t, got.Cut[0])
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
