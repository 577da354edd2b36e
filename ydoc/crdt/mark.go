package crdt

import (
	ycrdt "github.com/skyterra/y-crdt"
)

// A copy does not name its original. So its maker leaves a tombstone right after the original, immediately before the
// copy in its order of changes: one unit, deleted from the start. Peers do not show it, but its origin identifies the
// original, even to peers that had it deleted before.

// markBefore finds the tombstone of a copy and returns its origin.
func markBefore(store *ycrdt.StructStore, made unit) (of unit, ok bool) {
	if made.clock == 0 || made.clock >= ycrdt.GetState(store, made.client) {
		return unit{}, false
	}
	item := itemAt(store, unit{made.client, made.clock - 1})
	if item == nil || item.Origin == nil || item.ParentSub != "" || !item.Deleted() {
		return unit{}, false
	}
	if _, ok := item.Content.(*ycrdt.ContentDeleted); !ok {
		return unit{}, false
	}
	if copied := holding(store, made); copied == nil || copied.Parent != item.Parent {
		return unit{}, false
	}
	return unitOf(item.Origin), true
}

// isTabs reports whether a possible copy was made by a tab and not by one of our replicas.
func isTabs(store *ycrdt.StructStore, made *Type) bool {
	_, ours := markBefore(store, unitOf(&made.Item.ID))
	return !ours
}
