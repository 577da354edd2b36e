package crdt

import (
	"slices"

	ycrdt "github.com/skyterra/y-crdt"
)

// A server answers a question for its state at once, and passes changes on in a task of its own. So an answer can
// overtake what was passed on before it: of a key in a text that we have copied meanwhile, the answer says only that it
// is gone with the text. The key itself comes right behind, but is known by then. So what came without its content while
// texts are remembered (late.go) is remembered, too, and carried over to the copy when the content comes.

// maxMissed bounds how many stretches are remembered that came without their content, and how many that got it since.
const maxMissed = 1_024

// overtaken is what an answer overtook.
type overtaken struct {
	missed []stretch // came without content
	found  []found   // got it since
}

// found is text that came after it was known to be gone.
type found struct {
	stretch
	content       ycrdt.IAbstractContent
	origin, right *unit
	parent        *unit // the item of the text, where it has no neighbours
	was           *Type // in which text it was
	made          unit  // the first unit of its copy
}

// look finds among the structs of an update, before they are integrated, what comes without its content, and content that
// comes late.
func (r *Replica) look(structs map[int]*ycrdt.ClientStructRef) {
	if len(r.copies) == 0 {
		return
	}
	for client, ref := range structs {
		if client == int(r.client) {
			continue
		}
		state := ycrdt.GetState(r.y.Store, client)
		for _, s := range ref.Refs {
			from := s.GetID().Clock
			part := stretch{client, span{from, s.GetLength()}}
			in, ok := s.(*incoming)
			if !ok {
				if _, gc := s.(*ycrdt.GC); gc {
					r.miss(part, state)
				}
				continue
			}
			switch c := in.Content.(type) {
			case *ycrdt.ContentDeleted:
				r.miss(part, state)
			case *text:
				if from < state {
					r.find(in, c)
				}
			}
		}
	}
}

// miss notes that a stretch came without content, as far as it is new.
func (r *Replica) miss(s stretch, state int) {
	if end := s.clock + s.length; end > state {
		from := max(s.clock, state)
		r.overtaken.missed = append(r.overtaken.missed, stretch{s.client, span{from, end - from}})
	}
	if more := len(r.overtaken.missed) - maxMissed; more > 0 {
		r.overtaken.missed = slices.Delete(r.overtaken.missed, 0, more)
	}
}

// find notes what of a text that came is missed.
func (r *Replica) find(in *incoming, chars *text) {
	var rest []stretch
	for _, m := range r.overtaken.missed {
		from, to := max(m.clock, in.ID.Clock), min(m.clock+m.length, in.ID.Clock+in.Length)
		if m.client != in.ID.Client || from >= to {
			rest = append(rest, m)
			continue
		}
		if m.clock < from {
			rest = append(rest, stretch{m.client, span{m.clock, from - m.clock}})
		}
		if end := m.clock + m.length; to < end {
			rest = append(rest, stretch{m.client, span{to, end - to}})
		}
		parent, _ := in.Parent.(*ycrdt.ID)
		f := found{
			stretch: stretch{m.client, span{from, to - from}},
			content: partOf(chars, from-in.ID.Clock, to-in.ID.Clock),
			origin:  unitIf(in.Origin), right: unitIf(in.RightOrigin), parent: unitIf(parent),
		}
		if from > in.ID.Clock {
			f.origin = &unit{m.client, from - 1}
		}
		r.late.found = append(r.late.found, f)
	}
	r.overtaken.missed = rest
}

// hearFound notes which units of copies an update deletes whose originals came late.
func (r *Replica) hearFound(d *deletions) {
	for _, f := range r.overtaken.found {
		if d.moved(f.was) {
			continue
		}
		for off := range f.length {
			if d.has(f.client, f.clock+off) {
				r.late.units = append(r.late.units, unit{f.made.client, f.made.clock + off})
			}
		}
	}
}

// carryFound puts text that came late into the latest copy of the text that it was written into.
func (x *Tx) carryFound(f found) {
	was, left, right, ok := x.placeOf(&f)
	if !ok {
		return
	}
	now := typeAt(x.trans.Doc.Store, unitOf(&was.Item.ID))
	made := x.attach(now, "", left, right, f.content)
	f.was, f.made = was, unitOf(&made.ID)
	f.content = nil
	o := &x.r.overtaken
	if o.found = append(o.found, f); len(o.found) > maxMissed {
		o.found = slices.Delete(o.found, 0, 1)
	}
}

// placeOf finds the copied text that a text was written into, and its place in the latest copy: behind what it was
// written behind, or else before what it was written before.
func (x *Tx) placeOf(f *found) (was *Type, left, right *ycrdt.Item, ok bool) {
	store := x.trans.Doc.Store
	if f.origin != nil {
		if was, item, off := x.copyOf(*f.origin, false); was != nil {
			if item == nil {
				return was, nil, typeAt(store, unitOf(&was.Item.ID)).Start, true
			}
			return was, item, rightOf(x.trans, item, off), true
		}
	}
	if f.right != nil {
		if was, item, off := x.copyOf(*f.right, true); was != nil && item != nil {
			if off > 0 {
				item = split(x.trans, item, off)
			}
			return was, item.Left, item, true
		}
	}
	if f.parent != nil {
		if was := typeOf(itemAt(store, *f.parent)); x.r.isCopied(was) {
			if now := typeAt(store, *f.parent); now != nil {
				return was, nil, now.Start, true
			}
		}
	}
	return nil, nil, nil, false
}

// copyOf finds the text in which a unit was, if it was copied, and the unit's place in the latest copy. Where that has
// not got it, it is the place of the nearest before it, nil for the start, unless exact is set.
func (x *Tx) copyOf(u unit, exact bool) (was *Type, item *ycrdt.Item, off int) {
	store := x.trans.Doc.Store
	for _, f := range x.r.overtaken.found {
		if in := u.clock - f.clock; f.client == u.client && in >= 0 && in < f.length {
			item, off := lookup(store, unit{f.made.client, f.made.clock + in})
			if now := typeAt(store, unitOf(&f.was.Item.ID)); now != nil && item != nil && item.Parent == now {
				return f.was, item, off
			}
			return nil, nil, 0
		}
	}
	if u.clock >= ycrdt.GetState(store, u.client) {
		return nil, nil, 0
	}
	old := holding(store, u)
	if old == nil {
		return nil, nil, 0
	}
	was, _ = old.Parent.(*Type)
	if was == nil || !x.r.isCopied(was) {
		return nil, nil, 0
	}
	now := typeAt(store, unitOf(&was.Item.ID))
	if now == nil {
		return nil, nil, 0
	}
	if item, off = lookup(store, u); item != nil && item.Parent == now {
		return was, item, off
	}
	if exact {
		return nil, nil, 0
	}
	if item, _ = x.behind(old.Left, now); item == nil {
		return was, nil, 0
	}
	return was, item, item.Length - 1
}
