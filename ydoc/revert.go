package ydoc

import (
	"cmp"
	"slices"

	crdt "github.com/skyterra/y-crdt"
)

// reverter takes one step back, within a transaction.
type reverter struct {
	*tx
	s      *step
	kept   map[*shared]bool // cells that are not to be touched
	ids    []string         // those of cells that were left as they are
	back   []*crdt.Item     // what the step deleted and is to return
	missed bool             // whether something could not return
}

func (r *reverter) run() {
	cells, _ := r.d.y.Share[rootCells].(*shared)
	if cells != nil && cells.kind != kindArray {
		cells = nil
	}
	hadCells := cells != nil && cells.Length > 0
	if cells != nil {
		for _, sw := range r.s.swaps {
			if !sw.gone {
				r.moveBack(cells, sw)
			}
		}
		r.spare(cells)
	}
	r.gather()
	// Returning comes first: a map entry returns only into a place that nobody else has taken, and whether the step's own
	// value is still there cannot be seen any more once it is deleted.
	drop := set(r.added())
	wanted := set(r.back)
	for _, item := range r.back {
		r.restore(item, wanted, drop)
	}
	for _, item := range slices.Backward(r.added()) {
		item.Delete(r.Transaction)
	}
	for _, sw := range r.s.swaps {
		if t := r.d.typeAt(sw.new); t != nil && t.parent() == cells && !r.kept[t] {
			r.fitKeys(t)
		}
	}
	forgetLists(r.Transaction)
	if hadCells && cells.Length == 0 {
		r.newCell(cells, 0, NewCell{ID: randomCellID(), Type: Code}) // see Notebook.Edit
	}
}

func set(items []*crdt.Item) map[*crdt.Item]bool {
	m := make(map[*crdt.Item]bool, len(items))
	for _, item := range items {
		m[item] = true
	}
	return m
}

// spare finds the cells that are to be left as they are because of what others did.
func (r *reverter) spare(cells *shared) {
	added := r.added()
	for _, item := range added {
		if t := sharedOf(item); t != nil && t.parent() == cells && !r.kept[t] && r.writtenIn(t) {
			r.keep(t)
		}
	}
	// A deleted cell does not return beside another of its id that somebody has made since.
	drop := set(added)
	taken := map[string]bool{}
	for item := cells.Start; item != nil; item = item.Right {
		if t := sharedOf(item); t != nil && visible(item) && !drop[item] {
			taken[stringValue(t.get(keyID))] = true
		}
	}
	for client, spans := range r.s.deleted {
		for _, sp := range spans {
			for _, item := range itemsIn(r.Transaction, client, sp) {
				t := sharedOf(item)
				if t == nil || t.parent() != cells {
					continue
				}
				if id := t.Map[keyID]; id != nil && taken[stringValue(lastValue(id))] {
					r.keep(t)
				}
			}
		}
	}
}

// keep leaves a cell as it is.
func (r *reverter) keep(t *shared) {
	r.kept[t] = true
	if item := t.Map[keyID]; item != nil {
		r.ids = append(r.ids, stringValue(lastValue(item)))
	}
}

// added lists the live items that the step added, or that took their place since, in the order of their clocks. Those in
// cells that are kept are left out.
func (r *reverter) added() (items []*crdt.Item) {
	type stretch struct {
		client int
		span
	}
	var todo []stretch
	from := r.s.from
	for _, c := range r.s.copies { // which stand for something older
		if c.clock > from {
			todo = append(todo, stretch{r.d.y.ClientID, span{from, c.clock - from}})
		}
		from = c.clock + c.length
	}
	if from < r.s.to {
		todo = append(todo, stretch{r.d.y.ClientID, span{from, r.s.to - from}})
	}
	for len(todo) > 0 {
		t := todo[0]
		todo = todo[1:]
		for _, item := range itemsIn(r.Transaction, t.client, t.span) {
			switch {
			case item.Redone != nil:
				todo = append(todo, stretch{item.Redone.Client, span{item.Redone.Clock, item.Length}})
			case !item.Deleted() && !r.inKept(item):
				items = append(items, item)
			}
		}
	}
	return items
}

// gather lists what the step deleted: what stood in the latest copy of a cell first, because what stood in an older one
// finds its place among that.
func (r *reverter) gather() {
	clients := make([]int, 0, len(r.s.deleted))
	for client := range r.s.deleted {
		clients = append(clients, client)
	}
	slices.Sort(clients)
	for _, client := range clients {
		for _, sp := range r.s.deleted[client] {
			for _, item := range itemsIn(r.Transaction, client, sp) {
				if item.Deleted() && item.Redone == nil && !r.inKept(item) {
					r.back = append(r.back, item)
				}
			}
		}
	}
	slices.SortStableFunc(r.back, func(a, b *crdt.Item) int { return cmp.Compare(r.age(a), r.age(b)) })
}

// age is how often what an item stands in was replaced by a copy.
func (r *reverter) age(item *crdt.Item) (n int) {
	t, _ := item.Parent.(*shared)
	if t == nil || t.Item == nil {
		return 0
	}
	for in := t.Item; in != nil && in.Redone != nil; in = r.d.itemAt(*in.Redone) {
		n++
	}
	return n
}

// inKept reports whether an item is, or stands in, a cell that is not to be touched.
func (r *reverter) inKept(item *crdt.Item) bool {
	if len(r.kept) == 0 {
		return false
	}
	if t := sharedOf(item); t != nil && r.kept[t] {
		return true
	}
	t, _ := item.Parent.(*shared)
	for depth := 0; t != nil && depth < maxNesting; depth++ {
		if r.kept[t] {
			return true
		}
		t = t.parent()
	}
	return false
}

