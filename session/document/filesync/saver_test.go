package filesync

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
)

// saves counts the saves that are requested during nearly two seconds of edits, so that no save is due at the moment of the
// count, and in the twelve seconds after them. A held document is in use by a call all the time.
func saves(t *testing.T, held bool, takes time.Duration, autosaveOff bool) (during, all int32) {
	d := newFakeDocument(t)
	defer d.leave()
	room := d.room
	room.SaveTakes.Store(int64(takes))
	room.Unsaving.Store(autosaveOff)
	defer room.Unsaving.Store(false) // otherwise the document would be left unsaved
	if !held {
		d.use(false)
	}
	for range 95 {
		d.edit()
		time.Sleep(20 * time.Millisecond)
	}
	during = room.Saves.Load()
	time.Sleep(12 * time.Second)
	return during, room.Saves.Load()
}

// Saves are requested after our edits: once a second at most, less often if calls would wait for them or the server is slow,
// and never if the people have switched autosave off.
func TestSavesAreCoalesced(t *testing.T) {
	for name, c := range map[string]struct {
		held        bool
		takes       time.Duration
		autosaveOff bool
		during, all int32
	}{
		"once a second":                   {during: 2, all: 3},
		"after a call, or a second later": {held: true, during: 1, all: 2},
		"however long they take":          {takes: 300 * time.Millisecond, during: 2, all: 3},
		"half of the server's time":       {takes: 3 * time.Second, during: 1, all: 2},
		"not against people's wish":       {autosaveOff: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				during, all := saves(t, c.held, c.takes, c.autosaveOff)
				test.Eq(t, c.during, during)
				test.Eq(t, c.all, all)
			})
		})
	}
}

// While a file is renamed, its document is not saved; a pending save comes afterwards.
func TestNoSaveMeetsARename(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDocument(t)
		defer d.leave()
		room := d.room
		room.SaveTakes.Store(int64(time.Second / 2))
		d.edit()
		d.use(false)
		synctest.Wait() // the save has begun
		began := time.Now()
		test.True(t, d.hold(t.Context()))
		test.Eq(t, time.Second/2, time.Since(began))
		d.edit()
		time.Sleep(2 * savePauseMax)
		if n := room.Saves.Load(); n != 1 {
			t.Errorf("%d saves, want none of them while they are held", n)
		}
		d.release()
		synctest.Wait()
		if n := room.Saves.Load(); n != 2 {
			t.Errorf("%d saves, want the one that was due", n)
		}
	})
}

// A document whose file has all its content is left without another save; if it is uncertain for some edits, the document is
// saved first.
func TestWhatIsSavedIsNotSavedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		edit  bool
		saves int32
	}{"all is on disk": {false, 0}, "an edit is not": {true, 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newFakeDocument(t)
				d.room.Unsaving.Store(true)
				d.file.revision = d.nb.Revision()
				if c.edit {
					d.edit()
				}
				d.use(false)
				time.Sleep(2 * time.Second) // no save is requested while autosave is off
				d.room.Unsaving.Store(false)
				d.leave()
				if n := d.room.Saves.Load(); n != c.saves {
					t.Errorf("%d saves on leaving, want %d", n, c.saves)
				}
			})
		})
	}
}
