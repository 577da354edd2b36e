package ydoc

import (
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// reloads counts how often the server has put the content of the file in the document's place, because another program
// wrote the file (jupyter_server_ydoc, rooms.py, _on_outofband_change): edits that were not in the file are undone by that.
type reloads struct {
	hash    string // in the state, after the last transaction
	content bool   // the last remote transaction that changed anything changed the content, and was no known reload
	maybe   bool   // the server has said since that the document is not dirty: it was a reload, unless the hash follows
	count   uint64
}

// Reloads is how often this replica has seen the server put the file's content in the document's place. The server does
// not say so. It takes the file's hash out of the state. Where there is none yet, it may write the metadata or the text of
// the document, which it does in no other case; and it says last that the document is not dirty, as after a save, but
// without the hash that follows then, so that the next transaction tells. jupyter-server-documents writes no path and no
// hash, and nothing else tells its reloads from its saves: none is counted there.
func (d *Doc) Reloads() (n uint64) {
	d.read("count the reloads", func() { n = d.reloads.count })
	return n
}

// Server is the client that the Jupyter server writes as: the one that wrote the document's path into the state. It is false
// as long as the state has no path.
func (d *Doc) Server() (client uint64, ok bool) {
	d.read("find the server", func() { client, ok = d.state.Writer("path") })
	return client, ok
}

// noteReload looks for a reload in a transaction.
func (d *Doc) noteReload(c *crdt.Change) {
	r := &d.reloads
	had := r.hash != ""
	r.hash = stringValue(d.state.Get("hash"))
	if _, ok := d.state.Writer("path"); !ok || c.Local || len(c.Touched) == 0 {
		return // an echo of ours changes nothing
	}
	has := r.hash != ""
	if r.maybe && !has {
		r.count++
	}
	clean := d.onlyClean(c)
	r.maybe = clean && r.content && !had
	r.content = !clean && !has
	if r.content && (had || d.rewritten(c)) {
		r.count++
		r.content = false
	}
}

// onlyClean reports whether all that a transaction has changed is whether the document is dirty.
func (d *Doc) onlyClean(c *crdt.Change) bool {
	if len(c.Touched) != 1 || !c.Has(d.state) {
		return false
	}
	for key := range c.Keys(d.state) {
		if key != "dirty" {
			return false
		}
	}
	return true
}

// rewritten reports whether the server, which is who wrote the path into the state, has written what only a reload writes.
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