// writtenIn reports whether anybody else has characters in a cell's source.
func (r *reverter) writtenIn(cell *shared) bool {
	t := cell.child(keySource, kindText)
	if t == nil {
		return false
	}
	for item := t.Start; item != nil; item = item.Right {
		if visible(item) && item.ID.Client != r.d.y.ClientID {
			return true
		}
	}
	return false
}

// restore makes a copy of a deleted item in its old place and returns it; nil where that place is gone or taken.
func (r *reverter) restore(item *crdt.Item, wanted, drop map[*crdt.Item]bool) *crdt.Item {
	if item.Redone != nil {
		return nil // done already, on the way to something inside it
	}
	if _, gone := item.Content.(*crdt.ContentDeleted); gone {
		r.missed = true
		return nil
	}
	parent := r.parentOf(item, wanted, drop)
	if parent == nil {
		r.missed = true
		return nil
	}
	var made *crdt.Item
	if item.ParentSub != "" {
		now := parent.Map[item.ParentSub]
		if now != nil && now != item && !drop[now] && !(now.Deleted() && now.Info&itemDeletedHere != 0) {
			return nil // somebody has set or deleted it since
		}
		made = r.attach(parent, item.ParentSub, now, nil, r.copyContent(item))
	} else {
		left, right := r.around(r.stoodFor(item), parent)
		made = r.attach(parent, "", left, right, r.copyContent(item))
	}
	redone(item, made)
	return made
}

// stoodFor is the item in whose place an item is to return: itself, or, for a cell that the step moved before it deleted
// it, the one from before the move.
func (r *reverter) stoodFor(item *crdt.Item) *crdt.Item {
	for _, sw := range r.s.swaps {
		if sw.gone && sameID(sw.new, item.ID) {
			if was := r.d.itemAt(sw.old); was != nil {
				return was
			}
		}
	}
	return item
}

// copyContent copies what an item holds; a shared type without what is in it, which is restored by itself.
func (r *reverter) copyContent(item *crdt.Item) crdt.IAbstractContent {
	if t := sharedOf(item); t != nil {
		return crdt.NewContentType(t.Copy())
	}
	return item.Content.Copy()
}

// parentOf is the live type into which an item returns: the one that it stood in, or what takes that one's place.
func (r *reverter) parentOf(item *crdt.Item, wanted, drop map[*crdt.Item]bool) *shared {
	parent, _ := item.Parent.(*shared)
	if parent == nil || parent.Item == nil {
		return parent
	}
	now, _ := r.d.lookup(&jsonID{uint64(parent.Item.ID.Client), uint64(parent.Item.ID.Clock)})
	if now != nil && now.Deleted() && wanted[now] {
		now = r.restore(now, wanted, drop)
	}
	if now == nil || now.Deleted() {
		return nil
	}
	return sharedOf(now)
}

// around finds the neighbours between which an item returns: itself and what stands left of it, or, in a type that took
// the place of its own, what took theirs.
func (r *reverter) around(item *crdt.Item, parent *shared) (left, right *crdt.Item) {
	if item.Parent == parent {
		return item.Left, item
	}
	// in finds where a unit of the old list is now, in the new type.
	in := func(i *crdt.Item, unit int) (*crdt.Item, int) {
		if i.Redone == nil {
			return nil, 0
		}
		now, off := r.d.lookup(&jsonID{uint64(i.ID.Client), uint64(i.ID.Clock + unit)})
		if now == nil || now.Parent != parent {
			return nil, 0
		}
		return now, off
	}
	// The nearest that is there, on either side.
	for l, rt := item.Left, item.Right; l != nil || rt != nil; {
		if l != nil {
			if now, off := in(l, l.Length-1); now != nil {
				if off+1 < now.Length {
					r.split(now, off+1)
				}
				return now, now.Right
			}
			l = l.Left
		}
		if rt != nil {
			if now, off := in(rt, 0); now != nil {
				if off > 0 {
					now = r.split(now, off)
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

// fitKeys gives a cell the keys that its type has: what a run has written since
// is no part of the step that is taken back, and stays behind in a cell that
// gets its former type back.
func (r *reverter) fitKeys(cell *shared) {
	if stringValue(cell.get(keyType)) != Code {
		for _, k := range []string{keyOutputs, keyCount, keyState} {
			r.unset(cell, k)
		}
		return
	}
	if cell.at(keyOutputs) == nil {
		r.setType(cell, keyOutputs, kindArray)
	}
	if cell.at(keyCount) == nil {
		r.setValue(cell, keyCount, nil)
	}
}

// moveBack puts a cell back to where it was before the step, and with what it has become since, as a copy. One that got
// another type is replaced by a copy too: its type is never changed in place.
func (r *reverter) moveBack(cells *shared, sw swap) {
	now := r.d.typeAt(sw.new)
	if now == nil || now.parent() != cells {
		r.ids = append(r.ids, sw.id) // somebody deleted or replaced it
		return
	}
	was := r.d.itemAt(sw.old)
	if was == nil || was.Parent != cells {
		return
	}
	// Right where the old one stood, so that the order among others that come and go there stays.
	now.Item.Delete(r.Transaction)
	made := newShared(kindMap)
	r.attach(cells, "", was.Left, was, crdt.NewContentType(made))
	cells.marks.reset()
	r.copyCell(made, now)
	r.replaced(now, made)
}
