package crdt

import (
	"slices"

	ycrdt "github.com/skyterra/y-crdt"
)

// When another replica moves what we write into, our text may reach the server after its move. The server then drops it,
// and passes on nothing but its length, so that nobody but us has it still. That echo is how we know: text that comes
// back to us as it was had been passed on before the move, and whoever moved carries it over (late.go); text that comes
// back without its content we put into the copy ourselves.

// maxOrphans bounds how many pieces of text wait for their echo.
const maxOrphans = 256

// orphan is text of ours in a type that another replica replaced by a copy, of which no echo has come yet.
type orphan struct {
	stretch
	content ycrdt.IAbstractContent
	in      unit    // the copy's item
	behind  *unit   // of the copy; nil for its start
	after   *orphan // the piece that it stands right behind, if any
	made    *unit   // the last of its own units, once it was put into the copy
	removes []unit  // of the copy: what the same transaction of ours deleted
}

// unheard is a transaction of ours of which no echo has come yet: it added the units up to a clock, and deleted others.
type unheard struct {
	from, to int
	deleted  map[int][]span
}

// maxUnheard bounds how many such transactions are remembered.
const maxUnheard = 256

// note remembers a transaction of ours that deletes something. What only deletes has no echo that could tell.
func (r *Replica) note(trans *ycrdt.Transaction) {
	own := trans.Doc.ClientID
	u := unheard{from: trans.BeforeState[own], to: trans.AfterState[own], deleted: map[int][]span{}}
	if u.from == u.to || len(trans.DeleteSet.Clients) == 0 {
		return
	}
	eachDeleted(trans, func(item *ycrdt.Item) {
		if _, ok := item.Content.(*text); ok {
			u.deleted[item.ID.Client] = append(u.deleted[item.ID.Client], span{item.ID.Clock, item.Length})
		}
	})
	r.unheard = slices.DeleteFunc(r.unheard, func(u unheard) bool { return u.to <= r.told })
	if len(u.deleted) == 0 {
		return
	}
	if len(r.unheard) == maxUnheard {
		r.unheard = r.unheard[1:]
	}
	r.unheard = append(r.unheard, u)
}

// deletedBy is the transaction of ours that deleted an item, and was not heard of yet.
func (r *Replica) deletedBy(item *ycrdt.Item) *unheard {
	for i := range r.unheard {
		u := &r.unheard[i]
		if u.to > r.told && slices.ContainsFunc(u.deleted[item.ID.Client], func(s span) bool {
			return s.clock <= item.ID.Clock && item.ID.Clock < s.clock+s.length
		}) {
			return u
		}
	}
	return nil
}

// removal is a stretch of a text that a transaction of ours deleted, as offsets in what a copy was made of.
type removal struct {
	by       *unheard
	from, to int
}

// Succeeded notes that another replica deleted old, a map, and put made in its place. place says which offset in a text
// of the copy corresponds to one in the text that it was made of.
func (r *Replica) Succeeded(c *Change, old, made *Type, place func(was, now string, off int) int) {
	for key, item := range old.Map {
		was, now := typeOf(item), made.Child(keyOut(key), KindText)
		if was == nil || was.kind != KindText || now == nil {
			continue
		}
		r.orphaned(c.trans, was, now, place)
	}
}

