package ydoc

import (
	"fmt"
	"slices"
	"testing"
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
	if !c.Complete || !c.Order || c.Metadata || !slices.Equal(c.Deleted, []string{"e"}) || len(c.Cells) != 3 {
		t.Fatalf("%+v", c)
	}
	for i, got := range c.Cells {
		got.Revision, got.Origin = 0, Origin{}
		if got.ID != want[i].ID || got.Index != want[i].Index || got.New != want[i].New || got.Source != want[i].Source || got.Run != want[i].Run || got.Metadata != want[i].Metadata {
			t.Errorf("%+v, want %+v", got, want[i])
		}
	}
	for _, r := range []Revision{0, 1, c.To + 1} {
		if c := b.ChangesSince(r); c.Complete || len(c.Cells) != 3 {
			t.Errorf("since %d: %+v", r, c)
		}
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
	if c := n.ChangesSince(start); c.Complete || len(c.Cells) != 1 || c.Deleted != nil {
		t.Errorf("since the start: %+v", c)
	}
	if c := n.ChangesSince(middle); !c.Complete || len(c.Deleted) != maxGraves-10 || c.Deleted[0] != "c20" || len(c.Cells) != 0 {
		t.Errorf("since the middle: complete %v, %d deleted", c.Complete, len(c.Deleted))
	}
	if len(n.gone.dead) > maxGraves {
		t.Errorf("%d are remembered", len(n.gone.dead))
	}
}
