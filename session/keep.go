package session

import (
	"errors"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/ydoc"
)

// Pauses between the attempts to join a lost room afresh.
const (
	rejoinMin = 200 * time.Millisecond
	rejoinMax = 10 * time.Second
)

// keep watches the document's room. The room brings itself back after a lost
// connection; what it cannot bring back has another history, and then the
// replica is thrown away and the room joined afresh with an empty one.
func (d *Document) keep() {
	for {
		lv := d.current()
		select {
		case <-d.ctx.Done():
			return
		case <-lv.room.Done():
		}
		var end *rtc.CloseError
		if errors.As(lv.room.Err(), &end) && end.Action != rtc.Discard {
			d.m.log.Warn("the notebook's room has ended", "path", d.path, "error", end)
			d.m.drop(d.entry, end.Error())
			return
		}
		d.m.log.Warn("the notebook's room was lost, joining afresh", "path", d.path, "error", lv.room.Err())
		if !d.rejoin() {
			return
		}
	}
}

// rejoin joins with a new replica until it works, or the document ends, or it
// is clear that it never will.
func (d *Document) rejoin() bool {
	pause := rejoinMin
	for {
		r, nb, err := d.m.join(d.ctx, d.path)
		if err == nil {
			d.mu.Lock()
			d.live = newLive(r, nb)
			d.mu.Unlock()
			return true
		}
		var end *rtc.CloseError
		if errors.As(err, &end) && end.Action == rtc.GiveUp {
			d.m.drop(d.entry, end.Error())
			return false
		}
		d.m.log.Debug("joining the room afresh failed", "path", d.path, "error", err)
		select {
		case <-d.ctx.Done():
			return false
		case <-time.After(pause):
		}
		pause = min(2*pause, rejoinMax)
	}
}

// drop puts away a document whose room cannot be joined again.
func (m *Manager) drop(e *entry, why string) {
	m.wg.Go(func() {
		// The room is gone: there is nothing to save and nobody to take leave
		// of, so there is no error to report either.
		_ = m.putAway(m.ctx, e, why)
	})
}

// saveEvery is the shortest time between two saves that we ask for.
const saveEvery = time.Second

// wantSave asks for a save soon. The server saves by itself only after a pause
// of a second in the edits of everybody, which a busy notebook never has, and
// what it has not saved is lost when it stops.
func (d *Document) wantSave() {
	select {
	case d.saves <- struct{}{}:
	default:
	}
}

// saver asks for at most one save a second, and for none where the people in
// the room have switched autosave off.
func (d *Document) saver() {
	for {
		select {
		case <-d.ctx.Done():
			return
		case <-d.saves:
		}
		lv := d.current()
		if !lv.room.AutosaveOff() {
			if status, err := lv.room.Save(d.ctx); err != nil {
				d.m.log.Debug("save failed", "path", d.path, "error", err)
			} else if status != "success" {
				d.m.log.Warn("the server did not save", "path", d.path, "status", status)
			}
		}
		select {
		case <-d.ctx.Done():
			return
		case <-time.After(saveEvery):
		}
	}
}

func newLive(r room, nb *ydoc.Notebook) *live {
	return &live{room: r, nb: nb, shown: newShown()}
}
