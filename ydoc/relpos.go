package ydoc

import (
	"encoding/json"
	"fmt"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// RelativePosition makes the position before the UTF-16 unit offset of a cell's source, or the one at its end, for use
// in an awareness state. It stays at the character while others edit around it.
func (n *Notebook) RelativePosition(id string, offset int) (p json.RawMessage, err error) {
	err = n.do("make a position", func() error {
		n.arrange()
		i, ok := n.index[id]
		if !ok {
			return fmt.Errorf("%w: %q", ErrNotFound, id)
		}
		e := n.order[i]
		if e.typ == nil || e.typ.Child(keySource, crdt.KindText) == nil {
			return crdt.Invalidf("cell %q is malformed: its source is not a shared text", id)
		}
		p, err = e.typ.Child(keySource, crdt.KindText).Relative(offset)
		return err
	})
	return p, err
}

// ResolvePosition finds the cell and the offset in its source, in UTF-16 units, that a position of anybody's stands for
// now. ok is false when it stands in no source of a cell, or in something that this replica has not got.
func (n *Notebook) ResolvePosition(p json.RawMessage) (cellID string, offset int, ok bool) {
	n.read("resolve a position", func() {
		t, off, found := n.replica.Resolve(p)
		if !found || t.Deleted() || t.Key() != keySource {
			return
		}
		n.arrange()
		if cell := t.Holder(); cell != nil && nodeOf(cell) != nil && !cell.Deleted() {
			cellID, offset, ok = nodeOf(cell).id, off, true
		}
	})
	return cellID, offset, ok
}

// RelativePosition makes the position before the UTF-16 unit offset of the text, or the one at its end.
func (t *Text) RelativePosition(offset int) (p json.RawMessage, err error) {
	err = t.do("make a position", func() error {
		p, err = t.source.Relative(offset)
		return err
	})
	return p, err
}

// ResolvePosition finds the offset in UTF-16 units that a position of anybody's stands for now.
func (t *Text) ResolvePosition(p json.RawMessage) (offset int, ok bool) {
	t.read("resolve a position", func() {
		var s *crdt.Type
		s, offset, ok = t.replica.Resolve(p)
		ok = ok && s == t.source
	})
	return offset, ok
}
