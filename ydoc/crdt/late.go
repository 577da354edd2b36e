package crdt

import (
	"cmp"
	"slices"
	"time"

	ycrdt "github.com/skyterra/y-crdt"
)

// Yjs has no move: a move deletes the original and inserts a copy. Others' edits of a text made before they had the
// move arrive for the deleted original, where they are invisible. So a text that we copied is remembered for some
// time: its items stay, though deleted, so that late edits find their place among them as usual. From there they are
// carried over to the copy, as a local change: after the copy of the character that they followed. Others' deletions
// are repeated in the copy.
//
// Only the replica that made the copy does so, so nothing is duplicated; of two copies one is removed (rival.go). It
// can carry only edits that arrive: a server that has the move drops later content of the deleted text (Yjs,
// Item.integrate, and GC), and passes on only its length. A server passes on everything that it receives before it
// has the move. So a text is remembered until a peer has reported the move, and a while longer for servers that still
// pass on others' edits.

const (
	// lateFor is how long a copied text is remembered after a peer first had the copy.
	lateFor = time.Minute
	// maxLate is the largest number of copied texts remembered. The items of forgotten ones are collected.
	maxLate = 1_024
)

// copied is a text that we copied and deleted.
type copied struct {
	clock int       // clock of our next change after the copy was made
	chars string    // the text at that time
	known time.Time // when a peer first reported having the copy; zero before
}

// late is the work to do for copied texts, collected from an update.
type late struct {
	added   []addition
	removed []stretch
	dropped []*orphan // see orphan.go
	units   []unit    // of copies, to delete: see orphan.go and overtaken.go
	found   []found   // see overtaken.go
	rivals  []rival   // see rival.go
	values  []later   // see SetLater

	outlived []*survivor // see survivor.go
	echoed   [][3]int    // our own changes that came back without content, in the form that missing takes
}

// later is a map value to set.
type later struct {
	in  *Type
	key string
	v   any
}

// SetLater sets a key of a map to a plain value once the update being applied, or else the next one, is in.
func (r *Replica) SetLater(m *Type, key string, v any) {
	r.late.values = append(r.late.values, later{m, key, v})
}

// addition is an added stretch and its content.
type addition struct {
	stretch
	content ycrdt.IAbstractContent
}

// remember notes that a text was copied and will be deleted.
func (r *Replica) remember(t *Type) {
	if r.copies == nil {
		r.copies = map[*Type]*copied{}
	}
	r.copies[t] = &copied{chars: t.Characters()}
}

// isCopied reports whether a type is a remembered text.
func (r *Replica) isCopied(t *Type) bool {
	_, ok := r.copies[t]
	return ok
}

// received notes up to which clock a peer has our changes.
func (r *Replica) received(clock int) {
	if clock > r.told {
		r.told = clock
		r.tellings.add(clock)
	}
}

// review updates the remembered texts at the end of a transaction and returns those no longer remembered.
func (r *Replica) review(trans *ycrdt.Transaction) (expired []*Type) {
	if len(r.copies) == 0 {
		return nil
	}
	now := time.Now()
	for t, c := range r.copies {
		switch {
		case !t.Deleted():
			delete(r.copies, t) // it stayed after all
		case c.clock == 0:
			c.clock = trans.AfterState[trans.Doc.ClientID]
		case c.known.IsZero() && r.told >= c.clock:
			c.known = now
		case !c.known.IsZero() && now.Sub(c.known) > lateFor:
			expired = append(expired, t)
		}
	}
	if more := len(r.copies) - len(expired) - maxLate; more > 0 {
		expired = append(expired, oldest(more, r.copies, expired)...)
	}
	for _, t := range expired {
		delete(r.copies, t)
	}
	if len(r.copies) == 0 {
		r.overtaken = overtaken{}
	}
	return expired
}

// oldest returns the n texts that were copied first, except those in but.
func oldest(n int, copies map[*Type]*copied, but []*Type) []*Type {
	var all []*Type
	for t := range copies {
		if !slices.Contains(but, t) {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *Type) int { return cmp.Compare(copies[a].clock, copies[b].clock) })
	return all[:n]
}

// gather notes the content that others' transaction added to copied texts, before it is dropped.
func (r *Replica) gather(trans *ycrdt.Transaction) {
	if len(r.copies) == 0 {
		return
	}
	for client, clock := range trans.AfterState {
		before := trans.BeforeState[client]
		if clock == before || client == trans.Doc.ClientID {
			continue
		}
		structs := *trans.Doc.Store.Clients[client]
		for _, s := range structs[indexOf(structs, before):] {
			item, ok := s.(*ycrdt.Item)
			if !ok || item.ParentSub != "" {
				continue
			}
			parent, _ := item.Parent.(*Type)
			if _, isText := item.Content.(*text); isText && r.isCopied(parent) {
				r.late.added = append(r.late.added, addition{stretchOf(item), item.Content.Copy()})
			}
		}
	}
}

