package crdt

import (
	"slices"

	ycrdt "github.com/skyterra/y-crdt"
)

// A server answers a request for its state at once, but passes changes on in a separate task. So an answer can
// overtake earlier changes: if a key was typed in a text that we have since copied, the answer only says that it is
// gone with the text. The key itself comes right after, but is already known by then. So while texts are remembered
// (late.go), units that came without their content are remembered too, and carried over to the copy when the content
// comes.

// maxMissed bounds the number of stretches remembered without content, and of those whose content has come since.
const maxMissed = 1_024

// overtaken holds the stretches that an answer overtook.
type overtaken struct {
	missed []stretch // came without content
	found  []found   // got it since
}

// found is text whose content came after it was known to be deleted.
type found struct {
	stretch
	content       ycrdt.IAbstractContent
	origin, right *unit
	parent        *unit // the item of the text, if it has no neighbours
	was           *Type // the text that contained it
	made          unit  // the first unit of its copy
}

// look finds, in the structs of an update before integration, stretches without content and content that comes late.
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

// miss notes the new units of a stretch that came without content.
func (r *Replica) miss(s stretch, state int) {
	if end := s.clock + s.length; end > state {
		from := max(s.clock, state)
		r.overtaken.missed = append(r.overtaken.missed, stretch{s.client, span{from, end - from}})
	}
	if more := len(r.overtaken.missed) - maxMissed; more > 0 {
		r.overtaken.missed = slices.Delete(r.overtaken.missed, 0, more)
	}
}

// find notes the missed parts of a text that arrived.
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

// hearFound notes the units of copies whose late originals an update deletes.
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

// carryFound inserts late text into the latest copy of its text.
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

// placeOf finds the copied text that late text belongs to, and its place in the latest copy: after its left origin,
// or else before its right one.
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

// copyOf finds the copied text of a unit, and the unit's place in the latest copy. If the unit is not in the copy and
// exact is false, it returns the place of the nearest unit before it, nil for the start.
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
