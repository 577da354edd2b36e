package ydoc

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// pair makes two replicas of a notebook; updates of the first go to the second.
func pair(t testing.TB) (a, b *Notebook) {
	t.Helper()
	a, b = NewNotebookWith(Options{ClientID: 1}), NewNotebookWith(Options{ClientID: 2})
	forward(t, a.Doc, b.Doc)
	return a, b
}

// forward applies every update of from to to.
func forward(t testing.TB, from, to *Doc) {
	from.OnUpdate(func(u []byte) {
		if err := to.Apply(u); err != nil {
			t.Errorf("forward: %v", err)
		}
	})
}

func edit(t testing.TB, n *Notebook, fn func(e *Editor) error) {
	t.Helper()
	if err := change(n, "test", fn); err != nil {
		t.Fatalf("edit: %v", err)
	}
}

func insert(t testing.TB, n *Notebook, at int, cells ...NewCell) {
	t.Helper()
	edit(t, n, func(e *Editor) error { _, err := e.Insert(at, cells...); return err })
}

// sameCells compares two replicas cell by cell, except revisions and identities, which are local.
func sameCells(t testing.TB, a, b *Notebook) {
	t.Helper()
	ca, cb := content(a), content(b)
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

// histories are the steps of the replicas whose edits are recorded, see recorded.
var histories sync.Map

// history holds the steps of one replica, to be undone and redone in order.
type history struct {
	mu         sync.Mutex
	undo, redo []*Step
	max        int // number of steps kept
}

// recorded makes change record the edits of replicas, for undo and redo in order.
func recorded(t testing.TB, maxSteps int, docs ...*Notebook) {
	t.Helper()
	for _, n := range docs {
		histories.Store(n.Doc, &history{max: maxSteps})
		t.Cleanup(func() { histories.Delete(n.Doc) })
	}
}

func historyOf(d *Doc) *history {
	h, ok := histories.Load(d)
	if !ok {
		return nil
	}
	return h.(*history)
}

// change makes an edit, and a step of it if the replica's edits are recorded.
func change(n *Notebook, name string, fn func(e *Editor) error) error {
	h := historyOf(n.Doc)
	if h == nil {
		return n.Edit(name, fn)
	}
	s, err := n.Record(name, fn)
	h.mu.Lock()
	defer h.mu.Unlock()
	if s != nil {
		n.Release(slices.DeleteFunc(h.redo, func(s *Step) bool { return s == nil })...)
		h.redo = nil
		h.push(n.Doc, &h.undo, s)
	}
	return err
}

func (h *history) push(d *Doc, to *[]*Step, s *Step) {
	*to = append(*to, s)
	if n := len(*to) - h.max; n > 0 {
		d.Release(slices.DeleteFunc((*to)[:n], func(s *Step) bool { return s == nil })...)
		*to = (*to)[n:]
	}
}

// errNothing means that there is nothing to undo.
var errNothing = errors.New("nothing to undo")

// back undoes the last step, or redoes the last undone one.
func back(d *Doc, redo bool) (Undone, error) {
	h := historyOf(d)
	h.mu.Lock()
	defer h.mu.Unlock()
	from, to := &h.undo, &h.redo
	if redo {
		from, to = to, from
	}
	if len(*from) == 0 {
		return Undone{}, errNothing
	}
	s := (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	if s == nil { // added and removed in between
		h.push(d, to, nil)
		return Undone{}, nil
	}
	u, inverse, err := d.Revert(s)
	h.push(d, to, inverse)
	return u, err
}

func undo(t testing.TB, n *Notebook) Undone {
	t.Helper()
	u, err := back(n.Doc, false)
	if err != nil {
		t.Fatalf("undo: %v", err)
	}
	return u
}

func redo(t testing.TB, n *Notebook) Undone {
	t.Helper()
	u, err := back(n.Doc, true)
	if err != nil {
		t.Fatalf("redo: %v", err)
	}
	return u
}

// nbIDs are the nbformat ids of all cells in order.
func nbIDs(n *Notebook) []string {
	cells := n.Cells()
	ids := make([]string, len(cells))
	for i, c := range cells {
		ids[i] = c.NBID
	}
	return ids
}

// content returns everything in a notebook except revisions and identities.
func content(n *Notebook) []Cell {
	cells := n.Cells()
	for i := range cells {
		cells[i].ID, cells[i].Revision = cells[i].NBID, 0
	}
	return append(cells, Cell{ID: "notebook", Metadata: n.Metadata()})
}

// rewrite merges the change from the source at a revision to text.
func (e *Editor) rewrite(id string, base Revision, text string) error {
	was, err := e.SourceAt(id, base)
	if err != nil {
		return e.fail(err)
	}
	return e.Merge(id, was, text)
}

func (e *TextEditor) rewrite(base Revision, text string) error {
	was, err := e.Base(base)
	if err != nil {
		return e.fail(err)
	}
	return e.Merge(was, text)
}
