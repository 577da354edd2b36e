package crdt

import (
	"slices"
	"unicode"
	"unicode/utf16"

	ycrdt "github.com/skyterra/y-crdt"
)

// If two replicas move the same cell at once, there are two copies. One of them must go, and only its maker may
// remove it, or both would be gone. Of two copies made by this program, the one with the higher client id goes, which
// every replica can decide alone. A tab removes neither, so if one copy is a tab's, the other goes: our copies have a
// tombstone (mark.go). Text that was written only into the removed copy is put into the other. Late edits of the
// original are carried over by the other copy's maker, late edits of the removed copy by this replica, as after any
// move (late.go).

// rival is a pair of copies of one original: ours, which must go, and another's, which stays.
type rival struct {
	mine, theirs *Type
	was          *Type // their common original
	clock        int   // see copied
	chars        string
	tabs         bool // theirs is a tab's, and a tab carries nothing over
	later        bool // the tab was first, so that others insert their own text (tab.go)
	places       Places
}

// maxRival is the longest text whose copy yields to another.
const maxRival = 1 << 18

// Outranks reports whether t, of two copies of one original, stays.
func (r *Replica) Outranks(t, other *Type) bool {
	if tabs := isTabs(r.y.Store, t); tabs != isTabs(r.y.Store, other) {
		return tabs
	}
	return t.Maker() < other.Maker()
}

// IsCopy reports whether a replica of this program made a type as a copy of another.
func (r *Replica) IsCopy(t *Type) bool { return !isTabs(r.y.Store, t) }

// Rival notes that another replica made theirs, possibly a copy of the same original as mine. Mine then yields if it
// is ours and theirs outranks it.
func (r *Replica) Rival(mine, theirs *Type, places Places) {
	if mine.Maker() != r.client || theirs.Maker() == r.client || r.deleting == nil {
		return
	}
	if !r.Outranks(theirs, mine) {
		r.outlive(mine, theirs, places)
		return
	}
	v := rival{mine: mine, theirs: theirs, clock: -1, places: places}
	best := -1
	if isTabs(r.y.Store, theirs) {
		v.tabs, best = true, 1 // it may be unrelated to mine except for the name
	}
	of, known := r.madeOf(theirs)
	for t, c := range r.copies {
		if typeAt(r.y.Store, unitOf(&t.Holder().Item.ID)) != mine {
			continue
		}
		sure := 0
		switch id := t.Item.ID; {
		case known && unitOf(&t.Holder().Item.ID) == of:
			sure = 8
		case uint64(id.Client) == r.client && id.Clock >= r.told:
			continue // the other cannot have had it
		case r.deleting.moved(t):
			sure = 4
		case c.clock <= r.told:
			sure = 2 // the server had deleted it already, and does not say so again
		}
		if copied := theirs.Child(t.Key(), KindText); copied != nil && copied.Characters() == c.chars {
			sure++
		}
		if sure > best || sure == best && c.clock > v.clock {
			best = sure
			v.was, v.clock, v.chars, v.later = t, c.clock, c.chars, r.deleting.moved(t)
		}
	}
	if v.was != nil {
		r.late.rivals = append(r.late.rivals, v)
	}
}

// origin is the source of a unit of a copy.
type origin struct {
	at     int  // the offset in the common original; -1 if it came later
	ours   bool // the other's maker may never get it
	others bool // if it must be inserted, others do so
	client int
	clock  int
}

// yield removes our own copy in favour of another's.
func (x *Tx) yield(v rival) {
	mine, theirs := v.mine.Child(v.was.Key(), KindText), v.theirs.Child(v.was.Key(), KindText)
	if mine == nil || theirs == nil || v.mine.Deleted() || v.theirs.Deleted() || max(mine.Length, theirs.Length, len(v.chars)) > maxRival {
		return
	}
	origins, base, gone := x.origins(&v, mine)
	same := sameUnits(theirs, string(utf16.Decode(base)), len(base), v.places) // by offset
	x.merge(&v, mine, theirs, origins, same)
	for _, at := range gone {
		if u := same[at]; u != nil {
			x.removeUnit(*u)
		}
	}
	if !v.tabs {
		delete(x.r.copies, v.was)
	}
	x.r.remember(mine)
	redone(mine.Item, theirs.Item)
	redone(v.mine.Item, v.theirs.Item)
	v.mine.Item.Delete(x.trans)
}

