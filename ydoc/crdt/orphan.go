package crdt

import (
	"cmp"
	"slices"

	ycrdt "github.com/skyterra/y-crdt"
)

// When another replica moves what we write into, our text may reach the server after its move. The server then drops it,
// and passes on nothing but its length, so that nobody but us has it still. That echo is how we know: text that comes
// back to us as it was had been passed on before the move, and the replica that moved carries it over (late.go); text that comes
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

// A succession is a text that another replica replaced by a copy, with what of ours was in it. Offsets are in what the copy
// was made of.
type succession struct {
	r      *Replica
	now    *Type // the copy
	places Places
	tabs   bool // a tab made the copy

	moved   []*orphan // waited for their echo in the text already
	waiting []*awaited
	passed  map[*orphan][]removal // what those of moved removed
	due     map[*awaited]int      // offsets
	at      map[*orphan]int       // offsets

	base     []byte // what the copy was made of
	off      int    // its length
	found    []*orphan
	last     *orphan // of found, if nothing else stands behind it
	removals []removal
	told     []placed // of ours, where a tab made the copy
}

// locate notes where what waits already stands, if it is in a piece.
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

// sort takes a piece for what it is: text of ours that nobody else has, or text that the copy was made of.
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

// carry leads all that waits to its place in the copy.
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
			r.late.units = append(r.late.units, units(d)...) // it has no echo to wait for, and twice is as good as once
		}
	}
}

// lacking is the text of ours that the tab that made the copy did not have.
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

// A deletion of ours can come too late as well: the server has the move of what it deletes in, and drops it. It has no
// echo then, and one that it has is known by what it deletes. What came back neither itself nor by a later change of ours
// when the move arrives is behind the move, and is deleted in the copy, too. For its place there we keep what it deleted.

// unheard is a transaction of ours of which no echo has come yet: it added the units up to a clock, and deleted others.
type unheard struct {
	from, to int
	taken    []*taken
}

// taken is what a transaction of ours deleted of a text.
type taken struct {
	stretch
	chars *text
	in    *Type
	by    *unheard
	heard bool // the server has passed on that it is deleted
}

// maxUnheard bounds how many such transactions are remembered.
const maxUnheard = 256

// note remembers a transaction of ours that deletes something of a text that itself stays.
func (r *Replica) note(trans *ycrdt.Transaction) {
	own := trans.Doc.ClientID
	u := &unheard{from: trans.BeforeState[own], to: trans.AfterState[own]}
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
	if len(r.unheard) == maxUnheard {
		r.unheard = slices.Delete(r.unheard, 0, 1)
	}
	r.unheard = append(r.unheard, u)
}

// passedOn reports whether the server is known to have a transaction of ours by what it added, or by what a later one
// did.
func (r *Replica) passedOn(u *unheard) bool {
	if u.from == u.to {
		return r.told > u.to
	}
	return r.told >= u.to
}

// hearDeletions notes which deletions of ours an update passes on. One that deletes the text itself says nothing of them.
func (r *Replica) hearDeletions(d *deletions) {
	for _, u := range r.unheard {
		for _, k := range u.taken {
			if !k.heard && d.has(k.client, k.clock) && !d.moved(k.in) {
				k.heard = true
			}
		}
	}
}

// piece is some of a text as it was when a copy took its place.
type piece struct {
	stretch
	chars  *text    // nil if it was deleted before
	shared bool     // others may have it
	by     *unheard // who of us deleted it, which others may not have
}

// placed is a piece at an offset of what the copy was made of.
type placed struct {
	piece
	at int
}

// seen reports whether a piece was there for everybody.
func (p *piece) seen() bool { return p.chars != nil && p.shared && p.by == nil }

// piecesOf lists what a text consisted of, right before the transaction that deleted it.
func (r *Replica) piecesOf(trans *ycrdt.Transaction, t *Type) (list []piece) {
	told := r.toldWith(t)
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
			// Its end is of a later edit, of which no echo has come.
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

// toldWith is how much of our changes somebody has who has a text: if it is a copy that we made, all up to that.
func (r *Replica) toldWith(t *Type) int {
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

// takenIn lists in order what was deleted of an item by transactions of ours of which the server is not known to have had
// anything. What nobody else can have is left out.
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

// removal is a stretch of a text that a transaction of ours deleted, as offsets in what a copy was made of.
type removal struct {
	by       *unheard
	from, to int
}
