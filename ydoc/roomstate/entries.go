// Package roomstate keeps entries of ours in the state map of a room's document, of whatever kind that is. Everybody in the
// room has them, for as long as the server keeps the room, and they are no content: they are not in the file.
package roomstate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// own begins the keys of the state map that are ours. What others have there is the server's and the tabs'.
const own = "nbduet:"

// Most is how many entries of ours the state map has at most.
const Most = 10_000

// ErrTooMany says that there would be more than [Most] entries.
var ErrTooMany = fmt.Errorf("more than %d entries of the state", Most)

// Entries are checked entries, with plain JSON values; nil removes one.
type Entries map[string]any

// Check checks entries that are to be put into a state map. Their keys begin with "nbduet:", and their values are nested no
// deeper than depth. The error matches [crdt.ErrInvalid], and [ErrTooMany].
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

// Put puts the entries into a state map. What is there already is not written again.
func (e Entries) Put(x *crdt.Tx, state *crdt.Type) {
	for _, key := range slices.Sorted(maps.Keys(e)) {
		if v := e[key]; v != nil {
			x.SetChanged(state, key, v)
		} else {
			x.Unset(state, key)
		}
	}
}

// In returns the entries of a state map whose keys begin with prefix. Their values are shared: copy what is to be changed.
func In(state *crdt.Type, prefix string) map[string]any {
	entries := map[string]any{}
	for _, key := range state.Keys() {
		if strings.HasPrefix(key, prefix) {
			entries[key] = state.Get(key)
		}
	}
	return entries
}
