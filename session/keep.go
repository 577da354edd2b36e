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
		if !d.watch(lv) {
			return
		}
		if d.current() != lv {
			continue // it was joined afresh on purpose
		}
		var end *rtc.CloseError
		if errors.As(lv.room.Err(), &end) && end.Action != rtc.Discard {
			d.m.log.Warn("the document's room has ended", "path", d.Path(), "error", end)
			d.m.drop(d.entry, end.Error())
			return
		}
		d.m.log.Warn("the document's room was lost, joining afresh", "path", d.Path(), "error", lv.room.Err())
		if !d.rejoin() {
			return
		}
		d.compare(lv, d.current())
	}
}

// rejoin joins with a new replica until it works, or the document ends, or it
// is clear that it never will.
func (d *Document) rejoin() bool {
	pause := rejoinMin
	for {
		lv, err := d.m.join(d.ctx, d.Path(), d.kind)
		if err == nil {
			d.mu.Lock()
			d.live = lv
			d.mu.Unlock()
			d.changes(ydoc.Changes{}) // not Complete: who knows
			return true
		}
		var end *rtc.CloseError
		if errors.As(err, &end) && end.Action == rtc.GiveUp {
			d.m.drop(d.entry, end.Error())
			return false
		}
		d.m.log.Debug("joining the room afresh failed", "path", d.Path(), "error", err)
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

// Drop puts the document away, for a reason that leaves nothing to be saved.
func (d *Document) Drop(why string) { d.m.drop(d.entry, why) }
