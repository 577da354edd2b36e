package crdt

import (
	"cmp"
	"slices"

	ycrdt "github.com/skyterra/y-crdt"
)

// When another replica moves a cell that we write into, our text may reach the server after the move. The server then
// drops it and passes on only its length, so only this replica still has it. The echo shows which case it is: text
// that comes back unchanged was passed on before the move, and the replica that moved carries it over (late.go); text
// that comes back without content we put into the copy ourselves.

// maxOrphans bounds the number of pieces of text that await their echo.
const maxOrphans = 256

// orphan is our own text, in a type that another replica replaced by a copy, before its echo has come.
type orphan struct {
	stretch
	content ycrdt.IAbstractContent
	in      unit    // the copy's item
	behind  *unit   // the unit of the copy before it; nil for its start
	after   *orphan // the piece right before it, if any
	made    *unit   // its last unit in the copy, once inserted
	removes []unit  // of the copy: units that the same local transaction deleted
}

// Succeeded notes that another replica deleted the map old and inserted the copy made in its place.
func (r *Replica) Succeeded(c *Change, old, made *Type, places Places) {
	for key, item := range old.Map {
		was, now := typeOf(item), made.Child(keyOut(key), KindText)
		if was == nil || was.kind != KindText || now == nil {
			continue
		}
		r.orphaned(c.trans, was, now, places)
	}
}

// orphaned finds our own text in was whose echo has not come yet, and moves text already awaiting its echo there on
// to the next copy.
func (r *Replica) orphaned(trans *ycrdt.Transaction, was, now *Type, places Places) {
	s := succession{
		r: r, now: now, places: places, passed: map[*orphan][]removal{}, due: map[*awaited]int{}, at: map[*orphan]int{},
		tabs: movedInTab(trans, now.Holder()),
	}
	for _, o := range r.orphans {
		if item, _ := lookup(trans.Doc.Store, o.in); item == was.Item {
			o.follow(trans.Doc.Store)
			s.moved = append(s.moved, o)
		}
	}
	for _, a := range r.awaited {
		if a.in == unitOf(&was.Item.ID) {
			s.waiting = append(s.waiting, a)
		}
	}
	for _, p := range r.piecesOf(trans, was) {
		s.locate(p)
		s.sort(p)
	}
	if len(s.found)+len(s.moved)+len(s.removals)+len(s.waiting)+len(s.told) == 0 {
		return
	}
	s.carry()
	r.orphans = append(r.orphans, s.found...)
	if more := len(r.orphans) - maxOrphans; more > 0 {
		r.orphans = slices.Delete(r.orphans, 0, more)
	}
}

// A succession is a text that another replica replaced by a copy, with our own text in it. Offsets are in the
// original of the copy.
type succession struct {
	r      *Replica
	now    *Type // the copy
	places Places
	tabs   bool // a tab made the copy

	moved   []*orphan // already awaiting their echo in the text
	waiting []*awaited
	passed  map[*orphan][]removal // the removals of those in moved
	due     map[*awaited]int      // offsets
	at      map[*orphan]int       // offsets

	base     []byte // the original of the copy
	off      int    // its length
	found    []*orphan
	last     *orphan // of found, if nothing else follows it
	removals []removal
	told     []placed // our own pieces, if a tab made the copy
}

// locate notes the offsets of waiting text that is in a piece.
func (s *succession) locate(p piece) {
	offset := func(u unit) int {
		if p.seen() {
			return s.off + u.clock - p.clock + 1
		}
		return s.off
	}
	for _, a := range s.waiting {
		if a.behind != nil && p.holds(*a.behind) {
			s.due[a] = offset(*a.behind)
		}
	}
	for _, o := range s.moved {
		if o.behind != nil && p.holds(*o.behind) {
			s.at[o] = offset(*o.behind)
		}
		for _, u := range o.removes {
			if p.seen() && p.holds(u) {
				before := s.off + u.clock - p.clock
				s.passed[o] = append(s.passed[o], removal{nil, before, before + 1})
			}
		}
	}
}

// sort classifies a piece: our own text that only we have, or text of the original.
func (s *succession) sort(p piece) {
	switch {
	case p.chars == nil:
	case !p.shared:
		s.last = &orphan{stretch: p.stretch, content: p.chars, after: s.last}
		s.found = append(s.found, s.last)
		s.at[s.last] = s.off
	default:
		if p.by != nil {
			s.removals = append(s.removals, removal{p.by, s.off, s.off + p.length})
		}
		if s.tabs && p.seen() && uint64(p.client) == s.r.client {
			s.told = append(s.told, placed{p, s.off})
		}
		s.base = append(s.base, p.chars.b...)
		s.off += p.length
		s.last = nil
	}
}

