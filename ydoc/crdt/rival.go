package crdt

import (
	"slices"
	"unicode"
	"unicode/utf16"

	ycrdt "github.com/skyterra/y-crdt"
)

// Where two replicas move the same thing at once there are two copies of it. One of them is to go, and only its maker
// may take it away, or both would be gone. Of two of ours that is the one with the higher client id, which all can tell
// without a word. A tab takes none away, so where one of them is a tab's it is the other that goes: the copies of ours
// have a tombstone (mark.go).
// What was written into its copy alone it puts into the other. What still arrives for the original is carried over by
// the other's maker, and what arrives for the copy that went by this replica, as after any move of its own (late.go).

// rival is a copy of ours that is to go, and the one that stays.
type rival struct {
	mine, theirs *Type
	was          *Type // the text that both were made of
	clock        int   // see copied
	chars        string
	tabs         bool // theirs is a tab's, which carries nothing over
	later        bool // the tab was first, so that others put in what is theirs (tab.go)
	places       Places
}

// maxRival is the length of a text up to which its copy gives way to another.
const maxRival = 1 << 18

// Outranks reports whether of two copies of the same the first is the one that stays.
func (r *Replica) Outranks(t, other *Type) bool {
	if tabs := isTabs(r.y.Store, t); tabs != isTabs(r.y.Store, other) {
		return tabs
	}
	return t.Maker() < other.Maker()
}

// IsCopy reports whether a replica of this program made a type as a copy of another.
func (r *Replica) IsCopy(t *Type) bool { return !isTabs(r.y.Store, t) }

// Rival notes that another replica made theirs, a copy of what mine may be a copy of, too. Mine then goes if it is of
// ours and theirs comes first.
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
		v.tabs, best = true, 1 // it may have nothing to do with mine but the name
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

// origin is what a unit of a copy was made from.
type origin struct {
	at     int  // the offset in what both copies were made of; -1 if it came later
	ours   bool // the other may never get it
	others bool // if it is to be put in, others do so
	client int
	clock  int
}

// yield takes a copy of ours away in favour of another's.
func (x *Tx) yield(v rival) {
	mine, theirs := v.mine.Child(v.was.Key(), KindText), v.theirs.Child(v.was.Key(), KindText)
	if mine == nil || theirs == nil || v.mine.Deleted() || v.theirs.Deleted() || max(mine.Length, theirs.Length, len(v.chars)) > maxRival {
		return
	}
	origins, base, gone := x.origins(&v, mine)
	same := sameUnits(theirs, string(utf16.Decode(base)), len(base), v.places) // of each offset
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

// origins says of the units of our copy what they were made from, what both copies were made of as far as we know, and
// which of that was deleted in ours.
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

// reading is the item of a text that is read unit by unit.
type reading struct {
	item  *ycrdt.Item
	units []uint16
}

// at is a unit of an item.
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

// merge puts what is in our copy alone into theirs, and links all of ours to what it is there.
func (x *Tx) merge(v *rival, mine, theirs *Type, origins map[unit]origin, same []*unit) {
	var behind *unit // of theirs
	var last *orphan // right before
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

// follow reports whether a unit is of the same kind as one that stands n before it, and became what follows on that.
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

// rightBehind is the place in a text right behind a unit of it, or at its start.
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

// maxMarks is how many copies that were made of each other are looked at.
const maxMarks = 64

// madeOf is the unit of the type of which another is known to be a copy, perhaps by way of further copies: the nearest
// that we copied, too.
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

// outlive waits for a copy of another's to go (survivor.go), if it is known to be of what mine was made of.
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

// outlived notes which copies have not gone for long.
func (r *Replica) outlived() {
	r.survivors = slices.DeleteFunc(r.survivors, func(s *survivor) bool {
		yes, wait := s.outlived(r.y.Store)
		if yes {
			r.late.outlived = append(r.late.outlived, s)
		}
		return !wait
	})
}

// takeAway takes the copy of another away, and puts what was written into it alone into ours.
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
