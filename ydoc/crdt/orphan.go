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

// Places says what in a copy corresponds to what in the text that it was made of.
type Places struct {
	// At is the offset that corresponds to one.
	At func(was, now string, off int) int
	// Kept are the stretches, each with its end, that correspond to what is unchanged of one from an offset to another.
	Kept func(was, now string, from, to int) [][2]int
}

// Succeeded notes that another replica deleted old, a map, and put made in its place.
func (r *Replica) Succeeded(c *Change, old, made *Type, places Places) {
	for key, item := range old.Map {
		was, now := typeOf(item), made.Child(keyOut(key), KindText)
		if was == nil || was.kind != KindText || now == nil {
			continue
		}
		r.orphaned(c.trans, was, now, places)
	}
}

// orphaned notes what of ours in a text was not heard of yet, and leads what waits for its echo in it already on to the
// next copy.
func (r *Replica) orphaned(trans *ycrdt.Transaction, was, now *Type, places Places) {
	var moved []*orphan
	for _, o := range r.orphans {
		if item, _ := lookup(trans.Doc.Store, o.in); item == was.Item {
			o.follow(trans.Doc.Store)
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
	for _, p := range r.piecesOf(trans, was) {
		for _, o := range moved {
			if o.behind != nil && p.holds(*o.behind) {
				at[o] = off
				if p.seen() {
					at[o] += o.behind.clock - p.clock + 1
				}
			}
			for _, u := range o.removes {
				if p.seen() && p.holds(u) {
					before := off + u.clock - p.clock
					passed[o] = append(passed[o], removal{nil, before, before + 1})
				}
			}
		}
		switch {
		case p.chars == nil:
		case !p.shared:
			last = &orphan{stretch: p.stretch, content: p.chars, after: last}
			found = append(found, last)
			at[last] = off
		default:
			if p.by != nil {
				removals = append(removals, removal{p.by, off, off + p.length})
			}
			base = append(base, p.chars.b...)
			off += p.length
			last = nil
		}
	}
	if len(found)+len(moved)+len(removals) == 0 {
		return
	}
	characters := now.Characters()
	units := func(d removal) (all []unit) {
		for _, s := range places.Kept(string(base), characters, d.from, d.to) {
			all = append(all, unitsIn(now, s[0], s[1])...)
		}
		return all
	}
	for _, o := range append(moved, found...) {
		o.in, o.behind = unitOf(&now.Item.ID), nil
		if item, n := now.seek(places.At(string(base), characters, at[o])); item != nil {
			o.behind = &unit{item.ID.Client, item.ID.Clock + n - 1}
		}
		o.removes = nil
		for _, d := range passed[o] {
			o.removes = append(o.removes, units(d)...)
		}
	}
	for _, d := range removals {
		if i := slices.IndexFunc(found, func(o *orphan) bool { return d.by.from <= o.clock && o.clock < d.by.to }); i >= 0 {
			found[i].removes = append(found[i].removes, units(d)...)
		} else {
			r.late.units = append(r.late.units, units(d)...) // it has no echo to wait for, and twice is as good as once
		}
	}
	r.orphans = append(r.orphans, found...)
	if more := len(r.orphans) - maxOrphans; more > 0 {
		r.orphans = slices.Delete(r.orphans, 0, more)
	}
}

// follow leads what a piece of text names to our own latest copy of what it stands in.
func (o *orphan) follow(store *ycrdt.StructStore) {
	latest := func(u unit) unit {
		if item, off := lookup(store, u); item != nil {
			return unit{item.ID.Client, item.ID.Clock + off}
		}
		return u
	}
	if o.behind != nil {
		*o.behind = latest(*o.behind)
	}
	for i, u := range o.removes {
		o.removes[i] = latest(u)
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
					n := s.GetID().Clock + s.GetLength() - o.clock
					if n >= o.length {
						return true
					}
					// Its end is of a later edit.
					o.content, o.span = o.content.Splice(n), span{o.clock + n, o.length - n}
					continue
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
