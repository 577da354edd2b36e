package ydoc

import (
	"errors"
	"testing"
)

// While a new execution count is held, the old one is deleted already: a cell moved at that time must still have a
// count.
func TestMovedWhileItsCountIsHeldBack(t *testing.T) {
	a, b := pair(t)
	insert(t, a, 0, NewCell{ID: "x", Type: Code}, NewCell{ID: "y", Type: Code})
	var last []byte
	a.OnUpdate(func(u []byte) { last = u })
	insert(t, a, 2, NewCell{ID: "lost", Type: Code})
	edit(t, a, func(e *Editor) error { return e.FinishRun("x", new(7)) })
	if err := b.Apply(last); !errors.Is(err, ErrPending) {
		t.Fatalf("an update that follows a gap: %v", err)
	}
	edit(t, b, func(e *Editor) error { return e.Move("x", 1) })
	for _, to := range [][2]*Notebook{{a, b}, {b, a}} {
		state, err := to[0].Diff(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := to[1].Apply(state); err != nil {
			t.Fatal(err)
		}
	}
	sameCells(t, a, b)
	cells, _ := b.JSON()["cells"].([]any)
	for _, v := range cells {
		cell, _ := v.(map[string]any)
		if _, ok := cell[keyCount]; !ok {
			t.Errorf("cell %v has no execution count: %v", cell["id"], cell)
		}
	}
}
