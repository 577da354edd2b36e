package ydoc

import (
	"errors"

	"github.com/nbduet/nbduet/ydoc/roomstate"
)

// State is the document's state as in the root map "state".
type State struct {
	// Path is the file's path as the server sees it.
	Path string
	// Dirty is true from an edit in a JupyterLab tab until the server has saved it.
	Dirty bool
	// Hash is the SHA-256 of the file as last saved, in hex.
	Hash string
	// DocumentID is the room's id, once a tab has set it.
	DocumentID string
}

// State returns the document's state as the server and the tabs have set it.
func (d *Doc) State() (s State) {
	d.read("read the state", func() {
		s.Path = stringValue(d.state.Get("path"))
		s.Dirty, _ = d.state.Get("dirty").(bool)
		s.Hash = stringValue(d.state.Get("hash"))
		s.DocumentID = stringValue(d.state.Get("document_id"))
	})
	return s
}

// SetState sets entries of the state map to plain JSON values, in one transaction, see [roomstate.Check]; nil removes
// one. It changes no revision and cannot be undone.
func (d *Doc) SetState(entries map[string]any) error {
	return d.do("set the state", func() error {
		ready, err := roomstate.Check(d.state, entries, d.limits.Depth)
		if errors.Is(err, roomstate.ErrTooMany) {
			return tooLargef("%w", roomstate.ErrTooMany)
		}
		if err != nil {
			return err
		}
		return d.write(func(x tx) { ready.Put(x.Tx, d.state) })
	})
}

// StateEntries returns the entries of the state map whose keys begin with prefix, see [roomstate.In].
func (d *Doc) StateEntries(prefix string) (entries map[string]any) {
	entries = map[string]any{}
	d.read("read the state", func() { entries = roomstate.In(d.state, prefix) })
	return entries
}

// StateEntriesIn is [Doc.StateEntries] within an edit.
func StateEntriesIn(e *Editor, prefix string) map[string]any { return roomstate.In(e.n.state, prefix) }
