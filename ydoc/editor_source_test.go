package ydoc

import (
	"slices"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

var (
	pngA = map[string]any{"image/png": "AAAA"}
	pngB = map[string]any{"image/png": "BBBB"}
)

func attachments(t testing.TB, n *Notebook, id string) []string {
	t.Helper()
	c, ok := n.Cell(id)
	if !ok {
		t.Fatalf("no cell %s", id)
	}
	return sortedKeys(c.Attachments)
}

func TestAttachments(t *testing.T) {
	a, b := pair(t)
	recorded(t, 64, a)
	forward(t, b.Doc, a.Doc)
	insert(t, a, 0, NewCell{ID: "m", Type: Markdown, Source: "![](attachment:a.png)", Attachments: map[string]any{"a.png": pngA}}, NewCell{ID: "c", Type: Code})
	rev := revisionOf(t, b, "m")
	edit(t, b, func(e *Editor) error { return e.SetAttachments("m", map[string]any{"a.png": pngA}) })
	if revisionOf(t, b, "m") != rev {
		t.Error("the same attachments are a change")
	}
	edit(t, b, func(e *Editor) error { return e.SetAttachments("m", map[string]any{"a.png": pngA, "b.png": pngB}) })
	got := attachments(t, a, "m")
	test.SliceEqOp(t, []string{"a.png", "b.png"}, got)
	test.NotEq(t, rev, revisionOf(t, b, "m"))
	// They stay if they have a meaning.
	edit(t, a, func(e *Editor) error { _ = e.SetType("m", Raw); return e.Move("m", 1) })
	if got := attachments(t, b, "m"); !slices.Equal(got, []string{"a.png", "b.png"}) {
		t.Errorf("after a move and as a raw cell: %v", got)
	}
	edit(t, a, func(e *Editor) error { return e.SetType("m", Code) })
	c, _ := b.Cell("m")
	must.Nil(t, c.Attachments, must.Sprint("as a code cell"))
	test.Eq(t, "", c.Fault, test.Sprint("as a code cell"))
	test.Eq(t, "![](attachment:a.png)", c.Source, test.Sprint("as a code cell"))
	undo(t, a)
	c, _ = b.Cell("m")
	must.MapLen(t, 2, c.Attachments, must.Sprint("and back"))
	test.Eq(t, Raw, c.Type, test.Sprint("and back"))
	edit(t, a, func(e *Editor) error { return e.SetAttachments("m", nil) })
	if c, _ := b.Cell("m"); c.Attachments != nil {
		t.Errorf("removed: %v", c.Attachments)
	}
	sameCells(t, a, b)
}

func TestNotebookMetadata(t *testing.T) {
	a, b := pair(t)
	recorded(t, 64, a)
	insert(t, a, 0, NewCell{ID: "c", Type: Code})
	edit(t, a, func(e *Editor) error {
		_ = e.SetMetadata("k", map[string]any{"n": nil})
		return e.SetMetadata("l", 1.5)
	})
	if m := b.Metadata(); !crdt.EqualObjects(m, map[string]any{"k": map[string]any{"n": nil}, "l": 1.5}) {
		t.Errorf("%v", m)
	}
	edit(t, a, func(e *Editor) error { _ = e.DeleteMetadata("k"); return e.DeleteMetadata("none") })
	if m := b.Metadata(); !crdt.EqualObjects(m, map[string]any{"l": 1.5}) {
		t.Errorf("%v", m)
	}
	undo(t, a)
	if m := b.Metadata(); len(m) != 2 {
		t.Errorf("%v", m)
	}
}
