package crdt

import (
	"cmp"
	"slices"

	ycrdt "github.com/skyterra/y-crdt"
)

// Revert takes one step back, within a transaction: what the step added goes, what it deleted returns as copies in its
// old places, or in what took the place of what it stood in. What others have done since stays.
type Revert struct {
	*Tx
	s      *Step
	kept   map[*Type]bool // true: with all that is in it; false: but for what the step wrote
	back   []*ycrdt.Item  // what the step deleted and is to return
	mine   map[*ycrdt.Item]bool
	missed bool
}

// Revert takes steps back, the last of them first, in one transaction, and returns what that did, for them to be made
// again. f says of each what is special about the document: it is to call [Revert.Run], and may look at the step and
// except types before.
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

// Run takes the step back but for what is kept.
func (v *Revert) Run() {
	v.gather()
	// Returning comes first: a map entry returns only into a place that nobody else has taken, and whether the step's
	// own value is still there cannot be seen any more once it is deleted.
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

// Missed reports whether something could not be put back because what it stood in is gone.
func (v *Revert) Missed() bool { return v.missed }

// Place is where a type is, whatever copy takes its place.
type Place unit

// PlaceOf is the place of a type that is no root.
func PlaceOf(t *Type) Place { return Place(unitOf(&t.Item.ID)) }

// TypeAt is the live type at a place, nil where it was deleted.
func (v *Revert) TypeAt(p Place) *Type { return typeAt(v.trans.Doc.Store, unit(p)) }

// Keep leaves a type and all that is in it as it is.
func (v *Revert) Keep(t *Type) { v.kept[t] = true }

// Open has what the step wrote into a type taken back though the type itself is in one that is left as it is.
func (v *Revert) Open(t *Type) { v.kept[t] = false }

// Kept reports whether a type is left as it is.
func (v *Revert) Kept(t *Type) bool { return v.kept[t] }

// Swaps are those of the step.
func (v *Revert) Swaps() []*Swap { return v.s.swaps }

// Now is the type that a swap's copy has become, nil when it was deleted.
func (v *Revert) Now(sw *Swap) *Type { return typeAt(v.trans.Doc.Store, sw.new) }

// PutBack deletes a type of a list, which took the place of another, and makes an empty one of its kind right where the
// other stood, so that the order among what comes and goes there stays. It returns nil, and has done nothing, where
// there is no such place in the list.
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

// Added lists the live types that the step added, or that took the place of those.
func (v *Revert) Added() (types []*Type) {
	for _, item := range v.added() {
		if t := typeOf(item); t != nil {
			types = append(types, t)
		}
	}
	return types
}

// Deleted lists the types that the step deleted.
func (v *Revert) Deleted() (types []*Type) {
	for _, item := range itemsOf(v.trans, v.s.deleted) {
		if t := typeOf(item); t != nil {
			types = append(types, t)
		}
	}
	return types
}

// OthersIn reports whether a list has values or characters that are not of the step: of other people, or of other steps,
// which may be another's who writes through the same replica. It is to be asked before anything is excepted.
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

// Cut lists the texts in which somebody else has deleted characters that the step wrote.
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

// added lists the live items that the step added, or that took their place since, in the order of their clocks. Those
// in types that are kept are left out.
func (v *Revert) added() (items []*ycrdt.Item) {
	var todo []stretch
	own, from := v.trans.Doc.ClientID, v.s.from
	for _, c := range v.s.copies { // which stand for something older
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

// gather lists what the step deleted: what stood in the latest copy of a type first, because what stood in an older one
// finds its place among that.
func (v *Revert) gather() {
	for _, item := range itemsOf(v.trans, v.s.deleted) {
		if item.Deleted() && item.Redone == nil && !v.inKept(item) {
			v.back = append(v.back, item)
		}
	}
	slices.SortStableFunc(v.back, func(a, b *ycrdt.Item) int { return cmp.Compare(v.age(a), v.age(b)) })
}

// age is how often what an item stands in was replaced by a copy.
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

// inKept reports whether an item is, or stands in, a type that is kept.
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
			now = v.TypeAt(PlaceOf(t)) // the copy that took its place
		}
		if all, there := v.kept[now]; there {
			return all
		}
		t = t.Holder()
	}
	return false
}

// restore makes a copy of a deleted item in its old place and returns it; nil where that place is gone or taken.
func (v *Revert) restore(item *ycrdt.Item, wanted, drop map[*ycrdt.Item]bool) *ycrdt.Item {
	if item.Redone != nil {
		return nil // done already, on the way to something inside it
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
			return nil // somebody has set or deleted it since
		}
		made = v.attach(parent, item.ParentSub, now, nil, copyContent(item))
	} else {
		left, right := v.around(v.stoodFor(item), parent)
		made = v.attach(parent, "", left, right, copyContent(item))
	}
	redone(item, made)
	return made
}

// stoodFor is the item in whose place an item is to return: itself, or, for a type that the step moved before it
// deleted it, the one from before the move.
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

// copyContent copies what an item holds; a shared type without what is in it, which is restored by itself.
func copyContent(item *ycrdt.Item) ycrdt.IAbstractContent {
	if t := typeOf(item); t != nil {
		return ycrdt.NewContentType(t.empty())
	}
	return item.Content.Copy()
}

// parentOf is the live type into which an item returns: the one that it stood in, or what takes that one's place.
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

// around finds the neighbours between which an item returns: itself and what stands left of it, or, in a type that took
// the place of its own, what took theirs.
func (v *Revert) around(item *ycrdt.Item, parent *Type) (left, right *ycrdt.Item) {
	if item.Parent == parent {
		return item.Left, item
	}
	// in finds where a unit of the old list is now, in the new type.
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
	// The nearest that is there, on either side.
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
	// Nothing of the old list is there: behind whatever is.
	for i := parent.Start; i != nil; i = i.Right {
		left = i
	}
	return left, nil
}
