package crdt

import (
	ycrdt "github.com/skyterra/y-crdt"
)

// Most transactions of others are a keystroke: one run more or less in one text. The caches of that text are then
// updated; after anything larger they are dropped.

// delta is the one item that a transaction added to or removed from a list.
type delta struct {
	item    *ycrdt.Item
	removed bool
	many    bool // whether there were more
}

// maxDeltas is the largest number of structs of a transaction that are examined.
const maxDeltas = 16

// deltas returns a transaction's additions and removals by list; nil if they are too many.
func deltas(trans *ycrdt.Transaction) map[*Type]delta {
	found := map[*Type]delta{}
	add := func(item *ycrdt.Item, removed bool) {
		if t, ok := item.Parent.(*Type); ok && item.ParentSub == "" && item.Countable() {
			_, many := found[t]
			found[t] = delta{item, removed, many}
		}
	}
	n := 0
	for client, clock := range trans.AfterState {
		before := trans.BeforeState[client]
		if clock == before {
			continue
		}
		structs := *trans.Doc.Store.Clients[client]
		for _, s := range structs[indexOf(structs, before):] {
			if n++; n > maxDeltas {
				return nil
			}
			if item, ok := s.(*ycrdt.Item); ok && !item.Deleted() {
				add(item, false)
			}
		}
	}
	for client, items := range trans.DeleteSet.Clients {
		before := trans.BeforeState[client]
		structs := *trans.Doc.Store.Clients[client]
		for _, d := range items {
			for i := indexOf(structs, d.Clock); i < len(structs) && structs[i].GetID().Clock < d.Clock+d.Length; i++ {
				if n++; n > maxDeltas {
					return nil
				}
				if item, ok := structs[i].(*ycrdt.Item); ok && item.ID.Clock < before {
					add(item, true)
				}
			}
		}
	}
	return found
}

// absorb updates the caches of the lists that a transaction changed.
func absorb(trans *ycrdt.Transaction) {
	var found map[*Type]delta
	looked := false
	for typ := range trans.Changed {
		t, ok := typ.(*Type)
		if !ok || !t.known && len(t.marks.list) == 0 {
			continue
		}
		if !looked {
			found, looked = deltas(trans), true
		}
		if d, ok := found[t]; !ok || d.many || !t.take(d) {
			t.forget()
		}
	}
}

// forgetLists drops the caches of the lists that a transaction changed.
func forgetLists(trans *ycrdt.Transaction) {
	for typ := range trans.Changed {
		if t, ok := typ.(*Type); ok {
			t.forget()
		}
	}
}

// take updates a list's caches after its one change.
func (t *Type) take(d delta) bool {
	pos, ok := t.locate(d.item)
	if !ok {
		return false
	}
	if d.removed {
		t.marks.deleted(pos, d.item.Length)
		t.spliced(pos, d.item.Length, "")
		return true
	}
	t.marks.inserted(pos, d.item.Length)
	switch c := d.item.Content.(type) {
	case *text:
		t.spliced(pos, 0, stringOf(c.b))
	default:
		t.known, t.str = false, ""
	}
	return true
}

// maxLocate is the largest number of items walked to find the position of one. Beyond that, rebuilding the caches on
// the next read costs no more.
const maxLocate = 16 * 64

// locate returns the number of visible units before an item.
func (t *Type) locate(item *ycrdt.Item) (pos int, ok bool) {
	for range maxLocate {
		item = item.Left
		if item == nil {
			return pos, true
		}
		if visible(item) {
			pos += item.Length
		}
		if item.Marker() {
			if at, ok := t.marks.of(item); ok {
				return at + pos, true
			}
		}
	}
	return 0, false
}
