package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

// busyDocument is an open notebook whose queue does not move, and a count of the edits that it makes.
func busyDocument(t *testing.T, w *fakeWorld) (d *Document, edits *int) {
	t.Helper()
	d = w.mustOpen(t, "a.ipynb")
	d.queue.hold()
	edits = new(int)
	d.Notebook().OnUpdate(func([]byte) { *edits++ })
	return d, edits
}

// New code is in the notebook and busy by one edit, so that the room is waited for once.
func TestNewCellIsBusyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		defer closeWorld(t, w)
		d, edits := busyDocument(t, w)
		defer d.Release()
		r, err := d.RunNew(t.Context(), "1 + 1", RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c, ok := d.Notebook().Cell(r.CellID)
		if *edits != 1 || !ok || c.Source != "1 + 1" || c.ExecutionState != ydoc.Running || d.Notebook().Len() != 1 {
			t.Errorf("%d edits have made %+v", *edits, c)
		}
		if err := r.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A run that is not begun, because nobody knows whether the room has its mark, leaves no cell that seems to run.
func TestUnconfirmedMarkIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		defer closeWorld(t, w)
		d, _ := busyDocument(t, w)
		defer d.Release()
		w.room(0).silent.Store(true)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, err := d.RunNew(ctx, "1 + 1", RunOptions{})
		var unsure *UnconfirmedError
		if !errors.As(err, &unsure) {
			t.Fatalf("error %v, want that it is not confirmed", err)
		}
		if c, ok := d.Notebook().CellAt(0); !ok || c.ExecutionState != ydoc.Idle || len(w.Runs("")) != 0 {
			t.Errorf("the cell is %+v, the runs %v", c, w.Runs(""))
		}
	})
}

// What is left of the output when a run ends is written without a pause, and in one edit with the end of the run.
func TestLastOutputEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		defer closeWorld(t, w)
		d, edits := busyDocument(t, w)
		defer d.Release()
		r, err := d.RunNew(t.Context(), "print(1); 2", RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.end(Done, nil)
		out := d.newWriter(r)
		r.begin(out)
		out.Handle(kernel.Input{Count: 7})
		out.Handle(kernel.Stream{Name: "stdout", Text: "1\n"})
		synctest.Wait() // it is written, and the next write would have to wait
		out.Handle(kernel.Result{Count: 7, Data: map[string]any{"text/plain": "2"}})
		start := time.Now()
		out.Finish()
		c, _ := d.Notebook().Cell(r.CellID)
		if waited := time.Since(start); waited != 0 || !out.Told() || *edits != 3 {
			t.Errorf("waited %v, told %v, %d edits; want the start, the first output, and the rest with the end", waited, out.Told(), *edits)
		}
		if len(c.Outputs) != 2 || c.ExecutionState != ydoc.Idle || c.ExecutionCount == nil || *c.ExecutionCount != 7 {
			t.Errorf("the cell is %+v", c)
		}
	})
}
