package session

import (
	"cmp"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/document/refusedrooms"
	"github.com/nbduet/nbduet/ydoc"
)

// keeper keeps a document in its room.
type keeper struct{ *Document }

// keep watches the document's room. The room reconnects by itself; if it cannot, because its history has changed, keep
// drops the replica and joins the room again with an empty one.
func (d keeper) keep() {
	for {
		lv := d.current()
		if !d.watch(lv) {
			return
		}
		if d.current() != lv {
			continue // it was joined again on purpose
		}
		err := lv.room.Err()
		if !rtc.IsLost(err) {
			d.m.log.Warn("the document's room has ended", "path", d.Path(), "error", err)
			d.m.drop(d.entry, err.Error())
			return
		}
		d.m.log.Warn("the document's room was lost, rejoining", "path", d.Path(), "error", err)
		if !d.rejoin() {
			return
		}
		d.saver.Afresh(lv.saved(), d.current().saved())
		if d.cells != nil {
			d.cells.Mend()
		}
	}
}

// watch follows one joined room until it, or the document, has ended. When the file is renamed through the server, the
// server writes the new path into the document's state; the room, its file id and its people stay the same. It returns false
// if the document has ended.
func (d keeper) watch(lv *live) bool {
	changes := lv.doc.Subscribe()
	defer changes.Close()
	d.saver.Watch(lv.saved())
	look := time.NewTicker(tidyEvery)
	defer look.Stop()
	for {
		d.followState(lv)
		d.saver.Reloaded(lv.saved())
		lv.steps.Look()
		var judge <-chan time.Time
		if unsure := Kept(d).examine(d.ctx, lv); unsure > 0 {
			judge = time.After(unsure)
		}
		d.seats.Warn(cmp.Or(editguard.Suspected(lv.nb).Suspect, Kept(d).obeyStops(lv)))
		select {
		case <-d.ctx.Done():
			return false
		case <-lv.room.Done():
			return true
		case <-judge:
		case <-look.C:
			tidy(d.Document, lv)
		case <-changes.Ready():
			c, err := changes.Take()
			if err != nil {
				// A broken replica ends its room: wait for that.
				select {
				case <-d.ctx.Done():
					return false
				case <-lv.room.Done():
					return true
				}
			}
			lv.typing.Note(c, time.Now())
			d.changes(c)
		}
	}
}

// followState gives the document the path that the server has written into its state.
func (d keeper) followState(lv *live) {
	said := lv.doc.State().Path
	if said == "" || said == d.Path().String() {
		return // as after nearly every change
	}
	path, err := jupyter.ParsePath(said)
	if srv := d.m.cfg.Server; err == nil && srv != nil {
		// A room joined right after a rename can still have the former path.
		if now, err := srv.Rooms.FilePath(d.ctx, lv.room.FileID()); err == nil {
			path = now
		}
	}
	switch {
	case err != nil:
		d.m.log.Warn("the server reports an invalid path for a moved document", "path", d.Path(), "error", err)
	case !path.IsRoot() && path != d.Path():
		d.m.moved(d.ctx, d.Document, path)
	}
}

// rejoin joins with a new replica until it succeeds, the document ends, or the error is final. It reports whether it
// succeeded.
func (d keeper) rejoin() bool {
	var lv *live
	err := rtc.JoinAfresh(d.ctx, d.m.cfg.Server, func() (err error) {
		lv, err = d.m.join(jupyter.WithLimit(d.ctx, openFor), d.Path(), d.kind, refusedrooms.MaxTries, nil)
		if err != nil {
			d.m.log.Debug("rejoining the room failed", "path", d.Path(), "error", err)
		}
		return err
	})
	switch {
	case err == nil:
		d.mu.Lock()
		d.replace(lv)
		d.mu.Unlock()
		d.seats.Move(lv.room)
		d.changes(ydoc.Changes{}) // not Complete: anything may have changed
	case d.ctx.Err() == nil:
		d.m.drop(d.entry, err.Error())
	}
	return err == nil
}

// changes records the time of a change, and notifies the observers.
func (d keeper) changes(c ydoc.Changes) {
	c.State = false // state is not content
	if c.Empty() {
		return
	}
	d.mu.Lock()
	d.changed = time.Now()
	d.mu.Unlock()
	d.m.tell(Event{Kind: Changed, Document: d.Document, Changes: c})
}
