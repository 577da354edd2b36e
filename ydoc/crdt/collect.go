package crdt

import (
	"cmp"
	"slices"

	ycrdt "github.com/skyterra/y-crdt"
)

// The library deletes and collects single items: the content of a deleted type stays for good. This file ends each
// transaction as Yjs does: the content of a deleted type is deleted too (ContentType.delete), deleted items lose
// their content, and those inside deleted types become bare gaps that merge (ContentType.gc).

// deleteInside deletes everything inside the types that the transaction deleted.
func deleteInside(trans *ycrdt.Transaction) {
	var stack []*Type
	eachDeleted(trans, func(item *ycrdt.Item) {
		if t := typeOf(item); t != nil {
			stack = append(stack, t)
		}
	})
	grown := len(stack) > 0
	remove := func(item *ycrdt.Item) {
		if item.Deleted() {
			return
		}
		item.Delete(trans)
		if t := typeOf(item); t != nil {
			stack = append(stack, t)
		}
	}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for item := t.Start; item != nil; item = item.Right {
			remove(item)
		}
		for _, item := range t.Map {
			remove(item)
		}
		delete(trans.Changed, t)
	}
	if grown {
		ycrdt.SortAndMergeDeleteSet(trans.DeleteSet)
	}
}

// collect drops the content of deleted items, and of items no longer kept for undo, but not of kept ones. It returns
// the other new gaps: items inside deleted types that had been deleted before. The items of held types stay, without
// their contents, until the types are in letGo.
func collect(trans *ycrdt.Transaction, released []*ycrdt.Item, letGo []*Type, held func(*Type) bool) map[int][]span {
	more := map[int][]span{}
	var doomed []*Type
	eachDeleted(trans, func(item *ycrdt.Item) {
		if !item.Keep() && !held(typeOf(item)) {
			collectItem(item, &doomed)
		}
	})
	for _, item := range released {
		if !item.Deleted() || item.Keep() || held(typeOf(item)) {
			continue
		}
		collectItem(item, &doomed)
		more[item.ID.Client] = append(more[item.ID.Client], span{item.ID.Clock, item.Length})
	}
	for _, t := range letGo {
		if typeOf(t.Item) == t && !t.Item.Keep() {
			collectItem(t.Item, &doomed)
			more[t.Item.ID.Client] = append(more[t.Item.ID.Client], span{t.Item.ID.Clock, 1})
		}
	}
	store := trans.Doc.Store
	gap := func(item *ycrdt.Item) {
		if item.Keep() || held(typeOf(item)) {
			return
		}
		client := item.ID.Client
		collectItem(item, &doomed)
		if item.Redone != nil {
			return // other steps and positions use it to find its replacement
		}
		structs := *store.Clients[client]
		structs[indexOf(structs, item.ID.Clock)] = ycrdt.NewGC(item.ID, item.Length)
		more[client] = append(more[client], span{item.ID.Clock, item.Length})
	}
	for len(doomed) > 0 {
		t := doomed[len(doomed)-1]
		doomed = doomed[:len(doomed)-1]
		for item := t.Start; item != nil; item = item.Right {
			gap(item)
		}
		for _, item := range t.Map {
			for ; item != nil; item = item.Left {
				gap(item)
			}
		}
		t.Start, t.Map = nil, nil
		t.read, t.json = false, nil
		t.forget()
	}
	return more
}

func collectItem(item *ycrdt.Item, doomed *[]*Type) {
	if t := typeOf(item); t != nil {
		*doomed = append(*doomed, t)
	}
	if _, gone := item.Content.(*ycrdt.ContentDeleted); !gone {
		item.Content = ycrdt.NewContentDeleted(item.Length)
	}
}

// maxStretches is the largest number of stretches of one client's list in which neighbours are merged one by one. The
// library moves the rest of the list at every merge, and one sweep costs the whole list: a few stretches, as from
// typing over one letter, avoid both.
const maxStretches = 16

// compact merges neighbours where the transaction deleted or added something.
func compact(trans *ycrdt.Transaction, more map[int][]span) {
	touched := map[int][]span{} // by client: the first clock and, as length, the last
	touch := func(client, from, to int) { touched[client] = append(touched[client], span{from, to}) }
	for client, items := range trans.DeleteSet.Clients {
		for _, d := range items {
			touch(client, d.Clock, d.Clock+d.Length)
		}
	}
	for client, spans := range more {
		for _, s := range spans {
			touch(client, s.clock, s.clock+s.length)
		}
	}
	for client, structs := range trans.Doc.Store.Clients {
		last := (*structs)[len(*structs)-1]
		if end := last.GetID().Clock + last.GetLength(); end > trans.BeforeState[client] {
			touch(client, trans.BeforeState[client], end)
		}
	}
	for client, stretches := range touched {
		for _, s := range slices.Backward(joinStretches(stretches)) {
			compactRange(trans.Doc.Store.Clients[client], s.clock, s.length)
		}
	}
}

// joinStretches sorts stretches and joins touching ones, or all if they are many.
func joinStretches(list []span) []span {
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.clock, b.clock) })
	out := list[:1]
	for _, s := range list[1:] {
		if last := &out[len(out)-1]; s.clock <= last.length {
			last.length = max(last.length, s.length)
		} else {
			out = append(out, s)
		}
	}
	if len(out) > maxStretches {
		out[0].length = out[len(out)-1].length
		out = out[:1]
	}
	return out
}

func compactRange(list *[]ycrdt.IAbstractStruct, from, to int) {
	structs := *list
	i := max(indexOf(structs, max(from, structs[0].GetID().Clock))-1, 0)
	end := i + 1
	for end < len(structs) && structs[end].GetID().Clock <= to {
		end++
	}
	w := i
	for r := i + 1; r < end; r++ {
		if !merge(structs[w], structs[r]) {
			w++
			structs[w] = structs[r]
		}
	}
	if w+1 < end {
		*list = slices.Delete(structs, w+1, end)
	}
}

// merge appends right to left if they can be one struct.
func merge(left, right ycrdt.IAbstractStruct) bool {
	switch left := left.(type) {
	case *ycrdt.GC:
		r, ok := right.(*ycrdt.GC)
		return ok && left.MergeWith(r)
	case *ycrdt.Item:
		r, ok := right.(*ycrdt.Item)
		if !ok || left.Right != r || !left.MergeWith(r) {
			return false
		}
		if r.ParentSub != "" {
			if m := r.Parent.(*Type).Map; m[r.ParentSub] == r {
				m[r.ParentSub] = left
			}
		}
		return true
	}
	return false
}
