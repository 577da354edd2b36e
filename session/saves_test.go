package session

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbduet/nbduet/ydoc"
)

// A save waits for a call, and is requested as soon as the call is over.
func TestSaveFollowsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		defer closeWorld(t, w)
		d := w.mustOpen(t, "a.ipynb")
		if err := d.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "x"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		if n := w.room(0).Saves.Load(); n != 0 {
			t.Errorf("%d saves while the call goes on, want none", n)
		}
		d.Release()
		synctest.Wait()
		if n := w.room(0).Saves.Load(); n != 1 {
			t.Errorf("%d saves after the call, want one", n)
		}
	})
}
