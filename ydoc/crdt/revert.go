package crdt

import (
	"cmp"
	"slices"

	ycrdt "github.com/skyterra/y-crdt"
)

// Revert undoes one step within a transaction: it deletes the step's additions and restores its deletions as copies
// in their old places, or in the replacements of their parents. Others' later changes stay.
type Revert struct {
	*Tx
	s      *Step
	kept   map[*Type]bool // true: with all its content; false: except what the step wrote
	back   []*ycrdt.Item  // deletions of the step to restore
	mine   map[*ycrdt.Item]bool
	missed bool
}

// Revert undoes steps, the last of them first, in one transaction, and returns that as a step, so that it can be
// redone. f handles each step for the document: it must call [Revert.Run], and before that may inspect the step and
// keep types.
func (r *Replica) Revert(f func(v *Revert), steps ...*Step) *Step {
	for _, s := range steps {
		r.Races.End(s)
	}
	return r.Record(func(x *Tx) {
		for _, s := range slices.Backward(steps) {
			f(&Revert{Tx: x, s: s, kept: map[*Type]bool{}})
			r.release(x.trans, s)
		}
	})
}

// Run undoes the step except for kept types.
func (v *Revert) Run() {
	v.gather()
	// Restore first: a map entry is restored only if no other client has set it since, and that the value is still
	// the step's own cannot be seen once it is deleted.
	drop := setOf(v.added())
	wanted := setOf(v.back)
	for _, item := range v.back {
		v.restore(item, wanted, drop)
	}
	for _, item := range slices.Backward(v.added()) {
		item.Delete(v.trans)
	}
	forgetLists(v.trans)
}

func setOf(items []*ycrdt.Item) map[*ycrdt.Item]bool {
	m := make(map[*ycrdt.Item]bool, len(items))
	for _, item := range items {
		m[item] = true
	}
	return m
}

// Missed reports whether something could not be restored because its parent is gone.
func (v *Revert) Missed() bool { return v.missed }

// Place identifies a type and all its later copies.
type Place unit

// PlaceOf returns the place of a type, which must not be a root.
func PlaceOf(t *Type) Place { return Place(unitOf(&t.Item.ID)) }

// TypeAt returns the live type at a place, nil if it was deleted.
func (v *Revert) TypeAt(p Place) *Type { return typeAt(v.trans.Doc.Store, unit(p)) }

// Keep leaves a type and all its content as they are.
func (v *Revert) Keep(t *Type) { v.kept[t] = true }

// Open makes Run undo what the step wrote into a type, although the type is in a kept one.
func (v *Revert) Open(t *Type) { v.kept[t] = false }

// Kept reports whether a type is kept.
func (v *Revert) Kept(t *Type) bool { return v.kept[t] }

// Swaps returns the swaps of the step.
func (v *Revert) Swaps() []*Swap { return v.s.swaps }

// Now returns the latest copy of a swapped type, nil if it was deleted.
func (v *Revert) Now(sw *Swap) *Type { return typeAt(v.trans.Doc.Store, sw.new) }

// PutBack deletes a type of a list, which replaced another, and makes an empty one of its kind right at the
// original's place, so that the order of additions and deletions there stays. If the list has no such place, it does
// nothing and returns nil.
func (v *Revert) PutBack(sw *Swap, now *Type) *Type {
	was, list := itemAt(v.trans.Doc.Store, sw.old), now.Holder()
	if was == nil || was.Parent != list {
		return nil
	}
	now.Item.Delete(v.trans)
	v.mark(now)
	made := now.empty()
	v.attach(list, "", was.Left, was, ycrdt.NewContentType(made))
	list.marks.reset()
	return made
}

// Added returns the live types that the step added, or their replacements.
func (v *Revert) Added() (types []*Type) {
	for _, item := range v.added() {
		if t := typeOf(item); t != nil {
			types = append(types, t)
		}
	}
	return types
}

// Deleted returns the types that the step deleted.
func (v *Revert) Deleted() (types []*Type) {
	for _, item := range itemsOf(v.trans, v.s.deleted) {
		if t := typeOf(item); t != nil {
			types = append(types, t)
		}
	}
	return types
}

// OthersIn reports whether a list has values or characters from outside the step: of other people, or of other steps,
// which may be those of another user of the same replica. Call it before keeping any type.
func (v *Revert) OthersIn(t *Type) bool {
	if v.mine == nil {
		v.mine = setOf(v.added())
	}
	for item := t.Start; item != nil; item = item.Right {
		if visible(item) && !v.mine[item] {
			return true
		}
	}
	return false
}

// Cut returns the texts in which others have deleted characters that the step wrote.
func (v *Revert) Cut() (texts []*Type) {
	if v.s.from == v.s.to {
		return nil
	}
	for _, item := range itemsIn(v.trans, v.trans.Doc.ClientID, span{v.s.from, v.s.to - v.s.from}) {
		if !item.Deleted() || item.Redone != nil || item.Info&(itemDeletedHere|itemCountable) != itemCountable {
			continue
		}
		if t, _ := item.Parent.(*Type); t != nil && t.kind == KindText && !t.Deleted() && !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
	}
	return texts
}

// added returns the live items that the step added, or their replacements, in the order of their clocks, without
// those in kept types.
func (v *Revert) added() (items []*ycrdt.Item) {
	var todo []stretch
	own, from := v.trans.Doc.ClientID, v.s.from
	for _, c := range v.s.copies { // copies of older items
		if c.clock > from {
			todo = append(todo, stretch{own, span{from, c.clock - from}})
		}
		from = c.clock + c.length
	}
	if from < v.s.to {
		todo = append(todo, stretch{own, span{from, v.s.to - from}})
	}
	for item := range latest(v.trans, todo...) {
		if !v.inKept(item) {
			items = append(items, item)
		}
	}
	return items
}

