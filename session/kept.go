package session

import (
	"context"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// Kept is a notebook with its journal.
type Kept struct{ *Document }

// Look notes that the author of a call is shown the notebook at a revision.
func (k Kept) Look(ctx context.Context, rev ydoc.Revision) {
	if a := origin.Of(ctx); k.kept.snapshots != nil && a.Owner != "" {
		k.kept.snapshots.Look(a.Owner, rev.String())
	}
}

// Looked returns the revision that the author of a call was last shown, also by an earlier process, and when; "" if that is
// not known.
func (k Kept) Looked(ctx context.Context) (revision string, at time.Time) {
	a := origin.Of(ctx)
	if k.kept.snapshots == nil || a.Owner == "" {
		return "", at
	}
	return k.kept.snapshots.Looked(ctx, a.Owner)
}

// obeyStops cancels the runs in the notebook once for each person's Stop, and says who has pressed it. A Stop from before the
// notebook was opened counts too: a run may have been taken up, and code without a cell may have run meanwhile.
func (k Kept) obeyStops(lv *live) (says string) {
	stops := editguard.Stops(lv.nb)
	for _, h := range stops {
		if says = h.Pressed(); !slices.Contains(k.kept.stops, h) {
			k.wg.Go(func() {
				ctx, stop := context.WithTimeout(k.ctx, obeyWithin)
				defer stop()
				if err := k.cells.Stop(ctx, h.Pressed()); err != nil {
					k.m.log.Warn("runs may continue after Stop", "path", k.Path(), "error", err)
				}
			})
		}
	}
	k.kept.stops = stops
	return says
}
