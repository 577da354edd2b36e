package rooms

import (
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// save is one save of a document: one that waits for a pause, or one that is under way.
type save struct {
	stop   chan struct{} // closed when the save is broken off
	broken bool
	told   func(status string) // tells the client that asked
}

// breakOff ends a save that waits. One that is writing goes on, but nobody hears of it.
func (s *save) breakOff() {
	if !s.broken {
		s.broken = true
		close(s.stop)
	}
}

// autosave has the document saved some time from now, and a save that was to be done before not.
func (r *room) autosave() {
	if r.file == nil || !r.ready || len(r.loading) > 0 || r.t.cfg.SaveDelay < 0 || r.t.faults.version() == 0 && !r.people.autosave() {
		return
	}
	r.startSave(nil)
	r.debounce.Reset(r.t.cfg.SaveDelay)
}

// saveFor saves for a client, and tells it what became of that.
func (r *room) saveFor(told func(status string)) {
	switch {
	case r.file == nil, r.t.faults.failsSaves():
		told(wire.SaveFailed)
	case !r.ready || len(r.loading) > 0:
		told(wire.SaveSkipped)
	default:
		r.runSave(r.startSave(told))
	}
}

// startSave makes a save that takes the place of one that waits or is under way.
func (r *room) startSave(told func(status string)) *save {
	if r.saving != nil {
		r.saving.breakOff()
	}
	r.debounce.Stop()
	r.saving = &save{stop: make(chan struct{}), told: told}
	return r.saving
}

// runSave saves the document. It is read first, which an edit breaks off.
func (r *room) runSave(s *save) {
	slow := r.t.faults.slowReads()
	if slow <= 0 {
		r.writeSave(s)
		return
	}
	r.t.spawn(func() {
		read := time.NewTimer(slow)
		defer read.Stop()
		select {
		case <-read.C:
		case <-s.stop:
		case <-r.t.quit:
		}
		r.do(func() {
			if s.broken {
				r.saved(s, nil, errBrokenOff)
			} else {
				r.writeSave(s)
			}
		})
	})
}

// writeSave writes the document as it is.
func (r *room) writeSave(s *save) {
	content, err := r.doc.Content()
	r.settle() // reading may have changed it
	if err != nil {
		r.saved(s, nil, err)
		return
	}
	r.t.spawn(func() {
		info, err := r.file.save(content, r.format, r.typ, s.stop)
		r.do(func() { r.saved(s, info, err) })
	})
}

// saved tells the client that asked for a save that it was done, and notes in the state that the document is saved, or says why
// it is not.
func (r *room) saved(s *save, info *Info, err error) {
	if s.told != nil {
		status := wire.Saved // for whatever is only logged, too
		if errors.Is(err, errGone) {
			status = wire.SaveFailed
		}
		s.told(status)
	}
	if r.saving == s {
		r.saving = nil
	}
	switch {
	case errors.Is(err, errGone):
	case errors.Is(err, errBrokenOff):
	case errors.Is(err, errOutOfBand):
		r.reload()
		r.emit("INFO", "overwrite", "Out-of-band changes while saving.")
	case err != nil:
		r.emit("ERROR", "", fmt.Sprintf("Error saving file: %s\n%v", r.path(), err))
	default:
		if info != nil && !s.broken {
			r.quietly(func() {
				_ = r.doc.SetState("dirty", false) // breaks with the document alone
				if r.t.faults.version() != 2 {
					_ = r.doc.SetState("hash", info.Hash)
				}
			})
		}
		r.emit("INFO", "save", "Content saved.")
	}
}
