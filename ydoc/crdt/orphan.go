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
		case alive:
			base = append(base, c.b...)
			off += item.Length
			last = nil
		default: // the server had perhaps not what we deleted when the copy was made
			for _, k := range r.takenIn(item) {
				removals = append(removals, removal{k.by, off, off + k.length})
				base = append(base, k.chars.b...)
				off += k.length
				last = nil
			}
		}
		for _, o := range moved {
			for _, u := range o.removes {
				if in := u.clock - item.ID.Clock; alive && !ours && u.client == item.ID.Client && in >= 0 && in < item.Length {
					before := off - item.Length + in
					passed[o] = append(passed[o], removal{nil, before, before + 1})
				}
			}
		}
	}
	if len(found)+len(moved)+len(removals) == 0 {
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
		units := unitsIn(now, place(string(base), characters, d.from), place(string(base), characters, d.to))
		if i := slices.IndexFunc(found, func(o *orphan) bool { return d.by.from <= o.clock && o.clock < d.by.to }); i >= 0 {
			found[i].removes = append(found[i].removes, units...)
		} else {
			r.late.units = append(r.late.units, units...) // it has no echo to wait for, and twice is as good as once
		}
	}
	r.orphans = append(r.orphans, found...)
	if more := len(r.orphans) - maxOrphans; more > 0 {
		r.orphans = slices.Delete(r.orphans, 0, more)
	}
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