// origins returns the sources of the units of our copy, the common original as far as known, and the offsets in it
// that are deleted in our copy.
func (x *Tx) origins(v *rival, mine *Type) (all map[unit]origin, base []uint16, gone []int) {
	all = map[unit]origin{}
	var read reading
	chars := utf16.Encode([]rune(v.chars))
	for item := v.was.Start; item != nil; item = item.Right {
		if item.Redone == nil {
			for _, p := range x.r.takenIn(item, x.r.told) {
				for _, c := range utf16.Encode([]rune(string(p.chars.b))) {
					gone = append(gone, len(base))
					base = append(base, c)
				}
			}
			continue
		}
		filled := uint64(item.Redone.Client) == x.r.client && item.Redone.Clock < v.clock
		for i := range item.Length {
			u := unit{item.ID.Client, item.ID.Clock + i}
			from := origin{at: -1, client: u.client, clock: u.clock, ours: !v.tabs && uint64(u.client) == x.r.client && u.clock >= x.r.told}
			from.others = v.tabs && v.later && uint64(u.client) != x.r.client
			now, off := lookup(x.trans.Doc.Store, u)
			here := now != nil && visible(now) && now.Parent == mine
			switch {
			case filled && len(chars) > 0:
				if !from.ours {
					from.at = len(base)
					base = append(base, chars[0])
				}
				chars = chars[1:]
			case v.tabs && here:
				from.at = len(base)
				base = append(base, read.at(now, off))
			}
			switch {
			case here:
				all[unit{now.ID.Client, now.ID.Clock + off}] = from
			case from.at >= 0:
				gone = append(gone, from.at)
			}
		}
	}
	return all, base, gone
}

// reading is an item of a text that is read unit by unit.
type reading struct {
	item  *ycrdt.Item
	units []uint16
}

// at returns a unit of an item.
func (r *reading) at(item *ycrdt.Item, off int) uint16 {
	if r.item != item {
		r.item, r.units = item, nil
		if c, ok := item.Content.(*text); ok {
			r.units = utf16.Encode([]rune(string(c.b)))
		}
	}
	if off >= len(r.units) {
		return unicode.ReplacementChar
	}
	return r.units[off]
}

// merge inserts the text that only our copy has into theirs, and links all our units to theirs.
func (x *Tx) merge(v *rival, mine, theirs *Type, origins map[unit]origin, same []*unit) {
	var behind *unit // in theirs
	var last *orphan // the orphan right before
	for item := mine.Start; item != nil; item = item.Right {
		if !visible(item) {
			continue
		}
		first := unitOf(&item.ID)
		from, known := origins[first]
		n := 1
		for ; n < item.Length; n++ {
			if next, alike := origins[unit{first.client, first.clock + n}]; alike != known || known && !follow(from, next, n, same) {
				break
			}
		}
		if n < item.Length {
			split(x.trans, item, n)
		}
		switch {
		case !known, v.tabs && same[from.at] == nil && !from.others:
			left, right := x.rightBehind(theirs, behind)
			made := x.attach(theirs, "", left, right, item.Content.Copy())
			redone(item, made)
			behind, last = &unit{made.ID.Client, made.ID.Clock + made.Length - 1}, nil
		case from.ours:
			last = &orphan{
				stretch: stretch{from.client, span{from.clock, n}}, content: item.Content.Copy(),
				in: unitOf(&theirs.Item.ID), behind: behind, after: last,
			}
			x.r.orphans = append(x.r.orphans, last)
		case from.at >= 0 && same[from.at] != nil:
			u := *same[from.at]
			item.Redone = &ycrdt.ID{Client: u.client, Clock: u.clock}
			behind, last = &unit{u.client, u.clock + n - 1}, nil
		}
	}
}