// carry moves all waiting text to its place in the copy.
func (s *succession) carry() {
	r, now, base, characters := s.r, s.now, string(s.base), s.now.Characters()
	kept := s.places.Kept(base, characters, 0, s.off)
	for _, a := range s.waiting {
		a.place(now, s.due[a], kept)
	}
	units := func(d removal) (all []unit) {
		for _, k := range s.places.Kept(base, characters, d.from, d.to) {
			all = append(all, unitsIn(now, k[0], k[1])...)
		}
		return all
	}
	wait := func(d removal) { r.awaited = append(r.awaited, await(now, base, d.from, d.to, kept)...) }
	lacking := s.lacking(kept)
	r.late.dropped = append(r.late.dropped, lacking...)
	for _, o := range slices.Concat(s.moved, s.found, lacking) {
		o.in, o.behind = unitOf(&now.Item.ID), now.unitBefore(s.places.At(base, characters, s.at[o]))
		o.removes = nil
		for _, d := range s.passed[o] {
			o.removes = append(o.removes, units(d)...)
			wait(d)
		}
	}
	for _, d := range s.removals {
		wait(d)
		if i := slices.IndexFunc(s.found, func(o *orphan) bool { return d.by.from <= o.clock && o.clock < d.by.to }); i >= 0 {
			s.found[i].removes = append(s.found[i].removes, units(d)...)
		} else {
			r.late.units = append(r.late.units, units(d)...) // it has no echo to await, and deleting twice is harmless
		}
	}
}

// lacking returns our own text that the tab which made the copy did not have.
func (s *succession) lacking(kept [][3]int) (lacking []*orphan) {
	var last *orphan
	for _, p := range s.told {
		for _, gap := range missing(p.at+max(0, s.r.tellings.news()-p.clock), p.at+p.length, kept) {
			n := gap.clock - p.at
			o := &orphan{stretch: stretch{p.client, span{p.clock + n, gap.length}}, content: partOf(p.chars, n, n+gap.length)}
			if last != nil && s.at[last]+last.length == gap.clock {
				o.after = last
			}
			last, s.at[o] = o, gap.clock
			lacking = append(lacking, o)
		}
	}
	return lacking
}

// follow maps the units in o to our latest copy of their text.
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

