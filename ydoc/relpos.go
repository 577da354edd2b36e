package ydoc

import (
	"encoding/json"
	"fmt"

	crdt "github.com/skyterra/y-crdt"
)

// relativePosition is a place in a shared text that stays where it is while others edit around it, in the form that
// JupyterLab's cursors have (Yjs, RelativePosition.js). All four keys are always written: a tab stumbles over a missing
// one.
type relativePosition struct {
	Type  *jsonID `json:"type"`
	TName *string `json:"tname"`
	Item  *jsonID `json:"item"`
	Assoc int     `json:"assoc"`
}

type jsonID struct {
	Client uint64 `json:"client"`
	Clock  uint64 `json:"clock"`
}

// maxPositionBytes is far above the size of any position.
const maxPositionBytes = 4 << 10

// relative makes the position before the unit off of a text.
func (t *shared) relative(off int) (json.RawMessage, error) {
	if off < 0 || off > t.Length {
		return nil, invalidf("position %d is out of range, the text has %d UTF-16 units", off, t.Length)
	}
	var p relativePosition
	if t.Item != nil {
		p.Type = &jsonID{uint64(t.Item.ID.Client), uint64(t.Item.ID.Clock)}
	} else {
		p.TName = &t.root
	}
	if off < t.Length {
		item, at := t.seek(off + 1)
		if c, ok := item.Content.(*text); ok {
			if _, inside := cut(c.b, c.n, at-1); inside {
				return nil, invalidf("position %d is inside a character", off)
			}
		}
		p.Item = &jsonID{uint64(item.ID.Client), uint64(item.ID.Clock + at - 1)}
	}
	b, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode a position: %w", err)
	}
	return b, nil
}

// resolve finds the type and the offset that a position stands for now.
func (d *Doc) resolve(raw json.RawMessage) (t *shared, off int, ok bool) {
	var p relativePosition
	if len(raw) > maxPositionBytes || json.Unmarshal(raw, &p) != nil {
		return nil, 0, false
	}
	switch {
	case p.Item != nil:
		item, diff := d.lookup(p.Item)
		if item == nil {
			return nil, 0, false
		}
		if t, _ = item.Parent.(*shared); t == nil || item.ParentSub != "" {
			return nil, 0, false
		}
		if visible(item) {
			off = diff
			if p.Assoc < 0 {
				off++
			}
		}
		for left := item.Left; left != nil; left = left.Left {
			if visible(left) {
				off += left.Length
			}
		}
	case p.TName != nil:
		t, _ = d.y.Share[*p.TName].(*shared)
	case p.Type != nil:
		if item, _ := d.lookup(p.Type); item != nil && !item.Deleted() {
			t = sharedOf(item)
		}
	}
	if t == nil {
		return nil, 0, false
	}
	if p.Item == nil && p.Assoc >= 0 {
		off = t.Length
	}
	return t, off, true
}

// lookup finds the item that holds a unit, or what an undo put in its place, and the unit's offset in it.
func (d *Doc) lookup(id *jsonID) (item *crdt.Item, off int) {
	client, clock := int(id.Client), int(id.Clock)
	for {
		structs := d.y.Store.Clients[client]
		if structs == nil || clock < 0 || clock >= crdt.GetState(d.y.Store, client) {
			return nil, 0
		}
		item, ok := (*structs)[indexOf(*structs, clock)].(*crdt.Item)
		if !ok {
			return nil, 0
		}
		off = clock - item.ID.Clock
		if item.Redone == nil {
			return item, off
		}
		client, clock = item.Redone.Client, item.Redone.Clock+off
	}
}

// itemAt is the item with that very id, deleted or not.
func (d *Doc) itemAt(id crdt.ID) *crdt.Item {
	structs := d.y.Store.Clients[id.Client]
	if structs == nil {
		return nil
	}
	item, ok := (*structs)[indexOf(*structs, id.Clock)].(*crdt.Item)
	if !ok || !sameID(item.ID, id) {
		return nil
	}
	return item
}

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
		if e.typ == nil || e.typ.child(keySource, kindText) == nil {
			return invalidf("cell %q is malformed: its source is not a shared text", id)
		}
		p, err = e.typ.child(keySource, kindText).relative(offset)
		return err
	})
	return p, err
}

// ResolvePosition finds the cell and the offset in its source, in UTF-16 units, that a position of anybody's stands for
// now. ok is false when it stands in no source of a cell, or in something that this replica has not got.
func (n *Notebook) ResolvePosition(p json.RawMessage) (cellID string, offset int, ok bool) {
	n.read("resolve a position", func() {
		t, off, found := n.resolve(p)
		if !found || t.Item == nil || t.Item.Deleted() || t.Item.ParentSub != keySource {
			return
		}
		n.arrange()
		if cell := t.parent(); cell != nil && cell.node != nil && !cell.Item.Deleted() {
			cellID, offset, ok = cell.node.id, off, true
		}
	})
	return cellID, offset, ok
}

// RelativePosition makes the position before the UTF-16 unit offset of the text, or the one at its end.
func (t *Text) RelativePosition(offset int) (p json.RawMessage, err error) {
	err = t.do("make a position", func() error {
		p, err = t.source.relative(offset)
		return err
	})
	return p, err
}

// ResolvePosition finds the offset in UTF-16 units that a position of anybody's stands for now.
func (t *Text) ResolvePosition(p json.RawMessage) (offset int, ok bool) {
	t.read("resolve a position", func() {
		var s *shared
		s, offset, ok = t.resolve(p)
		ok = ok && s == t.source
	})
	return offset, ok
}
