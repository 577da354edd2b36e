// Package roomstate keeps nbduet's entries in the state map of any room's document. All clients in the room share
// them while the server keeps the room. They are not content and not in the file.
package roomstate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// own is the prefix of our keys in the state map. The other keys belong to the server and the tabs.
const own = "nbduet:"

// Most is the largest number of our entries in the state map.
const Most = 10_000

// ErrTooMany means that there would be more than [Most] entries.
var ErrTooMany = fmt.Errorf("more than %d state entries", Most)

// Entries are checked entries, with plain JSON values; nil removes one.
type Entries map[string]any

// Check checks entries before they are put into a state map: their keys must begin with "nbduet:", and their values
// must not be nested deeper than depth. The error matches [crdt.ErrInvalid], and [ErrTooMany] if there are too many.
func Check(state *crdt.Type, entries map[string]any, depth int) (Entries, error) {
	ready := make(Entries, len(entries))
	added := 0
	for key, v := range entries {
		if !strings.HasPrefix(key, own) {
			return nil, crdt.Invalidf("the key %.80q of the state does not begin with %q", key, own)
		}
		if _, err := crdt.Plain(key, 1); err != nil {
			return nil, err
		}
		plain, err := crdt.Plain(v, depth)
		if err != nil {
			return nil, err
		}
		if ready[key] = plain; plain != nil && !state.Has(key) {
			added++
		}
	}
	if added > 0 && len(In(state, own))+added > Most {
		return nil, crdt.Invalidf("%w", ErrTooMany)
	}
	return ready, nil
}

// Put puts the entries into a state map. Unchanged values are not written again.
func (e Entries) Put(x *crdt.Tx, state *crdt.Type) {
	for _, key := range slices.Sorted(maps.Keys(e)) {
		if v := e[key]; v != nil {
			x.SetChanged(state, key, v)
		} else {
			x.Unset(state, key)
		}
	}
}

// In returns the entries of a state map whose keys begin with prefix. Their values are shared: copy them before
// changing them.
func In(state *crdt.Type, prefix string) map[string]any {
	entries := map[string]any{}
	for _, key := range state.Keys() {
		if strings.HasPrefix(key, prefix) {
			entries[key] = state.Get(key)
		}
	}
	return entries
}
