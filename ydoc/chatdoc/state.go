package chatdoc

import (
	"maps"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

const (
	// ownState begins the keys of the state map that are ours.
	ownState = "nbduet:"
	// maxStateEntries bounds how many entries of ours the state map has.
	maxStateEntries = 10_000
)

// SetState makes entries of the state map plain JSON values, in one transaction; nil removes one. Their keys begin with
// "nbduet:". As those of a notebook they are in the room, for as long as the server keeps it, and not in the file.
func (d *Doc) SetState(entries map[string]any) error {
	return d.write("set the state", func(x *crdt.Tx) error {
		ready := make(map[string]any, len(entries))
		added := 0
		for key, v := range entries {
			if !strings.HasPrefix(key, ownState) {
				return crdt.Invalidf("the key %.80q of the state does not begin with %q", key, ownState)
			}
			if _, err := crdt.Plain(key, 1); err != nil {
				return err
			}
			plain, err := crdt.Plain(v, maxDepth)
			if err != nil {
				return err
			}
			if ready[key] = plain; plain != nil && !d.state.Has(key) {
				added++
			}
		}
		if added > 0 && len(stateEntries(d, ownState))+added > maxStateEntries {
			return crdt.Invalidf("more than %d entries of the state", maxStateEntries)
		}
		for _, key := range slices.Sorted(maps.Keys(ready)) {
			if v := ready[key]; v != nil {
				x.SetChanged(d.state, key, v)
			} else {
				x.Unset(d.state, key)
			}
		}
		return nil
	})
}

// StateEntries returns the entries of the state map whose keys begin with prefix. Their values are shared: copy what is to
// be changed.
func (d *Doc) StateEntries(prefix string) (entries map[string]any) {
	entries = map[string]any{}
	d.Read("read the state", func() { entries = stateEntries(d, prefix) })
	return entries
}

func stateEntries(d *Doc, prefix string) map[string]any {
	entries := map[string]any{}
	for _, key := range d.state.Keys() {
		if strings.HasPrefix(key, prefix) {
			entries[key] = d.state.Get(key)
		}
	}
	return entries
}
