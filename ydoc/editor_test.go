package ydoc

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

func TestInsertMakesCompleteCells(t *testing.T) {
	a, b := pair(t)
	insert(t, a, 0,
		NewCell{ID: "c1", Type: Code, Source: "x = 1\r\ny = \"😀\"\r", Metadata: map[string]any{"f": 1.5, "n": nil, "i": int64(7), "l": []string{"a"}}},
		NewCell{ID: "m1", Type: Markdown, Source: "# é", Attachments: map[string]any{"a.png": map[string]any{"image/png": "AA=="}}},
	)
	insert(t, a, 1, NewCell{Type: Raw})
	sameCells(t, a, b)
	cells := b.Cells()
	if len(cells) != 3 {
		t.Fatalf("%d cells", len(cells))
	}
	c := cells[0]
	test.Eq(t, "x = 1\ny = \"😀\"\n", c.Source)
	test.Eq(t, Code, c.Type)
	test.Eq(t, Idle, c.ExecutionState)
	must.Nil(t, c.ExecutionCount)
	must.NotNil(t, c.Outputs)
	test.SliceEmpty(t, c.Outputs)
	want := map[string]any{"f": 1.5, "n": nil, "i": 7, "l": []any{"a"}}
	if !crdt.EqualObjects(c.Metadata, want) {
		t.Errorf("metadata %#v", c.Metadata)
	}
	r := cells[1]
	test.Eq(t, Raw, r.Type)
	must.Eq(t, 8, len(r.ID))
	test.Eq(t, "", r.Source)
	m := cells[2]
	must.NotNil(t, m.Attachments["a.png"])
	must.Nil(t, m.Outputs)
	test.Eq(t, "", m.ExecutionState)
	for _, c := range cells {
		if c.Fault != "" {
			t.Errorf("cell %s: %s", c.ID, c.Fault)
		}
	}
	if keys := a.order[0].typ.Keys(); !slices.Equal(keys, []string{"cell_type", "execution_count", "execution_state", "id", "metadata", "outputs", "source"}) {
		t.Errorf("keys of a code cell: %v", keys)
	}
	if keys := a.order[2].typ.Keys(); !slices.Equal(keys, []string{"attachments", "cell_type", "id", "metadata", "source"}) {
		t.Errorf("keys of a markdown cell: %v", keys)
	}
}

