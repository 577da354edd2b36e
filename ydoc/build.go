package ydoc

import (
	"fmt"
	"slices"

	crdt "github.com/skyterra/y-crdt"
)

// tx is one transaction of ours. Its methods change shared types directly: the library's own methods for that lose
// values, panic at bounds, and search through a variable shared by all documents.
type tx struct {
	*crdt.Transaction
	d *Doc
}

// attach makes an item and integrates it.
func (x *tx) attach(parent *shared, key string, left, right *crdt.Item, c crdt.IAbstractContent) *crdt.Item {
	item := &crdt.Item{
		AbstractStruct: crdt.AbstractStruct{ID: crdt.NextID(x.Transaction), Length: c.GetLength()},
		Left:           left,
		Origin:         crdt.GetItemLastID(left),
		Right:          right,
		RightOrigin:    crdt.GetItemID(right),
		Parent:         parent,
		ParentSub:      key,
		Content:        c,
	}
	if c.IsCountable() {
		item.Info = itemCountable
	}
	item.Integrate(x.Transaction, 0)
	return item
}

// split cuts an item in two and returns the right part.
func (x *tx) split(item *crdt.Item, off int) *crdt.Item { return split(x.Transaction, item, off) }

func split(trans *crdt.Transaction, item *crdt.Item, off int) *crdt.Item {
	structs := trans.Doc.Store.Clients[item.ID.Client]
	i, err := crdt.FindIndexSS(*structs, item.ID.Clock)
	if err != nil {
		panic(fmt.Errorf("item %d:%d is not in the store: %w", item.ID.Client, item.ID.Clock, err))
	}
	right := crdt.SplitItem(trans, item, off)
	right.Info |= item.Info & itemDeletedHere
	*structs = slices.Insert(*structs, i+1, crdt.IAbstractStruct(right))
	return right
}

// set gives a map key a value.
func (x *tx) set(m *shared, key string, c crdt.IAbstractContent) *crdt.Item {
	return x.attach(m, keyIn(key), m.Map[keyIn(key)], nil, c)
}

func (x *tx) setValue(m *shared, key string, v any) { x.set(m, key, newValue(v)) }

// setType gives a map key an empty shared type, to be filled afterwards.
func (x *tx) setType(m *shared, key string, kind uint8) *shared {
	t := newShared(kind)
	x.set(m, key, crdt.NewContentType(t))
	return t
}

// unset deletes a map key.
func (x *tx) unset(m *shared, key string) {
	if item := m.at(key); item != nil {
		item.Delete(x.Transaction)
	}
}

// gap returns the neighbours of position pos in a list, splitting an item if need be. An insertion goes behind what was
// deleted at its place, so that runs that follow each other can merge.
func (x *tx) gap(t *shared, pos int) (left, right *crdt.Item) {
	left, off := t.seek(pos)
	switch {
	case left == nil && pos > 0:
		panic(fmt.Errorf("position %d is beyond the end %d", pos, t.Length))
	case left == nil:
		right = t.Start
	case off < left.Length:
		right = x.split(left, off)
	default:
		right = left.Right
	}
	for right != nil && right.Deleted() {
		left, right = right, right.Right
	}
	return left, right
}

// insert puts a content into a list at pos.
func (x *tx) insert(t *shared, pos int, c crdt.IAbstractContent) {
	left, right := x.gap(t, pos)
	item := x.attach(t, "", left, right, c)
	t.marks.inserted(pos, item.Length)
}

// insertType puts an empty shared type into a list at pos, to be filled afterwards.
func (x *tx) insertType(t *shared, pos int, kind uint8) *shared {
	n := newShared(kind)
	x.insert(t, pos, crdt.NewContentType(n))
	return n
}

// insertText puts characters into a text at pos, a position in units between two characters.
func (x *tx) insertText(t *shared, pos int, s string) {
	if s == "" {
		return
	}
	x.insert(t, pos, newText(s))
	t.spliced(pos, 0, s)
}

// remove deletes n units of a list from pos.
func (x *tx) remove(t *shared, pos, n int) {
	if n == 0 {
		return
	}
	item, off := t.seek(pos)
	switch {
	case item == nil && pos > 0:
		panic(fmt.Errorf("position %d is beyond the end %d", pos, t.Length))
	case item == nil:
		item = t.Start
	case off < item.Length:
		item = x.split(item, off)
	default:
		item = item.Right
	}
	for left := n; left > 0; item = item.Right {
		if item == nil {
			panic(fmt.Errorf("%d units from %d are beyond the end", n, pos))
		}
		if !visible(item) {
			continue
		}
		if left < item.Length {
			x.split(item, left)
		}
		item.Delete(x.Transaction)
		left -= item.Length
	}
	t.marks.deleted(pos, n)
}

// removeText deletes n units of a text from pos; both ends must lie between characters.
func (x *tx) removeText(t *shared, pos, n int) {
	if n > 0 {
		x.remove(t, pos, n)
		t.spliced(pos, n, "")
	}
}
