package ydoc

import "github.com/nbduet/nbduet/ydoc/crdt"

// adopt checks whether another client has moved cells. The server may have dropped our writes to the old cells; adopt
// repeats them in the new ones. If we moved the same cell at the same time, adopt removes one of the two copies.
func (n *Notebook) adopt(c *crdt.Change) {
	if c.Local || !c.Has(n.cells) {
		return
	}
	gone := map[string]*crdt.Type{}
	if c.Deleted() {
		for _, t := range c.Removed(n.cells) {
			if id, ok := t.Lately(keyID); ok {
				gone[n.originalID(stringValue(id))] = t
			}
		}
	}
	places := crdt.Places{At: place, Kept: kept}
	made, here, ours := map[string]*crdt.Type{}, map[string]*crdt.Type{}, map[string]*crdt.Type{} // by id: new cells, and others
	put := func(in map[string]*crdt.Type, id string, t *crdt.Type) {
		if other := in[id]; other == nil || n.replica.Outranks(t, other) {
			in[id] = t
		}
	}
	for t := range n.cells.Entries() {
		if t == nil || t.Kind() != crdt.KindMap {
			continue
		}
		switch id := n.originalID(stringValue(t.Get(keyID))); {
		case t.Maker() == n.ClientID():
			put(ours, id, t)
			put(here, id, t)
		case nodeOf(t) == nil:
			put(made, id, t)
		default:
			put(here, id, t)
		}
	}
	for id, old := range gone {
		now := made[id]
		if e := here[id]; now == nil && e != nil && (!nodeOf(e).isTwin() || n.replaces(nodeOf(e))) {
			now = e
		}
		if now != nil {
			n.replica.Succeeded(c, old, now, places)
		}
	}
	for id, theirs := range made {
		// A cell with the same id that a tab appends much later is not a copy.
		if mine := ours[id]; mine != nil && (n.replica.IsCopy(theirs) || nodeOf(mine).isRecent()) {
			n.replica.Rival(mine, theirs, places)
		}
	}
}
