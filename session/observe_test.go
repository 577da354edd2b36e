package session

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
)

// Observers are called when a document is opened, changed and closed. Listing a document does not keep it open; holding it
// does.
func TestObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{IdleTimeout: 5 * time.Minute})
		defer closeWorld(t, w)
		var mu sync.Mutex
		var heard []string
		stop := w.Observe(func(e Event) {
			mu.Lock()
			defer mu.Unlock()
			what := map[EventKind]string{Opened: "opened", Closed: "closed", Changed: "changed"}[e.Kind]
			for _, c := range e.Changes.Cells {
				what += " " + c.ID
			}
			heard = append(heard, what)
		})
		had := func(want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(heard, want) {
				t.Errorf("heard %q, want %q", heard, want)
			}
			heard = nil
		}
		d := w.mustOpen(t, "a.ipynb")
		had("opened")
		opened := d.OpenedAt()
		time.Sleep(time.Minute)
		err := d.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{ID: "x", Type: ydoc.Code, Source: "1"})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		had("changed x")
		if got := d.ChangedAt().Sub(opened); got != time.Minute {
			t.Errorf("changed %v after it was opened", got)
		}
		d.Release()

		list := w.Notebooks()
		must.SliceLen(t, 1, list)
		must.EqOp(t, d, list[0])
		must.True(t, d.Hold())
		time.Sleep(10 * time.Minute)
		had()
		d.Release()
		for range 4 { // listing does not count as use
			time.Sleep(time.Minute)
			w.Notebooks()
		}
		time.Sleep(time.Minute)
		had("closed")
		must.SliceEmpty(t, w.Notebooks(), must.Sprint("a closed notebook is listed, or can be held"))
		test.False(t, d.Hold(), test.Sprint("a closed notebook is listed, or can be held"))
		c, ok := d.Notebook().Cell("x")
		must.True(t, ok, must.Sprint("what it held cannot be read"))
		test.Eq(t, "1", c.Source, test.Sprint("what it held cannot be read"))
		stop()
		w.mustOpen(t, "a.ipynb").Release()
		had()
	})
}
