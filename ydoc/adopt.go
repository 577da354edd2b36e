package ydoc

import "github.com/nbduet/nbduet/ydoc/crdt"

// adopt looks whether somebody else has moved cells: what we have written into the old ones may have been dropped by the
// server, and is then put into the new ones.
func (n *Notebook) adopt(c *crdt.Change) {
	if c.Local || !c.Deleted() || !c.Has(n.cells) {
		return
	}
	gone := map[string]*crdt.Type{}
	for _, t := range c.Removed(n.cells) {
		if id, ok := t.Lately(keyID); ok {
			gone[stringValue(id)] = t
		}
	}
	if len(gone) == 0 {
		return
	}
	for t := range n.cells.Entries() {
		if t == nil || t.Kind() != crdt.KindMap {
			continue
		}
		if old := gone[stringValue(t.Get(keyID))]; old != nil && nodeOf(t) == nil {
			n.replica.Succeeded(c, old, t, crdt.Places{At: place, Kept: kept})
		}
	}
}