// echo handles our own changes that came back.
func (r *Replica) echo(structs []ycrdt.IAbstractStruct) {
	if len(structs) == 0 {
		return
	}
	last := structs[len(structs)-1]
	defer r.received(last.GetID().Clock + last.GetLength())
	if structs[0].GetID().Clock < r.told {
		return // not an echo, but a peer's whole state
	}
	r.late.echoed = append(r.late.echoed, withoutContent(structs)...)
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
					// Its end belongs to a later edit.
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

// rescue inserts a piece of text that the server dropped into the copy of its text.
func (x *Tx) rescue(o *orphan) {
	store := x.trans.Doc.Store
	now := typeAt(store, o.in)
	if now == nil {
		return
	}
	var left, right *ycrdt.Item
	if o.after != nil {
		left, right = x.rightBehind(now, o.after.made)
	}
	if left == nil {
		left, right = x.rightBehind(now, o.behind)
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

// Our deletion can also come too late: the server already has the move of the deleted text, and drops the deletion.
// Then it has no echo; an echo is recognised by its deletions. If neither a local transaction nor a later one has
// come back when the move arrives, it is after the move, and its deletions are repeated in the copy. We keep the
// deleted text to find its place there.

// unseen is a local transaction without an echo so far: it added the units up to a clock, and deleted others.
type unseen struct {
	from, to int
	taken    []*taken
}

// taken is text that a local transaction deleted.
type taken struct {
	stretch
	chars *text
	in    *Type
	by    *unseen
	heard bool // the server has passed on its deletion
}

// maxUnseen bounds the number of such transactions.
const maxUnseen = 256

// note remembers a local transaction that deletes part of a text that itself stays.
func (r *Replica) note(trans *ycrdt.Transaction) {
	own := trans.Doc.ClientID
	u := &unseen{from: trans.BeforeState[own], to: trans.AfterState[own]}
	eachDeleted(trans, func(item *ycrdt.Item) {
		chars, ok := item.Content.(*text)
		t, _ := item.Parent.(*Type)
		if !ok || t == nil || t.Item == nil || t.Deleted() || item.ID.Client == own && item.ID.Clock >= u.from {
			return
		}
		u.taken = append(u.taken, &taken{stretch: stretchOf(item), chars: copyText(chars), in: t, by: u})
	})
	if len(u.taken) == 0 {
		return
	}
	r.unheard = slices.DeleteFunc(r.unheard, r.passedOn)
	if len(r.unheard) == maxUnseen {
		r.unheard = slices.Delete(r.unheard, 0, 1)
	}
	r.unheard = append(r.unheard, u)
}

// passedOn reports whether the server is known to have a local transaction, by its additions or by a later one.
func (r *Replica) passedOn(u *unseen) bool {
	if u.from == u.to {
		return r.told > u.to
	}
	return r.told >= u.to
}

// hearDeletions notes which of our deletions an update passes on. An update that deletes the text itself does not
// show that.
func (r *Replica) hearDeletions(d *deletions) {
	for _, u := range r.unheard {
		for _, k := range u.taken {
			if !k.heard && d.has(k.client, k.clock) && !d.moved(k.in) {
				k.heard = true
			}
		}
	}
}

// piece is a part of a text at the time a copy replaced it.
type piece struct {
	stretch
	chars  *text   // nil if it was deleted before
	shared bool    // others may have it
	by     *unseen // our transaction that deleted it, which others may lack
}

// placed is a piece at an offset in the original of a copy.
type placed struct {
	piece
	at int
}

// seen reports whether all replicas had a piece.
func (p *piece) seen() bool { return p.chars != nil && p.shared && p.by == nil }

// piecesOf returns the pieces of a text right before the transaction that deleted it.
func (r *Replica) piecesOf(trans *ycrdt.Transaction, t *Type) (list []piece) {
	told := r.announcedWith(t)
	for item := t.Start; item != nil; item = item.Right {
		p := piece{stretch: stretchOf(item), shared: true}
		c, ok := item.Content.(*text)
		switch {
		case !ok || item.Deleted() && !ycrdt.IsDeleted(trans.DeleteSet, &item.ID):
			list = append(list, p)
			list = append(list, r.takenIn(item, told)...)
			continue
		case uint64(item.ID.Client) == r.client && item.ID.Clock >= told:
			p.shared = false
		}
		p.chars = copyText(c)
		if n := told - item.ID.Clock; uint64(item.ID.Client) == r.client && n > 0 && n < item.Length {
			// Its end belongs to a later edit, whose echo has not come.
			rest := piece{stretch: stretch{p.client, span{told, p.length - n}}}
			rest.chars, _ = p.chars.Splice(n).(*text)
			p.length = n
			list = append(list, p, rest)
			continue
		}
		list = append(list, p)
	}
	return list
}

// announcedWith returns the clock up to which every peer that has a text has our changes: for a copy that we made, all up
// to the copy.
func (r *Replica) announcedWith(t *Type) int {
	told := r.told
	if t.Maker() != r.client {
		return told
	}
	for was, c := range r.copies {
		if id := was.Item.Redone; id != nil && unitOf(id) == unitOf(&t.Item.ID) {
			told = max(told, c.clock)
		}
	}
	return told
}

// takenIn returns, in order, the parts of an item deleted by local transactions that the server is not known to have.
// Parts that no peer can have are omitted.
func (r *Replica) takenIn(item *ycrdt.Item, told int) (list []piece) {
	for _, u := range r.unheard {
		if r.passedOn(u) {
			continue
		}
		for _, k := range u.taken {
			from, to := max(k.clock, item.ID.Clock), min(k.clock+k.length, item.ID.Clock+item.Length)
			if uint64(k.client) == r.client {
				to = min(to, told)
			}
			if k.heard || k.client != item.ID.Client || from >= to {
				continue
			}
			list = append(list, piece{stretch: stretch{k.client, span{from, to - from}}, chars: partOf(k.chars, from-k.clock, to-k.clock), shared: true, by: u})
		}
	}
	slices.SortFunc(list, func(a, b piece) int { return cmp.Compare(a.clock, b.clock) })
	return list
}

// removal is a stretch of text that a local transaction deleted, as offsets in the original of a copy.
type removal struct {
	by       *unseen
	from, to int
}