func TestNothingIsWrittenWhenAnythingFails(t *testing.T) {
	n := NewNotebook()
	insert(t, n, 0, NewCell{ID: "c1", Type: Code, Source: "1"}, NewCell{ID: "m1", Type: Markdown})
	before, sv := n.Revision(), stateVector(t, n.Doc)
	n.OnUpdate(func([]byte) { t.Error("an update was sent") })
	boom := errors.New("boom")
	bad := map[string]struct {
		want error
		fn   func(e *Editor) error
	}{
		"fn fails":        {boom, func(e *Editor) error { _ = e.SetSource("c1", "2"); return boom }},
		"error swallowed": {ErrNotFound, func(e *Editor) error { _ = e.SetSource("c1", "2"); _ = e.SetSource("zz", "2"); return nil }},
		"index":           {ErrInvalid, func(e *Editor) error { _, err := e.Insert(3, NewCell{Type: Code}); return err }},
		"negative index":  {ErrInvalid, func(e *Editor) error { _, err := e.Insert(-1, NewCell{Type: Code}); return err }},
		"type":            {ErrInvalid, func(e *Editor) error { _, err := e.Insert(0, NewCell{Type: "cod"}); return err }},
		"id taken":        {ErrInvalid, func(e *Editor) error { _, err := e.Insert(0, NewCell{ID: "c1", Type: Code}); return err }},
		"id taken twice": {ErrInvalid, func(e *Editor) error {
			_, err := e.Insert(0, NewCell{ID: "a", Type: Code}, NewCell{ID: "a", Type: Code})
			return err
		}},
		"id not allowed": {ErrInvalid, func(e *Editor) error { _, err := e.Insert(0, NewCell{ID: "a b", Type: Code}); return err }},
		"id too long": {ErrInvalid, func(e *Editor) error {
			_, err := e.Insert(0, NewCell{ID: strings.Repeat("a", 65), Type: Code})
			return err
		}},
		"UTF-8":            {ErrInvalid, func(e *Editor) error { return e.SetSource("c1", "a\xff") }},
		"attachments":      {ErrInvalid, func(e *Editor) error { return e.SetAttachments("c1", nil) }},
		"outputs":          {ErrInvalid, func(e *Editor) error { return e.AppendStream("m1", "stdout", "x") }},
		"output type":      {ErrInvalid, func(e *Editor) error { return e.AppendOutput("c1", Output{"output_type": "x"}) }},
		"value":            {ErrInvalid, func(e *Editor) error { return e.SetCellMetadata("c1", "k", func() {}) }},
		"key":              {ErrInvalid, func(e *Editor) error { return e.SetCellMetadata("c1", "\xff", 1) }},
		"move":             {ErrInvalid, func(e *Editor) error { return e.Move("c1", 2) }},
		"delete twice":     {ErrNotFound, func(e *Editor) error { return e.Delete("c1", "c1") }},
		"edit a deleted":   {ErrNotFound, func(e *Editor) error { _ = e.Delete("c1"); return e.SetSource("c1", "x") }},
		"unknown revision": {ErrRevisionGone, func(e *Editor) error { return e.rewrite("c1", 1, "x") }},
		"later revision":   {ErrRevisionGone, func(e *Editor) error { return e.rewrite("c1", before+1e9, "x") }},
	}
	for name, c := range bad {
		if err := n.Edit(name, c.fn); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	test.Eq(t, before, n.Revision(), test.Sprint("something was written"))
	test.SliceEqOp(t, sv, stateVector(t, n.Doc), test.Sprint("something was written"))
}

func TestMoveDeleteRetype(t *testing.T) {
	a, b := pair(t)
	insert(t, a, 0, NewCell{ID: "a", Type: Code, Source: "1", Metadata: map[string]any{"trusted": true, "k": []any{1, nil, "x"}}},
		NewCell{ID: "b", Type: Markdown, Source: "two\nthree"}, NewCell{ID: "c", Type: Raw})
	five := 5
	edit(t, a, func(e *Editor) error {
		_ = e.AppendStream("a", "stdout", "hi\n")
		_ = e.AppendOutput("a", Output{"output_type": "display_data", "data": map[string]any{"text/plain": "x"}, "transient": map[string]any{}})
		return e.FinishRun("a", &five)
	})
	was, _ := a.Cell("a")
	edit(t, a, func(e *Editor) error { return e.Move("a", 2) })
	if got := a.IDs(); !slices.Equal(got, []string{"b", "c", "a"}) {
		t.Errorf("order %v", got)
	}
	now, _ := a.Cell("a")
	d := was.differs(&now, allFields)
	test.Eq(t, 0, d, test.Sprint("a moved cell changed"))
	test.Eq(t, was.Revision, now.Revision, test.Sprint("a moved cell changed"))
	sameCells(t, a, b)

	edit(t, a, func(e *Editor) error { _ = e.Move("a", 0); _ = e.Move("c", 0); return e.Move("b", 0) })
	if got := b.IDs(); !slices.Equal(got, []string{"b", "c", "a"}) {
		t.Errorf("order %v", got)
	}

	edit(t, a, func(e *Editor) error { return e.SetType("a", Markdown) })
	m, _ := b.Cell("a")
	test.Eq(t, Markdown, m.Type)
	must.Nil(t, m.Outputs)
	test.Eq(t, "1", m.Source)
	must.Nil(t, m.Metadata["trusted"])
	must.NotNil(t, m.Metadata["k"])
	test.Eq(t, "", m.Fault)
	edit(t, a, func(e *Editor) error { return e.SetType("a", Code) })
	c, _ := b.Cell("a")
	test.Eq(t, Code, c.Type)
	must.NotNil(t, c.Outputs)
	test.Eq(t, Idle, c.ExecutionState)
	test.Eq(t, "", c.Fault)

	edit(t, a, func(e *Editor) error { return e.Delete(e.n.order[0].id, "c", "a") })
	cells := b.Cells()
	must.SliceLen(t, 1, cells)
	test.Eq(t, Code, cells[0].Type)
	test.Eq(t, "", cells[0].Source)
	sameCells(t, a, b)
}

func TestRunWritesWhatTabsExpect(t *testing.T) {
	a, b := pair(t)
	insert(t, a, 0, NewCell{ID: "c", Type: Code})
	three := 3
	check := func(step string, state string, count any, outs ...Output) {
		t.Helper()
		sameCells(t, a, b)
		c, _ := b.Cell("c")
		var n any
		if c.ExecutionCount != nil {
			n = *c.ExecutionCount
		}
		test.Eq(t, state, c.ExecutionState, test.Sprint(step))
		test.EqOp(t, count, n, test.Sprint(step))
		test.True(t, equalOutputs(c.Outputs, append([]Output{}, outs...)), test.Sprint(step))
	}
	out := func(name, text string) Output { return Output{"output_type": "stream", "name": name, "text": text} }
	edit(t, a, func(e *Editor) error { return e.StartRun("c") })
	check("start", Running, nil)
	edit(t, a, func(e *Editor) error { return e.AppendStream("c", "stdout", "a 😀") })
	edit(t, a, func(e *Editor) error {
		_ = e.AppendStream("c", "stdout", "b")
		return e.AppendStream("c", "stdout", "c\n")
	})
	check("stream", Running, nil, out("stdout", "a 😀bc\n"))
	edit(t, a, func(e *Editor) error { return e.AppendStream("c", "stderr", "10%") })
	edit(t, a, func(e *Editor) error { return e.ReplaceStreamTail("c", "stderr", 3, "15%") })
	check("tail", Running, nil, out("stdout", "a 😀bc\n"), out("stderr", "15%"))
	edit(t, a, func(e *Editor) error { return e.ReplaceStreamTail("c", "stderr", 99, "é😀") })
	edit(t, a, func(e *Editor) error { return e.ReplaceStreamTail("c", "stderr", 1, "x") }) // half a character
	check("whole tail", Running, nil, out("stdout", "a 😀bc\n"), out("stderr", "éx"))
	edit(t, a, func(e *Editor) error {
		return e.AppendOutput("c", Output{"output_type": "error", "ename": "E", "traceback": []string{"l"}, "x": 1})
	})
	edit(t, a, func(e *Editor) error { return e.FinishRun("c", &three) })
	last := Output{"output_type": "error", "ename": "E", "evalue": "", "traceback": []any{"l"}}
	check("finish", Idle, 3, out("stdout", "a 😀bc\n"), out("stderr", "éx"), last)
	edit(t, a, func(e *Editor) error {
		return e.SetOutputs("c", []Output{out("stdout", "1"), out("stdout", "2"), {"output_type": "execute_result", "execution_count": 3.0}})
	})
	check("set", Idle, 3, out("stdout", "12"),
		Output{"output_type": "execute_result", "data": map[string]any{}, "metadata": map[string]any{}, "execution_count": 3})
	edit(t, a, func(e *Editor) error { return e.ClearOutputs("c") })
	check("clear", Idle, nil)
}

func TestSourceEditsAreSmall(t *testing.T) {
	a, b := pair(t)
	long := strings.Repeat("line of text\n", 500)
	insert(t, a, 0, NewCell{ID: "c", Type: Code, Source: long + "x = 1\n" + long})
	size := 0
	a.OnUpdate(func(u []byte) { size += len(u); apply(t, b.Doc, u) })
	edit(t, a, func(e *Editor) error { return e.SetSource("c", long+"x = 😀2\n"+long) })
	if size > 60 {
		t.Errorf("an update of %d bytes for one character", size)
	}
	sameCells(t, a, b)
	size = 0
	edit(t, a, func(e *Editor) error { return e.SetSource("c", long+"x = 😀2\n"+long) })
	if size != 0 {
		t.Errorf("an update of %d bytes for nothing", size)
	}
}