// orphaned notes what of ours in a text was not heard of yet, and leads what waits for its echo in it already on to the
// next copy.
func (r *Replica) orphaned(trans *ycrdt.Transaction, was, now *Type, place func(was, now string, off int) int) {
	var moved []*orphan
	for _, o := range r.orphans {
		if o.in == unitOf(&was.Item.ID) {
			moved = append(moved, o)
		}
	}
	passed := map[*orphan][]removal{}
	at := map[*orphan]int{} // offsets in what the copy was made of
	var base []byte
	var found []*orphan
	var last *orphan
	var removals []removal
	off := 0
	for item := was.Start; item != nil; item = item.Right {
		c, alive := item.Content.(*text)
		alive = alive && (!item.Deleted() || ycrdt.IsDeleted(trans.DeleteSet, &item.ID))
		var by *unheard // of ours, which the server had not when the copy was made
		if !alive && c != nil && item.ID.Clock < r.toldOf(item) {
			by = r.deletedBy(item)
		}
		ours := alive && item.ID.Client == trans.Doc.ClientID && item.ID.Clock >= r.told
		for _, o := range moved {
			if o.behind == nil || o.behind.client != item.ID.Client {
				continue
			}
			if in := o.behind.clock - item.ID.Clock; in >= 0 && in < item.Length {
				at[o] = off
				if alive && !ours {
					at[o] += in + 1
				}
			}
		}
		switch {
		case ours:
			last = &orphan{stretch: stretchOf(item), content: c.Copy(), after: last}
			found = append(found, last)
			at[last] = off
		case alive, by != nil:
			if by != nil {
				removals = append(removals, removal{by, off, off + item.Length})
			}
			base = append(base, c.b...)
			off += item.Length
			last = nil
		}
		for _, o := range moved {
			for _, u := range o.removes {
				if in := u.clock - item.ID.Clock; alive && u.client == item.ID.Client && in >= 0 && in < item.Length {
					before := off - item.Length + in
					passed[o] = append(passed[o], removal{nil, before, before + 1})
				}
			}
		}
	}
	if len(found)+len(moved) == 0 {
		return
	}
	characters := now.Characters()
	for _, o := range append(moved, found...) {
		o.in, o.behind = unitOf(&now.Item.ID), nil
		if item, n := now.seek(place(string(base), characters, at[o])); item != nil {
			o.behind = &unit{item.ID.Client, item.ID.Clock + n - 1}
		}
		o.removes = nil
		for _, d := range passed[o] {
			o.removes = append(o.removes, unitsIn(now, place(string(base), characters, d.from), place(string(base), characters, d.to))...)
		}
	}
	for _, d := range removals {
		for _, o := range found {
			if d.by.from <= o.clock && o.clock < d.by.to {
				o.removes = append(o.removes, unitsIn(now, place(string(base), characters, d.from), place(string(base), characters, d.to))...)
				break
			}
		}
	}
	r.orphans = append(r.orphans, found...)
	if more := len(r.orphans) - maxOrphans; more > 0 {
		r.orphans = slices.Delete(r.orphans, 0, more)
	}
}

// toldOf is up to which clock of an item's client others may have what it names: all, but for our own.
func (r *Replica) toldOf(item *ycrdt.Item) int {
	if uint64(item.ID.Client) == r.client {
		return r.told
	}
	return item.ID.Clock + 1
}

// maxRemoved bounds how many units a rescued edit deletes at one place.
const maxRemoved = 1 << 16

// unitsIn lists the units of a text between two offsets, none if they are too many.
func unitsIn(t *Type, from, to int) (units []unit) {
	if to-from > maxRemoved {
		return nil
	}
	for at := from + 1; at <= to; at++ {
		if item, n := t.seek(at); item != nil {
			units = append(units, unit{item.ID.Client, item.ID.Clock + n - 1})
		}
	}
	return units
}

// echo looks at changes of ours that came back.
func (r *Replica) echo(structs []ycrdt.IAbstractStruct) {
	if len(structs) == 0 {
		return
	}
	last := structs[len(structs)-1]
	defer r.heard(last.GetID().Clock + last.GetLength())
	if structs[0].GetID().Clock < r.told {
		return // not an echo, but a peer's whole state
	}
	r.orphans = slices.DeleteFunc(r.orphans, func(o *orphan) bool {
		for _, s := range structs {
			if from := s.GetID().Clock; from > o.clock || o.clock >= from+s.GetLength() {
				continue
			}
			if in, ok := s.(*incoming); ok {
				if _, dropped := in.Content.(*ycrdt.ContentDeleted); !dropped {
					return true
				}
			}
			r.late.dropped = append(r.late.dropped, o)
			return true
		}
		return false
	})
}

// rescue puts a piece of text that the server dropped into the copy of what it stood in.
func (x *Tx) rescue(o *orphan) {
	store := x.trans.Doc.Store
	now := typeAt(store, o.in)
	if now == nil {
		return
	}
	left, right := (*ycrdt.Item)(nil), now.Start
	places := []*unit{o.behind}
	if o.after != nil {
		places = []*unit{o.after.made, o.behind}
	}
	for _, behind := range places {
		if behind == nil {
			continue
		}
		item, off := lookup(store, *behind)
		if item == nil || item.Parent != now {
			continue // of an earlier copy
		}
		left, right = item, item.Right
		if off+1 < item.Length {
			right = split(x.trans, item, off+1)
		}
		break
	}
	made := x.attach(now, "", left, right, o.content)
	o.made = &unit{made.ID.Client, made.ID.Clock + made.Length - 1}
	for _, u := range o.removes {
		if item, _ := lookup(store, u); item == nil || item.Parent != now {
			continue // of an earlier copy
		}
		for _, item := range itemsIn(x.trans, u.client, span{u.clock, 1}) {
			item.Delete(x.trans)
		}
	}
}
