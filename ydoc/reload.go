package ydoc

import (
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// reloads counts how often the server has put the content of the file in the document's place, because another program
// wrote the file (jupyter_server_ydoc, rooms.py, _on_outofband_change): edits that were not in the file are undone by that.
type reloads struct {
	hash  string // in the state, after the last transaction
	count uint64
}

// Reloads is how often this replica has seen the server put the file's content in the document's place. The server does
// not say so: it takes the file's hash out of the state, or, where there is none yet, it writes the metadata or the text
// of the document, which it does in no other case.
func (d *Doc) Reloads() (n uint64) {
	d.read("count the reloads", func() { n = d.reloads.count })
	return n
}

// noteReload looks for a reload in a transaction.
func (d *Doc) noteReload(c *crdt.Change) {
	was := d.reloads.hash
	d.reloads.hash = stringValue(d.state.Get("hash"))
	if !c.Local && d.reloads.hash == "" && (was != "" || d.rewritten(c)) {
		d.reloads.count++
	}
}

// rewritten tells whether the server, which is who wrote the path into the state, has written what only a reload writes.
func (d *Doc) rewritten(c *crdt.Change) bool {
	server, ok := d.state.Writer("path")
	if !ok || c.Has(d.state) || !slices.Contains(c.Clients(), server) {
		return false // with the state it is being loaded
	}
	for t := range c.AddedBy(server) {
		for up := t.Holder(); up != nil; up = t.Holder() {
			t = up
		}
		if root := t.Root(); root == rootMeta || root == rootSource {
			return true
		}
	}
	return false
}
