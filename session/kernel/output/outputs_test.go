package output

import (
	"reflect"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

// written applies an outputs's changes to a list, as a cell would.
type written struct{ all []ydoc.Output }

func (w *written) take(o *outputs) {
	added, all, rewrite := o.take()
	if rewrite {
		w.all = append([]ydoc.Output(nil), all...)
		return
	}
	for _, c := range added {
		if c.out != nil {
			w.all = append(w.all, c.out)
			continue
		}
		n := len(w.all)
		if n > 0 && w.all[n-1]["output_type"] == "stream" && w.all[n-1]["name"] == c.stream {
			old := w.all[n-1]["text"].(string)
			w.all[n-1] = ydoc.Output{"output_type": "stream", "name": c.stream, "text": old + c.text}
		} else {
			w.all = append(w.all, ydoc.Output{"output_type": "stream", "name": c.stream, "text": c.text})
		}
	}
}

func stdout(s string) kernel.Event { return kernel.Stream{Name: "stdout", Text: s} }
func stderr(s string) kernel.Event { return kernel.Stream{Name: "stderr", Text: s} }
func display(text, id string, update bool) kernel.Event {
	return kernel.Display{Data: map[string]any{"text/plain": text}, DisplayID: id, Update: update}
}

// The writes add up to the whole output, regardless of their times.
func TestOutputsWriteWhatTheyHold(t *testing.T) {
	programs := map[string][]kernel.Event{
		"streams":        {stdout("a"), stdout("b\n"), stderr("e"), stdout("c")},
		"progress":       {stdout("x\n"), stdout("1%\r"), stdout("2%\r"), stdout("3%\n"), stdout("done")},
		"display update": {display("one", "d", false), stdout("s"), display("two", "d", true), display("other", "", false)},
		"unknown update": {display("two", "nowhere", true), stdout("s")},
		"clear":          {stdout("gone"), kernel.ClearOutput{}, stdout("here")},
		"clear and wait": {stdout("gone"), kernel.ClearOutput{Wait: true}, stdout("here")},
		"clear, nothing": {stdout("stays"), kernel.ClearOutput{Wait: true}},
		"result":         {stdout("s"), kernel.Result{Count: 3, Data: map[string]any{"text/plain": "4"}}},
		"gap":            {stdout("a"), kernel.Gap{}, stdout("b")},
		"error":          {kernel.Error{Name: "E", Value: "v", Traceback: []string{"a", "b"}}},
	}
	for name, events := range programs {
		for mask := range 1 << len(events) {
			var o outputs
			var w written
			for i, ev := range events {
				o.add(ev)
				if mask>>i&1 == 1 {
					w.take(&o)
				}
			}
			w.take(&o)
			if !reflect.DeepEqual(w.all, o.list()) {
				t.Fatalf("%s, writes at %b: cell has %v, run has %v", name, mask, w.all, o.list())
			}
		}
	}
}

func TestOutputsAreNbformat(t *testing.T) {
	var o outputs
	o.add(kernel.Input{Count: 7})
	o.add(stdout("hi"))
	o.add(kernel.Display{Data: map[string]any{"text/plain": "d"}})
	o.add(kernel.Result{Count: 7, Data: map[string]any{"text/plain": "r"}, Metadata: map[string]any{"m": true}})
	o.add(kernel.Error{Name: "ValueError", Value: "bad", Traceback: []string{"line"}})
	want := []ydoc.Output{
		{"output_type": "stream", "name": "stdout", "text": "hi"},
		{"output_type": "display_data", "data": map[string]any{"text/plain": "d"}, "metadata": map[string]any{}},
		{"output_type": "execute_result", "execution_count": 7, "data": map[string]any{"text/plain": "r"}, "metadata": map[string]any{"m": true}},
		{"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": []any{"line"}},
	}
	if !reflect.DeepEqual(o.list(), want) {
		t.Errorf("outputs are %v, want %v", o.list(), want)
	}
	must.NotNil(t, o.count)
	test.Eq(t, 7, *o.count)
}

func TestOutputsAreBounded(t *testing.T) {
	var o outputs
	piece := strings.Repeat("x", 1<<20)
	for range 40 {
		o.add(stdout(piece))
	}
	if n := len(o.list()[0]["text"].(string)); n > outputBytesMax {
		t.Errorf("the run holds %d bytes, more than %d", n, outputBytesMax)
	}
	if want := 40<<20 - outputBytesMax + itemBytes; o.omitted != want {
		t.Errorf("%d bytes counted as left out, want %d", o.omitted, want)
	}
	// The end is remembered, an error still comes, and both the cell and the run report the missing part in its place.
	o.add(stdout("the very end é"))
	o.add(display("left out", "", false))
	o.add(kernel.Error{Name: "E"})
	o.sayOmitted()
	cell, run := o.list(), o.remembered()
	must.SliceLen(t, 3, cell)
	must.EqOp[any](t, "E", cell[2]["ename"])
	must.StrContains(t, cell[1]["text"].(string), "bytes of output were left out")
	must.SliceLen(t, 4, run)
	test.StrHasSuffix(t, "xxthe very end é", run[2]["text"].(string))
	test.EqOp[any](t, "E", run[3]["ename"])
	if n := len(run[2]["text"].(string)); n > restBytesMax {
		t.Errorf("%d bytes of the end are remembered", n)
	}
	// Output that the program clears is not missing.
	o.add(kernel.ClearOutput{})
	o.add(stdout("new"))
	got := o.remembered()
	must.SliceLen(t, 1, got, must.Sprint("after a clear"))
	test.EqOp[any](t, "new", got[0]["text"], test.Sprint("after a clear"))
	test.Eq(t, 0, o.omitted, test.Sprint("after a clear"))
}

// A progress bar that runs for days takes only the space of its line.
func TestRewrittenLinesTakeNoRoom(t *testing.T) {
	var o outputs
	o.add(stdout(strings.Repeat("x", outputBytesMax-64<<10) + "\n"))
	line := "\r" + strings.Repeat("#", 1<<10)
	for range 100 {
		o.add(stdout(line))
		o.take()
	}
	o.add(stdout("\nend"))
	got := o.list()
	test.Eq(t, 0, o.omitted)
	must.SliceLen(t, 1, got)
	test.StrHasSuffix(t, "#\nend", got[0]["text"].(string))
}

// Many small outputs count as much as a few large ones.
func TestSmallOutputsAreBounded(t *testing.T) {
	var o outputs
	for range 100_000 {
		o.add(stdout("a"))
		o.add(stderr("b"))
	}
	n := len(o.list())
	test.LessEq(t, outputBytesMax/itemBytes, n)
	test.NotEq(t, 0, o.omitted)
}

// nbduet's note is a separate line, without empty lines.
func TestNotesAreLines(t *testing.T) {
	for before, want := range map[string]string{
		"":           "[note]\n",
		"whole\n":    "whole\n[note]\n",
		"begun":      "begun\n[note]\n",
		"bar\r 100%": " 100%\n[note]\n",
	} {
		var o outputs
		o.add(stdout("out"))
		if before != "" {
			o.add(stderr(before))
		}
		o.note("\n[note]\n")
		got := o.list()
		must.SliceLen(t, 2, got, must.Sprint(before))
		test.EqOp[any](t, want, got[1]["text"], test.Sprint(before))
	}
}

// The server's notice is not output of the program, and one note covers all notices.
func TestRateNoticesAreOneNote(t *testing.T) {
	var o outputs
	o.add(stdout("before\n"))
	for range 100 {
		o.add(kernel.RateLimited{Text: "IOPub data rate exceeded.\nThe Jupyter server will ..."})
	}
	o.add(stdout("after\n"))
	got := o.list()
	must.SliceLen(t, 3, got)
	test.EqOp[any](t, strings.TrimPrefix(rateNote, "\n"), got[1]["text"])
	test.True(t, o.dropped)
}

// If a connection is lost again and again without messages in between, one note reports it.
func TestGapsWithNothingBetweenAreOneNote(t *testing.T) {
	var o outputs
	for _, ev := range []kernel.Event{kernel.Gap{}, kernel.Gap{}, kernel.Gap{}, stdout("more\n"), kernel.Gap{}, kernel.Gap{}} {
		o.add(ev)
	}
	got := o.list()
	must.SliceLen(t, 3, got)
	test.Eq(t, 1, strings.Count(got[0]["text"].(string), "lost for a moment"))
	test.Eq(t, 1, strings.Count(got[2]["text"].(string), "lost for a moment"))
}
