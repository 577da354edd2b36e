package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/ydoc"
)

// busyDocument returns an open notebook whose queue does not move, and the number of its edits.
func busyDocument(t *testing.T, w *fakeWorld) (d *Document, edits *int) {
	t.Helper()
	d = w.mustOpen(t, "a.ipynb")
	d.cells.Hold()
	edits = new(int)
	d.Notebook().OnUpdate(func([]byte) { *edits++ })
	return d, edits
}

// New code is inserted and marked busy in one edit, so that the room is waited for once.
func TestNewCellIsBusyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		defer closeWorld(t, w)
		d, edits := busyDocument(t, w)
		defer d.Release()
		r, err := d.RunNew(t.Context(), "1 + 1", run.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, ok := d.Notebook().Cell(r.CellID)
		test.Eq(t, 1, *edits)
		must.True(t, ok)
		test.Eq(t, "1 + 1", c.Source)
		test.Eq(t, ydoc.Running, c.ExecutionState)
		test.Eq(t, 1, d.Notebook().Len())
		if err := r.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A run that does not begin, because its mark was not confirmed by the room, does not leave a busy cell.
func TestUnconfirmedMarkIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		defer closeWorld(t, w)
		d, _ := busyDocument(t, w)
		defer d.Release()
		w.room(0).Silent.Store(true)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, err := d.RunNew(ctx, "1 + 1", run.Options{})
		var unsure *UnconfirmedError
		if !errors.As(err, &unsure) {
			t.Fatalf("error %v, want that it is not confirmed", err)
		}
		c, ok := d.Notebook().CellAt(0)
		must.True(t, ok)
		test.Eq(t, ydoc.Idle, c.ExecutionState)
		test.SliceEmpty(t, w.RunTable().Runs(jupyter.Path{}))
	})
}