// follow reports whether next, n units after first, is of the same kind and continues it in the other copy.
func follow(first, next origin, n int, same []*unit) bool {
	switch {
	case first.others != next.others:
		return false
	case first.ours || next.ours:
		return first.ours && next.ours && next.client == first.client && next.clock == first.clock+n
	case first.at < 0 || next.at < 0:
		return first.at < 0 && next.at < 0
	}
	return joined(same[first.at], same[next.at], n)
}

// rightBehind returns the place in a text right after a unit of it, or at its start.
func (x *Tx) rightBehind(in *Type, u *unit) (left, right *ycrdt.Item) {
	if u == nil {
		return nil, in.Start
	}
	item, off := lookup(x.trans.Doc.Store, *u)
	if item == nil || item.Parent != in {
		return nil, in.Start
	}
	return item, rightOf(x.trans, item, off)
}

// maxMarks is the longest chain of copies that is followed.
const maxMarks = 64

// madeOf returns the unit of the type from which made was copied, perhaps through further copies: the nearest one
// that we copied too.
func (r *Replica) madeOf(made *Type) (of unit, known bool) {
	holders := map[unit]bool{}
	for t := range r.copies {
		holders[unitOf(&t.Holder().Item.ID)] = true
	}
	of = unitOf(&made.Item.ID)
	for range maxMarks {
		var ok bool
		if of, ok = markBefore(r.y.Store, of); !ok {
			break
		}
		if holders[of] {
			return of, true
		}
	}
	return unit{}, false
}

// outlive waits for another's copy to go (survivor.go), if it is known to share its original with mine.
func (r *Replica) outlive(mine, theirs *Type, places Places) {
	of, known := r.madeOf(theirs)
	if !known || len(r.survivors) >= maxSurvivors {
		return
	}
	for t := range r.copies {
		if unitOf(&t.Holder().Item.ID) == of && typeAt(r.y.Store, of) == mine {
			r.survivors = append(r.survivors, waitFor(r.y.Store, theirs, t, places))
			return
		}
	}
}

// outlived collects the overdue copies of others.
func (r *Replica) outlived() {
	r.survivors = slices.DeleteFunc(r.survivors, func(s *survivor) bool {
		yes, wait := s.outlived(r.y.Store)
		if yes {
			r.late.outlived = append(r.late.outlived, s)
		}
		return !wait
	})
}

// takeAway removes another's copy, and puts the text that only it has into ours.
func (x *Tx) takeAway(s *survivor) {
	mine, theirs := typeAt(x.trans.Doc.Store, unitOf(&s.was.Item.ID)), s.theirs.Child(s.was.Key(), KindText)
	if mine == nil || theirs == nil || mine.Maker() != x.r.client || s.theirs.Deleted() || max(mine.Length, theirs.Length) > maxRival {
		return
	}
	same := sameUnits(mine, theirs.Characters(), theirs.Length, s.places)
	var behind *unit // of mine
	at := 0
	for item := theirs.Start; item != nil; item = item.Right {
		if !visible(item) {
			continue
		}
		client, clock := item.ID.Client, item.ID.Clock
		n := 1
		for ; n < item.Length && joined(same[at], same[at+n], n) && s.added(client, clock+n) == s.added(client, clock); n++ {
		}
		if n < item.Length {
			split(x.trans, item, n)
		}
		switch u := same[at]; {
		case u != nil:
			item.Redone = &ycrdt.ID{Client: u.client, Clock: u.clock}
			behind = &unit{u.client, u.clock + n - 1}
		case s.added(client, clock):
			left, right := x.rightBehind(mine, behind)
			made := x.attach(mine, "", left, right, item.Content.Copy())
			redone(item, made)
			behind = &unit{made.ID.Client, made.ID.Clock + made.Length - 1}
		}
		at += n
	}
	x.r.remember(theirs)
	redone(theirs.Item, mine.Item)
	redone(s.theirs.Item, mine.Holder().Item)
	s.theirs.Item.Delete(x.trans)
}
