package ydoc

import (
	"encoding/json"
	"fmt"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// RelativePosition returns the position before the UTF-16 unit offset of a cell's source, or at its end, for an
// awareness state. It stays at its character while others edit around it.
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

// ResolvePosition returns the cell and the present offset in its source, in UTF-16 units, of a position made by any
// client. ok is false if it is not in the source of a cell, or refers to an item that this replica lacks.
func (n *Notebook) ResolvePosition(p json.RawMessage) (cellID string, offset int, ok bool) {
	n.read("resolve a position", func() {
		n.arrange()
		if t, off, found := n.sourceAt(p); found {
			cellID, offset, ok = nodeOf(t.Holder()).id, off, true
		}
	})
	return cellID, offset, ok
}

// A Selection is a pair of resolved positions: a caret, or selected text.
type Selection struct {
	Cell  Cell
	Index int // of the cell
	// Anchor and Head are offsets in the cell's source, in UTF-16 units. If the anchor is elsewhere, Anchor equals
	// Head.
	Anchor, Head int
	// Whole is false if the anchor is elsewhere, so that the selected text is not known.
	Whole bool
}

// ResolveSelection returns the cell that contains head, and both positions in it. ok is false if head is not in the
// source of a cell, see [Notebook.ResolvePosition], or the cell was replaced by another with its id.
func (n *Notebook) ResolveSelection(anchor, head json.RawMessage) (s Selection, ok bool) {
	n.read("resolve a selection", func() {
		n.arrange()
		h, off, found := n.sourceAt(head)
		if !found {
			return
		}
		cell := h.Holder()
		i, known := n.index[nodeOf(cell).id]
		if !known || n.order[i].typ != cell {
			return
		}
		s, ok = Selection{Cell: n.snapshot(i), Index: i, Anchor: off, Head: off}, true
		if a, off, found := n.sourceAt(anchor); found && a == h {
			s.Anchor, s.Whole = off, true
		}
	})
	return s, ok
}

// sourceAt returns the source of an existing cell, and the offset in it, that a position refers to.
func (n *Notebook) sourceAt(p json.RawMessage) (source *crdt.Type, off int, ok bool) {
	t, off, found := n.replica.Resolve(p)
	if !found || t.Deleted() || t.Key() != keySource {
		return nil, 0, false
	}
	cell := t.Holder()
	return t, off, cell != nil && nodeOf(cell) != nil && !cell.Deleted()
}

// RelativePosition returns the position before the UTF-16 unit offset of the text, or at its end.
func (t *Text) RelativePosition(offset int) (p json.RawMessage, err error) {
	err = t.do("make a position", func() error {
		p, err = t.source.Relative(offset)
		return err
	})
	return p, err
}

// ResolvePosition returns the present offset, in UTF-16 units, of a position made by any client.
func (t *Text) ResolvePosition(p json.RawMessage) (offset int, ok bool) {
	t.read("resolve a position", func() {
		var s *crdt.Type
		s, offset, ok = t.replica.Resolve(p)
		ok = ok && s == t.source
	})
	return offset, ok
}
