package session

import (
	"context"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/refusedrooms"
)

// When to look for a replica that has grown far beyond its content. Our replica never collects deleted content, such as
// cleared outputs; the server's collects some, so a fresh replica is smaller.
const (
	tidyEvery = time.Minute      // between two looks
	tidyIdle  = 20 * time.Second // without use before a document is touched
)

// tidy joins the room of an idle document again if its replica has grown far beyond its content. Before it drops the old
// replica, it waits until the room has all our edits; a document that is used in the meantime stays as it is until the next
// look.
func tidy(d *Document, lv *live) {
	if last, busy := d.lastUse(); busy || time.Since(last) < tidyIdle {
		return
	}
	b := lv.doc.Bloat()
	if !b.Outgrew(lv.joined) {
		return
	}
	ctx, stop := context.WithTimeout(d.ctx, leaveTimeout)
	defer stop()
	if err := lv.room.Barrier(ctx); err != nil {
		return // the connection is down; the room reconnects
	}
	fresh, err := d.m.join(jupyter.WithLimit(ctx, openFor), d.Path(), d.kind, refusedrooms.MaxTries, nil)
	if err != nil {
		d.m.log.Debug("an overgrown replica was kept: rejoining failed", "path", d.Path(), "error", err)
		return
	}
	d.mu.Lock()
	swap := d.users == 0 && !d.closed && d.live == lv
	if swap {
		d.replace(fresh)
	}
	d.mu.Unlock()
	if swap {
		d.seats.Move(fresh.room)
	}
	old := lo.Ternary(!swap, fresh, lv)
	d.m.log.Info("an overgrown replica was rejoined", "path", d.Path(), "structs", b.Structs, "fresh", fresh.joined.Structs, "taken", swap)
	if err := old.room.Leave(ctx); err != nil {
		d.m.log.Debug("leaving a room that was joined twice failed", "path", d.Path(), "error", err)
	}
}
