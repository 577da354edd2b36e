package crdt

import (
	ycrdt "github.com/skyterra/y-crdt"
)

// Yjs has no move: to move or retype something, a copy is inserted and the original deleted. Each item is linked to
// its copy, so that undo and carets can find it.

// InsertCopy inserts an empty type into a list at pos, to be filled with a copy of old from the same list.
func (x *Tx) InsertCopy(t *Type, pos int, old *Type) *Type {
	x.mark(old)
	return x.InsertType(t, pos, old.kind)
}

// mark inserts the tombstone (mark.go) after a list's type that is about to be copied.
func (x *Tx) mark(old *Type) {
	if list := old.Holder(); list != nil && old.Item.ParentSub == "" {
		x.attach(list, "", old.Item, old.Item.Right, ycrdt.NewContentDeleted(1))
	}
}

// Fill fills an empty type with a copy of another's content, which is about to be deleted, key by key and value by
// value.
func (x *Tx) Fill(dst, src *Type) { x.fill(dst, src, 0) }

func (x *Tx) fill(dst, src *Type, depth int) {
	if depth > maxNesting {
		return
	}
	for _, k := range src.Keys() {
		x.fillKey(dst, src, k, depth)
	}
	var last *ycrdt.Item
	for item := src.Start; item != nil; item = item.Right {
		if !visible(item) {
			continue
		}
		if t := typeOf(item); t != nil {
			c := t.empty()
			last = x.attach(dst, "", last, nil, ycrdt.NewContentType(c))
			x.becomes(item, last)
			x.fill(c, t, depth+1)
		} else {
			last = x.attach(dst, "", last, nil, item.Content.Copy())
			x.becomes(item, last)
		}
	}
}

// FillKey copies the value under a key from one map to another.
func (x *Tx) FillKey(dst, src *Type, key string) { x.fillKey(dst, src, key, 0) }

func (x *Tx) fillKey(dst, src *Type, key string, depth int) {
	item := src.at(key)
	if t := typeOf(item); t != nil {
		c := t.empty()
		x.becomes(item, x.set(dst, key, ycrdt.NewContentType(c)))
		x.fill(c, t, depth+1)
		if t.kind == KindText {
			x.r.remember(t)
		}
		return
	}
	made := x.set(dst, key, copyOne(item.Content, item.Length-1))
	if item.Length == 1 {
		x.becomes(item, made)
	}
}

// MoveValue deletes the plain value at from of a list and inserts a copy at index to.
func (x *Tx) MoveValue(t *Type, from, to int) {
	item, off := t.seek(from + 1) // perhaps one value of several
	v := copyOne(item.Content, off-1)
	x.Remove(t, from, 1)
	x.insert(t, to, v)
}

// copyOne copies one value of a content.
func copyOne(c ycrdt.IAbstractContent, off int) ycrdt.IAbstractContent {
	c = c.Copy()
	if off > 0 {
		c = c.Splice(off)
	}
	if c.GetLength() > 1 {
		c.Splice(1)
	}
	return c
}

// Becomes notes that made will be a copy of old.
func (x *Tx) Becomes(old, made *Type) { x.becomes(old.Item, made.Item) }

// becomes notes that a copy replaced an item. A copy of an item added by the same step counts as added.
func (x *Tx) becomes(item, made *ycrdt.Item) {
	redone(item, made)
	if s := x.step; s != nil && !x.madeByStep(item) {
		s.copies = append(s.copies, span{made.ID.Clock, made.Length})
	}
}

// redone links an item to its replacement.
func redone(item, made *ycrdt.Item) {
	id := made.ID
	item.Redone = &id
}
