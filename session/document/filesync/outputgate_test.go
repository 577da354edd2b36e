package filesync

import (
	"testing"
	"testing/synctest"
	"time"
)

// Output is held during a save, but not longer than calmMax, and not because of an earlier hold.
func TestOutputIsHeldDuringASave(t *testing.T) {
	for name, c := range map[string]struct{ takes, held time.Duration }{
		"a short save": {100 * time.Millisecond, 100 * time.Millisecond},
		"a long save":  {10 * time.Second, maxHold},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newFakeDocument(t)
				defer d.leave()
				room := d.room
				room.SaveTakes.Store(int64(c.takes))
				select {
				case <-d.OutputAllowed():
				default:
					t.Error("output is held though there is no save")
				}
				for range 2 {
					d.edit()
					before := room.Saves.Load()
					d.use(false) // the saver need not wait for a call
					for room.Saves.Load() == before {
						time.Sleep(time.Millisecond)
					}
					d.use(true)
					began := time.Now()
					<-d.OutputAllowed()
					if held := time.Since(began).Round(10 * time.Millisecond); held != c.held {
						t.Errorf("output is held for %v, want %v", held, c.held)
					}
					time.Sleep(c.takes)
				}
			})
		})
	}
}
