package rooms

import (
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// save is one save of a document, waiting for a pause or under way.
type save struct {
	stop   chan struct{} // closed when the save is cancelled
	broken bool
	told   func(status string) // notifies the requesting client
}

// breakOff cancels a waiting save. A save that is already writing continues, but its outcome is not reported.
func (s *save) breakOff() {
	if !s.broken {
		s.broken = true
		close(s.stop)
	}
}

// autosave schedules a save of the document, in place of a pending one.
func (r *room) autosave() {
	if r.file == nil || !r.ready || len(r.loading) > 0 || r.t.cfg.SaveDelay < 0 || r.t.faults.version() == 0 && !r.people.autosave() {
		return
	}
	r.startSave(nil)
	r.debounce.Reset(r.t.cfg.SaveDelay)
}

// saveFor saves for a client, and notifies it of the outcome.
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

// startSave makes a save that replaces a pending or running one.
func (r *room) startSave(told func(status string)) *save {
	if r.saving != nil {
		r.saving.breakOff()
	}
	r.debounce.Stop()
	r.saving = &save{stop: make(chan struct{}), told: told}
	return r.saving
}

// runSave saves the document. It reads the document first, which an edit cancels.
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

// writeSave writes the document in its present state.
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

// saved notifies the requesting client of success and marks the document as saved in the state, or reports the error.
func (r *room) saved(s *save, info *Info, err error) {
	if s.told != nil {
		status := wire.Saved // also for errors that are only logged
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
				_ = r.doc.SetState("dirty", false) // fails only with a broken document
				if r.t.faults.version() != 2 {
					_ = r.doc.SetState("hash", info.Hash)
				}
			})
		}
		r.emit("INFO", "save", "Content saved.")
	}
}
