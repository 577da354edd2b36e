package ydoc

import (
	"testing"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// pair is two replicas of a notebook of which the first writes to the second.
func pair(t testing.TB) (a, b *Notebook) {
	t.Helper()
	a, b = NewNotebookWith(Options{ClientID: 1}), NewNotebookWith(Options{ClientID: 2})
	forward(t, a.Doc, b.Doc)
	return a, b
}

// forward has every update of from's applied to to.
func forward(t testing.TB, from, to *Doc) {
	from.OnUpdate(func(u []byte) {
		if err := to.Apply(u); err != nil {
			t.Errorf("forward: %v", err)
		}
	})
}

func edit(t testing.TB, n *Notebook, fn func(e *Editor) error) {
	t.Helper()
	if err := n.Edit("test", fn); err != nil {
		t.Fatalf("edit: %v", err)
	}
}

func insert(t testing.TB, n *Notebook, at int, cells ...NewCell) {
	t.Helper()
	edit(t, n, func(e *Editor) error { _, err := e.Insert(at, cells...); return err })
}

// sameCells compares two replicas cell by cell, revisions aside.
func sameCells(t testing.TB, a, b *Notebook) {
	t.Helper()
	ca, cb := a.Cells(), b.Cells()
	if len(ca) != len(cb) {
		t.Fatalf("%d cells here, %d there", len(ca), len(cb))
	}
	for i := range ca {
		if d := ca[i].differs(&cb[i], allFields); d != 0 {
			t.Errorf("cell %d differs in %b:\n%+v\n%+v", i, d, ca[i], cb[i])
		}
	}
}

func apply(t testing.TB, d *Doc, update []byte) {
	t.Helper()
	if err := d.Apply(update); err != nil {
		t.Fatalf("apply: %v", err)
	}
}

func diff(t testing.TB, d *Doc, sv []byte) []byte {
	t.Helper()
	u, err := d.Diff(sv)
	if err != nil {
		t.Fatalf("diff: %v", err)
	}
	if err := wire.CheckUpdate(u, wire.DefaultLimits); err != nil {
		t.Fatalf("our own update: %v", err)
	}
	return u
}

func stateVector(t testing.TB, d *Doc) []byte {
	t.Helper()
	sv, err := d.StateVector()
	if err != nil {
		t.Fatalf("state vector: %v", err)
	}
	return sv
}

func revisionOf(t testing.TB, n *Notebook, id string) Revision {
	t.Helper()
	c, ok := n.Cell(id)
	if !ok {
		t.Fatalf("no cell %s", id)
	}
	return c.Revision
}

func undo(t testing.TB, n *Notebook) Undone {
	t.Helper()
	u, err := n.Undo()
	if err != nil {
		t.Fatalf("undo: %v", err)
	}
	return u
}

func redo(t testing.TB, n *Notebook) Undone {
	t.Helper()
	u, err := n.Redo()
	if err != nil {
		t.Fatalf("redo: %v", err)
	}
	return u
}

// content is everything in a notebook but revisions.
func content(n *Notebook) []Cell {
	cells := n.Cells()
	for i := range cells {
		cells[i].Revision = 0
	}
	return append(cells, Cell{ID: "notebook", Metadata: n.Metadata()})
}
