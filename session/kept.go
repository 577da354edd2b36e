package session

import (
	"context"
	"time"

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
