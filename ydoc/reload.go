package ydoc

import (
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// reloads counts how often the server has replaced the document by the content of the file, because another program
// wrote the file (jupyter_server_ydoc, rooms.py, _on_outofband_change). A reload undoes edits that were not in the
// file.
type reloads struct {
	hash    string // of the state, after the last transaction
	content bool   // the last remote transaction that changed anything changed content and was not a known reload
	maybe   bool   // the server has since cleared dirty: a reload, unless the hash follows
	count   uint64
}

// Reloads is how often this replica has seen the server replace the document by the file's content. The server does
// not announce a reload; it removes the file's hash from the state. Without a hash, it may write the metadata or the
// text of the document, which it does in no other case; last it clears dirty, as after a save but without the hash
// that follows a save, so the next transaction decides. jupyter-server-documents writes neither path nor hash, so its
// reloads cannot be distinguished from saves and are not counted.
func (d *Doc) Reloads() (n uint64) {
	d.read("count the reloads", func() { n = d.reloads.count })
	return n
}

// Server returns the client id of the Jupyter server: the client that wrote the document's path into the state. ok is
// false while the state has no path.
func (d *Doc) Server() (client uint64, ok bool) {
	d.read("find the server", func() { client, ok = d.state.Writer("path") })
	return client, ok
}

// noteReload checks a transaction for a reload.
func (d *Doc) noteReload(c *crdt.Change) {
	r := &d.reloads
	had := r.hash != ""
	r.hash = stringValue(d.state.Get("hash"))
	if _, ok := d.state.Writer("path"); !ok || c.Local || len(c.Touched) == 0 {
		return // an echo of our own update changes nothing
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

// onlyClean reports whether a transaction changed only the dirty flag.
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

// rewritten reports whether the server (the client that wrote the path into the state) wrote something that only a
// reload writes.
func (d *Doc) rewritten(c *crdt.Change) bool {
	server, ok := d.state.Writer("path")
	if !ok || c.Has(d.state) || !slices.Contains(c.Clients(), server) {
		return false // together with the state, it is being loaded
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