// gather collects the deletions of the step: items of the latest copy of a type first, because items of older copies
// are placed among them.
func (v *Revert) gather() {
	for _, item := range itemsOf(v.trans, v.s.deleted) {
		if item.Deleted() && item.Redone == nil && !v.inKept(item) {
			v.back = append(v.back, item)
		}
	}
	slices.SortStableFunc(v.back, func(a, b *ycrdt.Item) int { return cmp.Compare(v.age(a), v.age(b)) })
}

// age is the number of times an item's parent was replaced by a copy.
func (v *Revert) age(item *ycrdt.Item) (n int) {
	t, _ := item.Parent.(*Type)
	if t == nil || t.Item == nil {
		return 0
	}
	for in := t.Item; in != nil && in.Redone != nil; in = itemAt(v.trans.Doc.Store, unitOf(in.Redone)) {
		n++
	}
	return n
}

// inKept reports whether an item is a kept type or is in one.
func (v *Revert) inKept(item *ycrdt.Item) bool {
	if len(v.kept) == 0 {
		return false
	}
	if t := typeOf(item); t != nil && v.kept[t] {
		return true
	}
	t, _ := item.Parent.(*Type)
	for depth := 0; t != nil && depth < maxNesting; depth++ {
		now := t
		if t.Deleted() {
			now = v.TypeAt(PlaceOf(t)) // its latest copy
		}
		if all, there := v.kept[now]; there {
			return all
		}
		t = t.Holder()
	}
	return false
}

// restore makes a copy of a deleted item in its old place and returns it; nil if that place is gone or taken.
func (v *Revert) restore(item *ycrdt.Item, wanted, drop map[*ycrdt.Item]bool) *ycrdt.Item {
	if item.Redone != nil {
		return nil // already done, on the way to something inside it
	}
	if _, gone := item.Content.(*ycrdt.ContentDeleted); gone {
		v.missed = true
		return nil
	}
	parent := v.parentOf(item, wanted, drop)
	if parent == nil {
		v.missed = true
		return nil
	}
	var made *ycrdt.Item
	if item.ParentSub != "" {
		now := parent.Map[item.ParentSub]
		if now != nil && now != item && !drop[now] && !(now.Deleted() && now.Info&itemDeletedHere != 0) {
			return nil // another client has set or deleted it since
		}
		made = v.attach(parent, item.ParentSub, now, nil, copyContent(item))
	} else {
		left, right := v.around(v.stoodFor(item), parent)
		made = v.attach(parent, "", left, right, copyContent(item))
	}
	redone(item, made)
	return made
}

// stoodFor returns the item at whose place an item is restored: itself, or the original of a type that the step moved
// before it deleted it.
func (v *Revert) stoodFor(item *ycrdt.Item) *ycrdt.Item {
	for _, sw := range v.s.swaps {
		if sw.Gone && sw.new == unitOf(&item.ID) {
			if was := itemAt(v.trans.Doc.Store, sw.old); was != nil {
				return was
			}
		}
	}
	return item
}

// copyContent copies the content of an item; a shared type is copied empty, because its content is restored
// separately.
func copyContent(item *ycrdt.Item) ycrdt.IAbstractContent {
	if t := typeOf(item); t != nil {
		return ycrdt.NewContentType(t.empty())
	}
	return item.Content.Copy()
}

// parentOf returns the live type into which an item is restored: its parent, or the parent's replacement.
func (v *Revert) parentOf(item *ycrdt.Item, wanted, drop map[*ycrdt.Item]bool) *Type {
	parent, _ := item.Parent.(*Type)
	if parent == nil || parent.Item == nil {
		return parent
	}
	now, _ := lookup(v.trans.Doc.Store, unitOf(&parent.Item.ID))
	if now != nil && now.Deleted() && wanted[now] {
		now = v.restore(now, wanted, drop)
	}
	if now == nil || now.Deleted() {
		return nil
	}
	return typeOf(now)
}

// around returns the neighbours for restoring an item: its left neighbour and itself, or their replacements in a
// replacement of its parent.
func (v *Revert) around(item *ycrdt.Item, parent *Type) (left, right *ycrdt.Item) {
	if item.Parent == parent {
		return item.Left, item
	}
	// in returns the present place of a unit of the old list in the new type.
	in := func(i *ycrdt.Item, off int) (*ycrdt.Item, int) {
		if i.Redone == nil {
			return nil, 0
		}
		now, off := lookup(v.trans.Doc.Store, unit{i.ID.Client, i.ID.Clock + off})
		if now == nil || now.Parent != parent {
			return nil, 0
		}
		return now, off
	}
	// The nearest present neighbour, on either side.
	for l, rt := item.Left, item.Right; l != nil || rt != nil; {
		if l != nil {
			if now, off := in(l, l.Length-1); now != nil {
				return now, rightOf(v.trans, now, off)
			}
			l = l.Left
		}
		if rt != nil {
			if now, off := in(rt, 0); now != nil {
				if off > 0 {
					now = split(v.trans, now, off)
				}
				return now.Left, now
			}
			rt = rt.Right
		}
	}
	// Nothing of the old list is present: at the end.
	for i := parent.Start; i != nil; i = i.Right {
		left = i
	}
	return left, nil
}
