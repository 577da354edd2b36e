package crdt

import (
	"fmt"

	ycrdt "github.com/skyterra/y-crdt"
)

// Tx is one local transaction. Its methods change shared types directly: the library's own methods lose values, panic
// at bounds, and search through a variable shared by all documents. Values must come from [Plain]. A position outside
// a list is a bug in the caller and panics.
type Tx struct {
	trans *ycrdt.Transaction
	step  *Step // the step being recorded, or nil
	r     *Replica
}

// attach makes an item and integrates it.
func (x *Tx) attach(parent *Type, key string, left, right *ycrdt.Item, c ycrdt.IAbstractContent) *ycrdt.Item {
	item := &ycrdt.Item{
		AbstractStruct: ycrdt.AbstractStruct{ID: ycrdt.NextID(x.trans), Length: c.GetLength()},
		Left:           left,
		Origin:         ycrdt.GetItemLastID(left),
		Right:          right,
		RightOrigin:    ycrdt.GetItemID(right),
		Parent:         parent,
		ParentSub:      key,
		Content:        c,
	}
	if c.IsCountable() {
		item.Info = itemCountable
	}
	item.Integrate(x.trans, 0)
	return item
}

// set sets a map key to a content.
func (x *Tx) set(m *Type, key string, c ycrdt.IAbstractContent) *ycrdt.Item {
	return x.attach(m, keyIn(key), m.Map[keyIn(key)], nil, c)
}

// Set sets a map key to a plain value.
func (x *Tx) Set(m *Type, key string, v any) { x.set(m, key, newValue(v)) }

// SetChanged is Set unless the key already has that value.
func (x *Tx) SetChanged(m *Type, key string, v any) {
	if !m.Has(key) || !EqualValues(m.Get(key), v) {
		x.Set(m, key, v)
	}
}

// SetType sets a map key to an empty shared type, to be filled afterwards.
func (x *Tx) SetType(m *Type, key string, kind uint8) *Type {
	t := newType(kind)
	x.set(m, key, ycrdt.NewContentType(t))
	return t
}

// Unset deletes a map key.
func (x *Tx) Unset(m *Type, key string) {
	if item := m.at(key); item != nil {
		item.Delete(x.trans)
	}
}

// gap returns the neighbours of position pos in a list, splitting an item if necessary. An insertion goes after
// deleted items at its place, so that consecutive runs can merge.
func (x *Tx) gap(t *Type, pos int) (left, right *ycrdt.Item) {
	left, right = x.cutAt(t, pos)
	for right != nil && right.Deleted() {
		left, right = right, right.Right
	}
	return left, right
}

// cutAt returns the items right before and after position pos of a list, splitting one if necessary.
func (x *Tx) cutAt(t *Type, pos int) (left, right *ycrdt.Item) {
	left, n := t.seek(pos)
	switch {
	case left == nil && pos > 0:
		panic(fmt.Errorf("position %d is past the end %d", pos, t.Length))
	case left == nil:
		return nil, t.Start
	}
	return left, rightOf(x.trans, left, n-1)
}

// insert inserts a content into a list at pos.
func (x *Tx) insert(t *Type, pos int, c ycrdt.IAbstractContent) {
	left, right := x.gap(t, pos)
	item := x.attach(t, "", left, right, c)
	t.marks.inserted(pos, item.Length)
}

// InsertType inserts an empty shared type into a list at pos, to be filled afterwards.
func (x *Tx) InsertType(t *Type, pos int, kind uint8) *Type {
	n := newType(kind)
	x.insert(t, pos, ycrdt.NewContentType(n))
	return n
}

// InsertValue inserts a plain value into a list at pos.
func (x *Tx) InsertValue(t *Type, pos int, v any) { x.insert(t, pos, newValue(v)) }

// InsertText inserts characters into a text at pos, a position in units between two characters.
func (x *Tx) InsertText(t *Type, pos int, s string) {
	if s == "" {
		return
	}
	x.insert(t, pos, newText(s))
	t.spliced(pos, 0, s)
}

// Remove deletes n values of a list from pos.
func (x *Tx) Remove(t *Type, pos, n int) {
	if n == 0 {
		return
	}
	_, item := x.cutAt(t, pos)
	for left := n; left > 0; item = item.Right {
		if item == nil {
			panic(fmt.Errorf("%d units from %d are past the end", n, pos))
		}
		if !visible(item) {
			continue
		}
		if left < item.Length {
			split(x.trans, item, left)
		}
		item.Delete(x.trans)
		left -= item.Length
	}
	t.marks.deleted(pos, n)
}

// RemoveText deletes n units of a text from pos; both ends must be between characters.
func (x *Tx) RemoveText(t *Type, pos, n int) {
	if n > 0 {
		x.Remove(t, pos, n)
		t.spliced(pos, n, "")
	}
}
