package ydoc

import (
	"maps"
	"time"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// While the server saves, it gives a cell another id if it meets an id twice (jupyter_ydoc, ynotebook.py, _get). That
// happens for two copies of one cell, one of which is about to go, and for a cell moved down during the save, which
// the server meets twice because others may write between two cells. Messages about the cell still use the old id, so
// the replica that made the copy restores it, if no other cell has it.

// rename holds the id of a cell from before the server changed it.
type rename struct {
	was   string
	since time.Time
}

const (
	// renamedFor is how long such a cell may get its id back.
	renamedFor = time.Minute
	// maxRenamed is the largest number of former ids remembered.
	maxRenamed = 256
)

// noteRenames notes the cells that the server has renamed, and reports whether there are any.
func (n *Notebook) noteRenames(c *crdt.Change) (some bool) {
	if c.Local {
		return false
	}
	for t := range c.Types() {
		if t.Holder() != n.cells || t.Kind() != crdt.KindMap || t.Deleted() {
			continue
		}
		for key := range c.Keys(t) {
			if key == keyID {
				some = n.noteRename(t) || some
			}
		}
	}
	return some
}

func (n *Notebook) noteRename(t *crdt.Type) bool {
	server, known := n.state.Writer("path")
	if by, ok := t.Writer(keyID); !ok || !known || by != server || by == n.ClientID() {
		return false
	}
	before, _ := t.Before(keyID)
	was, now := n.originalID(stringValue(before)), stringValue(t.Get(keyID))
	if was == "" || was == now || len(n.renamed) >= maxRenamed {
		return false
	}
	if n.renamed == nil {
		n.renamed = map[string]rename{}
	}
	n.renamed[now] = rename{was, time.Now()}
	return true
}

// originalID returns the id from before a rename by the server, or id itself.
func (n *Notebook) originalID(id string) string {
	if r, ok := n.renamed[id]; ok {
		return r.was
	}
	return id
}

// restoreIDs restores the ids of cells that this replica made.
func (n *Notebook) restoreIDs() {
	if len(n.renamed) == 0 {
		return
	}
	maps.DeleteFunc(n.renamed, func(_ string, r rename) bool { return time.Since(r.since) > renamedFor })
	taken := map[string]bool{}
	ours := map[string]*crdt.Type{}
	for t := range n.cells.Entries() {
		if t == nil || t.Kind() != crdt.KindMap {
			continue
		}
		id := stringValue(t.Get(keyID))
		taken[id] = true
		if _, ok := n.renamed[id]; ok && t.Maker() == n.ClientID() {
			ours[id] = t
		}
	}
	for id, t := range ours {
		if was := n.renamed[id].was; !taken[was] {
			taken[was] = true
			delete(n.renamed, id)
			n.replica.SetLater(t, keyID, was)
		}
	}
}
