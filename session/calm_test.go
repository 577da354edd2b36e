package session

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbduet/nbduet/ydoc"
)

// Output is held while a save goes on, but not longer than calmMax, and not because of an earlier hold.
func TestOutputIsHeldDuringASave(t *testing.T) {
	for name, c := range map[string]struct{ takes, held time.Duration }{
		"a short save": {100 * time.Millisecond, 100 * time.Millisecond},
		"a long save":  {10 * time.Second, calmMax},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newFakeWorld(t, Config{})
				defer closeWorld(t, w)
				d := w.mustOpen(t, "a.ipynb")
				room := w.room(0)
				room.SaveTakes.Store(int64(c.takes))
				select {
				case <-d.Calm():
				default:
					t.Error("output is held though there is no save")
				}
				for range 2 {
					if err := d.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
						_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "x"})
						return err
					}); err != nil {
						t.Fatal(err)
					}
					before := room.Saves.Load()
					d.use(-1) // the saver need not wait for a call
					for room.Saves.Load() == before {
						time.Sleep(time.Millisecond)
					}
					d.use(1)
					began := time.Now()
					<-d.Calm()
					if held := time.Since(began).Round(10 * time.Millisecond); held != c.held {
						t.Errorf("output is held for %v, want %v", held, c.held)
					}
					time.Sleep(c.takes)
				}
				d.Release()
			})
		})
	}
}
