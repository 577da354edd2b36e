package ydoc

import (
	"fmt"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func TestChangesSince(t *testing.T) {
	a, b := pair(t)
	insert(t, a, 0, NewCell{ID: "c", Type: Code}, NewCell{ID: "d", Type: Code}, NewCell{ID: "e", Type: Raw})
	start := b.Revision()
	if c := b.ChangesSince(start); !c.Empty() || c.To != start {
		t.Errorf("%+v", c)
	}
	edit(t, a, func(e *Editor) error {
		_ = e.SetSource("c", "x")
		_ = e.StartRun("d")
		_ = e.Delete("e")
		_, err := e.Insert(0, NewCell{ID: "f", Type: Raw})
		return err
	})
	c := b.ChangesSince(start)
	want := []CellChange{
		{ID: "f", Index: 0, New: true, Source: true, Outputs: true, Run: true, Metadata: true},
		{ID: "c", Index: 1, Source: true},
		{ID: "d", Index: 2, Run: true},
	}
	must.True(t, c.Complete)
	must.True(t, c.Order)
	must.False(t, c.Metadata)
	must.SliceEqOp(t, []string{"e"}, c.Deleted)
	must.SliceLen(t, 3, c.Cells)
	for i, got := range c.Cells {
		got.Revision, got.Origin = 0, Origin{}
		test.Eq(t, want[i], got)
	}
	for _, r := range []Revision{0, 1, c.To + 1} {
		c := b.ChangesSince(r)
		test.False(t, c.Complete, test.Sprint(r))
		test.SliceLen(t, 3, c.Cells, test.Sprint(r))
	}
}

func TestDeletedCellsAreRememberedUpToABound(t *testing.T) {
	n := NewNotebook()
	insert(t, n, 0, NewCell{ID: "stays", Type: Raw})
	start := n.Revision()
	var middle Revision
	for i := range maxGraves + 10 {
		id := fmt.Sprintf("c%d", i)
		insert(t, n, 1, NewCell{ID: id, Type: Raw})
		if n.Revision(); i == 20 {
			middle = n.Revision()
		}
		edit(t, n, func(e *Editor) error { return e.Delete(id) })
		n.Revision()
	}
	c := n.ChangesSince(start)
	test.False(t, c.Complete, test.Sprint("since the start"))
	must.SliceLen(t, 1, c.Cells, must.Sprint("since the start"))
	test.Nil(t, c.Deleted, test.Sprint("since the start"))
	c = n.ChangesSince(middle)
	test.True(t, c.Complete, test.Sprint("since the middle"))
	must.SliceLen(t, maxGraves-10, c.Deleted, must.Sprint("since the middle"))
	test.Eq(t, "c20", c.Deleted[0], test.Sprint("since the middle"))
	test.SliceEmpty(t, c.Cells, test.Sprint("since the middle"))
	if len(n.gone.dead) > maxGraves {
		t.Errorf("%d are remembered", len(n.gone.dead))
	}
}
