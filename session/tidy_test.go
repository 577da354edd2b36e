package session

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/ydoc"
)

// churn gives a notebook one cell and clears many outputs from it, as an hour of reruns does.
func churn(t *testing.T, nb *ydoc.Notebook) {
	t.Helper()
	var id string
	edit := func(fn func(*ydoc.Editor) error) {
		if err := nb.Edit("churn", fn); err != nil {
			t.Fatal(err)
		}
	}
	edit(func(e *ydoc.Editor) error {
		ids, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "1"})
		if err == nil {
			id = ids[0]
		}
		return err
	})
	for joined := nb.Bloat(); !nb.Bloat().Outgrew(joined); {
		edit(func(e *ydoc.Editor) error {
			for range 500 {
				if err := e.AppendOutput(id, ydoc.Output{"output_type": "display_data", "data": map[string]any{"text/plain": "1"}, "metadata": map[string]any{}}); err != nil {
					return err
				}
			}
			return nil
		})
		edit(func(e *ydoc.Editor) error { return e.ClearOutputs(id) })
	}
}

// A document that has grown far beyond its content is rejoined, only while it is not in use; one that was as large when
// it was joined is left alone.
func TestOvergrownReplicaIsJoinedAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{IdleTimeout: time.Hour})
		defer closeWorld(t, w)
		d := w.mustOpen(t, "a.ipynb")
		churn(t, d.Notebook())
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := w.joined("a.ipynb"); n != 1 {
			t.Fatalf("joined %d times while in use, want 1", n)
		}
		old := d.current()
		d.Release()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := w.joined("a.ipynb"); n != 2 {
			t.Fatalf("joined %d times after two idle minutes, want 2", n)
		}
		test.NotEqOp(t, old, d.current(), test.Sprint("the old room is not left, or the new one is"))
		test.True(t, w.room(0).Left.Load(), test.Sprint("the old room is not left, or the new one is"))
		test.False(t, w.room(1).Left.Load(), test.Sprint("the old room is not left, or the new one is"))
		if i := w.status(t, "a.ipynb"); i.Status != Connected {
			t.Errorf("it is %s: %s", i.Status, i.Message)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := w.joined("a.ipynb"); n != 2 {
			t.Errorf("joined %d times, want 2: the fresh one is small", n)
		}
		// It is still evicted at its time.
		time.Sleep(time.Hour)
		synctest.Wait()
		if i := w.status(t, "a.ipynb"); i.Status != Disconnected {
			t.Errorf("an hour later it is %s", i.Status)
		}
	})
}
