package ydoc

import (
	"maps"
	"time"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// The server gives a cell another id where it comes upon an id twice while it saves (jupyter_ydoc, ynotebook.py, _get).
// It does so of two copies of one cell, of which one is about to go, and of a cell that is moved down while it saves,
// which it comes upon twice: between two cells it lets others write. All that was said of the cell names the old id
// though. So who made the copy gives it that again, when no other cell has it.

// rename is what the id of a cell was before the server gave it another.
type rename struct {
	was   string
	since time.Time
}

const (
	// renamedFor is how long such a cell may get its id back.
	renamedFor = time.Minute
	// maxRenamed is of how many ids it is remembered what they were.
	maxRenamed = 256
)

// noteRenames notes which cells the server has given another id, and reports whether there are any.
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

// originalID is the id that a cell had before the server gave it this one, or else this.
func (n *Notebook) originalID(id string) string {
	if r, ok := n.renamed[id]; ok {
		return r.was
	}
	return id
}

// restoreIDs has cells that we made get their ids back.
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
