package chatdoc

import (
	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/roomstate"
)

// SetState sets entries of the state map to plain JSON values, in one transaction, see [roomstate.Check]; nil removes
// one.
func (d *Doc) SetState(entries map[string]any) error {
	return d.write("set the state", func(x *crdt.Tx) error {
		ready, err := roomstate.Check(d.state, entries, maxDepth)
		if err == nil {
			ready.Put(x, d.state)
		}
		return err
	})
}

// StateEntries returns the entries of the state map whose keys begin with prefix, see [roomstate.In].
func (d *Doc) StateEntries(prefix string) (entries map[string]any) {
	entries = map[string]any{}
	d.Read("read the state", func() { entries = roomstate.In(d.state, prefix) })
	return entries
}
