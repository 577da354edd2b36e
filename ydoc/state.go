package ydoc

import (
	"strings"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// State is what the root map "state" says of the document.
type State struct {
	// Path is the file's path as the server sees it.
	Path string
	// Dirty is true from an edit in a JupyterLab tab until the server has saved.
	Dirty bool
	// Hash is the SHA-256 of the file as last saved, in hex.
	Hash string
	// DocumentID is the room's id, once a tab has set it.
	DocumentID string
}

// State returns what the server and the tabs say of the document.
func (d *Doc) State() (s State) {
	d.read("read the state", func() {
		s.Path = stringValue(d.state.Get("path"))
		s.Dirty, _ = d.state.Get("dirty").(bool)
		s.Hash = stringValue(d.state.Get("hash"))
		s.DocumentID = stringValue(d.state.Get("document_id"))
	})
	return s
}

// ownState begins the keys of the state map that are ours. What others have there is the server's and the tabs'.
const ownState = "nbduet:"

// maxStateEntries bounds how many entries of ours the state map has.
const maxStateEntries = 10_000

// SetState makes entries of the state map plain JSON values, in one transaction; nil removes one. Their keys begin with
// "nbduet:". Everybody in the room has them, for as long as the server keeps the room, and they are no content: they are
// not in the file, and nothing has a revision, or can be taken back, because of them.
func (d *Doc) SetState(entries map[string]any) error {
	return d.do("set the state", func() error {
		ready := make(map[string]any, len(entries))
		added := 0
		for key, v := range entries {
			if !strings.HasPrefix(key, ownState) {
				return crdt.Invalidf("the key %.80q of the state does not begin with %q", key, ownState)
			}
			if _, err := crdt.Plain(key, 1); err != nil {
				return err
			}
			plain, err := crdt.Plain(v, d.limits.Depth)
			if err != nil {
				return err
			}
			if ready[key] = plain; plain != nil && !d.state.Has(key) {
				added++
			}
		}
		if added > 0 && len(d.stateEntries(ownState))+added > maxStateEntries {
			return tooLargef("more than %d entries of the state", maxStateEntries)
		}
		return d.write(func(x tx) {
			for _, key := range sortedKeys(ready) {
				if v := ready[key]; v != nil {
					x.SetChanged(d.state, key, v)
				} else {
					x.Unset(d.state, key)
				}
			}
		})
	})
}

// StateEntries returns the entries of the state map whose keys begin with prefix. Their values are shared: copy what is to
// be changed.
func (d *Doc) StateEntries(prefix string) (entries map[string]any) {
	entries = map[string]any{}
	d.read("read the state", func() { entries = d.stateEntries(prefix) })
	return entries
}

// StateEntriesIn is [Doc.StateEntries] within an edit.
func StateEntriesIn(e *Editor, prefix string) map[string]any { return e.n.stateEntries(prefix) }

func (d *Doc) stateEntries(prefix string) map[string]any {
	entries := map[string]any{}
	for _, key := range d.state.Keys() {
		if strings.HasPrefix(key, prefix) {
			entries[key] = d.state.Get(key)
		}
	}
	return entries
}