// carry writes late edits of copied texts into the copies.
func (r *Replica) carry() {
	todo := r.late
	r.late = late{}
	if len(todo.added)+len(todo.removed)+len(todo.dropped)+len(todo.units)+len(todo.found)+len(todo.rivals)+len(todo.values)+len(todo.outlived) == 0 {
		return
	}
	if len(todo.added)+len(todo.removed)+len(todo.found) > 0 {
		r.change.Carried = []uint64{}
	}
	typed := func(client int) {
		if client := uint64(client); !slices.Contains(r.change.Carried, client) {
			r.change.Carried = append(r.change.Carried, client)
		}
	}
	for _, a := range todo.added {
		typed(a.client)
	}
	for _, f := range todo.found {
		typed(f.client)
	}
	r.Transact(func(x *Tx) {
		for _, f := range todo.found {
			x.carryFound(f)
		}
		for _, a := range todo.added {
			x.carryOver(a)
		}
		for _, s := range todo.removed {
			if uint64(s.client) != r.client {
				x.removeCopies(s)
				continue
			}
			// If the server dropped our text with its parent, that is not a deletion.
			for _, part := range missing(s.clock, s.clock+s.length, todo.echoed) {
				x.removeCopies(stretch{s.client, part})
			}
		}
		for _, o := range todo.dropped {
			x.rescue(o)
		}
		for _, u := range todo.units {
			x.removeUnit(u)
		}
		for _, v := range todo.rivals {
			x.yield(v)
		}
		for _, s := range todo.outlived {
			x.takeAway(s)
		}
		for _, v := range todo.values {
			if !v.in.Deleted() {
				x.Set(v.in, v.key, v.v)
			}
		}
		forgetLists(x.trans)
	})
	r.change.Carried = nil
}

// carryOver copies an addition to a copied text into the latest copy.
func (x *Tx) carryOver(a addition) {
	for _, item := range itemsIn(x.trans, a.client, a.span) {
		part := a.content
		if item.Length < part.GetLength() { // it was cut since
			a.content = part.Splice(item.Length)
		}
		t, _ := item.Parent.(*Type)
		if t == nil || t.Item == nil || item.Redone != nil {
			continue
		}
		now := typeAt(x.trans.Doc.Store, unitOf(&t.Item.ID))
		if now == nil {
			continue // the copy is gone too
		}
		left, right := x.behind(item.Left, now)
		redone(item, x.attach(now, "", left, right, part))
	}
}

// behind finds the place, in the copy of a text, after an item or the nearest one before it that is in the copy.
func (x *Tx) behind(item *ycrdt.Item, in *Type) (left, right *ycrdt.Item) {
	for ; item != nil; item = item.Left {
		if item.Redone == nil {
			continue
		}
		now, off := lookup(x.trans.Doc.Store, unit{item.ID.Client, item.ID.Clock + item.Length - 1})
		if now == nil || now.Parent != in {
			continue
		}
		return now, rightOf(x.trans, now, off)
	}
	return nil, in.Start
}

// removeCopies deletes the latest copies of some units, as far as they exist. It follows them from copy to copy: text
// written in the middle of one copy is copied with it, so it is among those units in the next.
func (x *Tx) removeCopies(s stretch) {
	for item := range latest(x.trans, s) {
		item.Delete(x.trans)
	}
}

// removeUnit deletes a unit of a text, or the latest copy of it.
func (x *Tx) removeUnit(u unit) {
	item, off := lookup(x.trans.Doc.Store, u)
	if item == nil || item.Deleted() {
		return
	}
	for _, item := range itemsIn(x.trans, item.ID.Client, span{item.ID.Clock + off, 1}) {
		item.Delete(x.trans)
	}
}

// deletions are the deletions of one update that concern copied texts.
type deletions struct {
	ranges map[int][]span // all of the update
	again  []stretch      // deleted before, as part of a copied text
	of     []*Type        // the text of each in again
}

// add notes a deletion of an update.
func (d *deletions) add(client, from, to int) {
	if d.ranges == nil {
		d.ranges = map[int][]span{}
	}
	d.ranges[client] = append(d.ranges[client], span{from, to - from})
}

// note notes that an update deletes part of a copied text.
func (d *deletions) note(item *ycrdt.Item, t *Type, from, to int) {
	from, to = max(from, item.ID.Clock), min(to, item.ID.Clock+item.Length)
	d.again = append(d.again, stretch{item.ID.Client, span{from, to - from}})
	d.of = append(d.of, t)
}

// has reports whether the update deletes a unit.
func (d *deletions) has(client, clock int) bool {
	return slices.ContainsFunc(d.ranges[client], func(s span) bool {
		return s.clock <= clock && clock < s.clock+s.length
	})
}

// moved reports whether the update deletes a text itself, or a parent of it.
func (d *deletions) moved(t *Type) bool {
	for ; t != nil && t.Item != nil; t = t.Holder() {
		if d.has(t.Item.ID.Client, t.Item.ID.Clock) {
			return true
		}
	}
	return false
}

// genuine returns the deletions that others made within a text. If the update deletes the text itself, or a parent,
// all its content is deleted with it: that is our own move coming back.
func (d *deletions) genuine() (list []stretch) {
	for i, s := range d.again {
		if !d.moved(d.of[i]) {
			list = append(list, s)
		}
	}
	return list
}
