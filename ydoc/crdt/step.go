package crdt

import (
	"slices"
	"sort"

	ycrdt "github.com/skyterra/y-crdt"
)

// Step is the effect of one local transaction: it added this replica's units from clock from up to to, and deleted
// others. The deleted content is kept in the document until the step is released.
type Step struct {
	from, to int
	deleted  map[int][]span
	swaps    []*Swap
	copies   []span      // copies of existing content, in the order of clocks
	bytes    int         // of content kept for it
	items    int         // the number of kept pieces
	before   map[int]int // the state vector before it, until its race takes it
}

// Swap is a type in a list that was replaced by a copy, because it was moved or retyped.
type Swap struct {
	// Name is the copier's name for both.
	Name string
	// Gone is true if the step also deleted the copy.
	Gone     bool
	old, new unit
}

// Empty reports whether the step did nothing.
func (s *Step) Empty() bool { return s.to == s.from && len(s.deleted) == 0 }

// Bytes is the size of the deleted content kept for the step.
func (s *Step) Bytes() int { return s.bytes }

// Items is the number of pieces of that content, each of which takes about a hundred bytes of memory.
func (s *Step) Items() int { return s.items }

// Record is [Replica.Transact] for a transaction that can be undone: it returns the step.
func (r *Replica) Record(f func(x *Tx)) *Step {
	s := &Step{}
	r.recording = s
	r.Transact(f)
	r.recording = nil
	return s
}

// Release frees the deleted content of steps, which can no longer be undone.
func (r *Replica) Release(steps ...*Step) {
	keeps := false
	for _, s := range steps {
		r.Races.End(s)
		keeps = keeps || len(s.deleted) > 0
	}
	if !keeps {
		return
	}
	r.Transact(func(x *Tx) {
		for _, s := range steps {
			r.release(x.trans, s)
		}
	})
}

// release stops keeping the deleted content of a step. It is collected at the end of the transaction.
func (r *Replica) release(trans *ycrdt.Transaction, s *Step) {
	for _, item := range itemsOf(trans, s.deleted) {
		item.SetKeep(false)
		r.released = append(r.released, item)
	}
}

// record notes the effect of a transaction at its end, and keeps its deleted content.
func (s *Step) record(trans *ycrdt.Transaction) {
	own := trans.Doc.ClientID
	s.before = trans.BeforeState
	s.from, s.to = trans.BeforeState[own], trans.AfterState[own]
	s.deleted = map[int][]span{}
	eachDeleted(trans, func(item *ycrdt.Item) {
		item.Info |= itemDeletedHere
		if item.ID.Client == own && item.ID.Clock >= s.from && !s.copied(item) {
			return // added and deleted by the step
		}
		if item.Redone != nil {
			return // replaced by a copy
		}
		item.SetKeep(true)
		s.bytes += contentBytes(item)
		s.items++
		s.deleted[item.ID.Client] = append(s.deleted[item.ID.Client], span{item.ID.Clock, item.Length})
	})
	for _, sw := range s.swaps {
		sw.Gone = typeAt(trans.Doc.Store, sw.new) == nil
	}
}

// copied reports whether the step added an item as a copy of existing content.
func (s *Step) copied(item *ycrdt.Item) bool {
	i := sort.Search(len(s.copies), func(i int) bool { return s.copies[i].clock > item.ID.Clock })
	return i > 0 && item.ID.Clock < s.copies[i-1].clock+s.copies[i-1].length
}

// madeByStep reports whether the recorded step added an item itself, not as a copy of existing content.
func (x *Tx) madeByStep(item *ycrdt.Item) bool {
	own := x.trans.Doc.ClientID
	return item.ID.Client == own && item.ID.Clock >= x.trans.BeforeState[own] && !x.step.copied(item)
}

// Replaced notes that made, a copy, replaced old in a list; name is the caller's name for both.
func (x *Tx) Replaced(old, made *Type, name string) {
	s := x.step
	if s == nil {
		return
	}
	was, now := unitOf(&old.Item.ID), unitOf(&made.Item.ID)
	for _, sw := range s.swaps {
		if sw.new == was { // moved twice
			sw.new = now
			return
		}
	}
	if was.client != x.trans.Doc.ClientID || was.clock < x.trans.BeforeState[was.client] {
		s.swaps = append(s.swaps, &Swap{old: was, new: now, Name: name})
	}
}

func contentBytes(item *ycrdt.Item) int {
	switch c := item.Content.(type) {
	case *text:
		return len(c.b)
	case *plain:
		return len(c.raw)
	}
	return 0
}

// typeAt returns the live shared type of an item or of its replacement.
func typeAt(store *ycrdt.StructStore, at unit) *Type {
	item, _ := lookup(store, at)
	if item == nil || item.Deleted() {
		return nil
	}
	return typeOf(item)
}

// race records others' changes while the server has not passed on a step. The server passes on every update, ours
// too, to all in one order, which shows what it had before the step. It does not pass on a repeated deletion.
type race struct {
	step    *Step
	before  map[int]int   // the state vector before the step
	texts   []*Type       // existing texts that others have changed
	into    *Type         // a text that the step deleted and others typed in concurrently
	removed deletions     // others' deletions in texts, since the step
	came    map[int]int   // the clocks up to which the server had others' changes before the step
	gone    deletions     // the server's deletions before the step
	pending []stretch     // deletions of the step that no update has passed on yet
	back    chan struct{} // closed when the server has passed on the step
}

// Races are the steps of a replica that the server has not passed on yet.
type Races struct {
	replica *Replica
	all     []*race
	kept    map[int][]span // others' concurrent deletions, kept in the replica
}

// Begin records others' changes concurrent with a step just made, until [Races.End].
func (r *Races) Begin(s *Step) {
	c := &race{step: s, before: s.before, came: map[int]int{}, back: make(chan struct{})}
	s.before = nil
	for client, spans := range s.deleted {
		for _, sp := range spans {
			c.pending = append(c.pending, stretch{client, sp})
		}
	}
	r.all = append(r.all, c)
}

func (r *Races) of(s *Step) *race {
	if i := slices.IndexFunc(r.all, func(c *race) bool { return c.step == s }); i >= 0 {
		return r.all[i]
	}
	return nil
}

// Raced reports whether others have changed, since a step, a text that existed before it.
func (r *Races) Raced(s *Step) bool {
	c := r.of(s)
	return c != nil && (len(c.texts) > 0 || c.into != nil)
}

// Into returns a text that a step deleted, directly or with its parent, and in which others typed concurrently, or
// false. Their text is restored with it when the step is undone.
func (r *Races) Into(s *Step) (x Contest, ok bool) {
	c := r.of(s)
	if c == nil || c.into == nil {
		return Contest{}, false
	}
	var before, theirs []byte
	own := deletions{ranges: s.deleted}
	for item := c.into.Start; item != nil; item = item.Right {
		if chars, ok := item.Content.(*text); ok && own.has(item.ID.Client, item.ID.Clock) {
			if item.ID.Clock < c.before[item.ID.Client] {
				before = append(before, chars.b...)
			}
			theirs = append(theirs, chars.b...)
		}
	}
	return Contest{Text: c.into, Before: string(before), Theirs: string(theirs)}, true
}

// Back returns a channel that is closed when the server has passed on a step.
func (r *Races) Back(s *Step) <-chan struct{} {
	if c := r.of(s); c != nil {
		return c.back
	}
	return nil
}

// End ends the race of a step, if any. Others' concurrent deletions are freed with the last race.
func (r *Races) End(s *Step) {
	r.all = slices.DeleteFunc(r.all, func(c *race) bool { return c.step == s })
	if len(r.all) == 0 && r.kept != nil {
		kept := r.kept
		r.kept = nil
		r.replica.Release(&Step{deleted: kept})
	}
}

// note records others' transaction, and keeps the text that it deleted.
func (r *Races) note(trans *ycrdt.Transaction) {
	if len(r.all) == 0 {
		return
	}
	for _, c := range r.all {
		for typ := range trans.Changed {
			t, _ := typ.(*Type)
			if t == nil || t.kind != KindText || t.Item != nil && t.Item.ID.Clock >= c.before[t.Item.ID.Client] || slices.Contains(c.texts, t) {
				continue
			}
			c.texts = append(c.texts, t)
		}
	}
	eachDeleted(trans, func(item *ycrdt.Item) {
		t, _ := item.Parent.(*Type)
		if t == nil || t.kind != KindText || item.Keep() {
			return
		}
		if t.Deleted() {
			r.typedInto(t, item, trans)
			return
		}
		item.SetKeep(true)
		if r.kept == nil {
			r.kept = map[int][]span{}
		}
		r.kept[item.ID.Client] = append(r.kept[item.ID.Client], span{item.ID.Clock, item.Length})
		for _, c := range r.all {
			c.removed.add(item.ID.Client, item.ID.Clock, item.ID.Clock+item.Length)
		}
	})
}

// typedInto records text that arrived in a text deleted by a step. It becomes part of the step's deletions. If a copy
// has replaced the text, it is carried over to the copy instead.
func (r *Races) typedInto(t *Type, item *ycrdt.Item, trans *ycrdt.Transaction) {
	if _, ok := item.Content.(*text); !ok || item.ID.Clock < trans.BeforeState[item.ID.Client] || replaced(t, trans.Doc.Store) {
		return
	}
	for _, c := range r.all {
		if !(&deletions{ranges: c.step.deleted}).moved(t) {
			continue
		}
		item.SetKeep(true)
		c.step.deleted[item.ID.Client] = append(c.step.deleted[item.ID.Client], span{item.ID.Clock, item.Length})
		c.into = t
		return
	}
}

// replaced reports whether a copy has replaced a text or one of its parents.
func replaced(t *Type, store *ycrdt.StructStore) bool {
	for ; t != nil && t.Item != nil; t = t.Holder() {
		if typeAt(store, unitOf(&t.Item.ID)) != nil {
			return true
		}
	}
	return false
}

// endsOf returns the clocks up to which an update has changes of each client; nil without a race.
func (r *Races) endsOf(structs map[int]*ycrdt.ClientStructRef) map[int]int {
	if len(r.all) == 0 {
		return nil
	}
	ends := make(map[int]int, len(structs))
	for client, list := range structs {
		if n := len(list.Refs); n > 0 {
			ends[client] = list.Refs[n-1].GetID().Clock + list.Refs[n-1].GetLength()
		}
	}
	return ends
}

// passed reports whether the server has passed on the step.
func (c *race) passed() bool {
	select {
	case <-c.back:
		return true
	default:
		return false
	}
}

// passedOn records an update passed on by the server: the clocks up to which it has changes, and its deletions.
func (c *race) passedOn(own int, ends map[int]int, d *deletions) {
	if c.passed() {
		return
	}
	if c.step.from < c.step.to {
		if ends[own] >= c.step.to {
			close(c.back)
			return
		}
	} else {
		// A step without additions is passed on as those of its deletions that others have not made before; there may
		// be none.
		var left []stretch
		for _, s := range c.pending {
			for _, rest := range without(s.span, d.ranges[s.client]) {
				left = append(left, stretch{s.client, rest})
			}
		}
		if c.pending = left; len(left) == 0 {
			defer close(c.back)
			if len(ends) == 0 {
				return
			}
		}
	}
	for client, end := range ends {
		c.came[client] = max(c.came[client], end)
	}
	for client, spans := range d.ranges {
		for _, s := range spans {
			c.gone.add(client, s.clock, s.clock+s.length)
		}
	}
}

// without returns the parts of a span that are not in others.
func without(s span, others []span) (rest []span) {
	kept := make([][3]int, len(others))
	for i, o := range others {
		kept[i] = [3]int{o.clock, o.clock + o.length, o.clock}
	}
	return missing(s.clock, s.clock+s.length, kept)
}

// Contest is a text changed by a step and by others.
type Contest struct {
	Text *Type
	// Before is the text before the step, Mine with the step alone, Theirs with the others' changes alone, and Both
	// with both.
	Before, Mine, Theirs, Both string
}

// Contests returns the texts changed by a step and by others. After the server has passed on the step, later changes
// count only if tab reports true for their client, and later deletions only if removals is true; before that all
// count.
func (r *Races) Contests(s *Step, tab func(client uint64) bool, removals bool) (list []Contest) {
	c := r.of(s)
	if c == nil {
		return nil
	}
	all := !c.passed()
	own := deletions{ranges: s.deleted}
	for _, t := range c.texts {
		if t.Deleted() {
			continue // deleted with its cell, by another edit
		}
		var before, mine, theirs, both []byte
		for item := t.Start; item != nil; item = item.Right {
			chars, ok := item.Content.(*text)
			if !ok {
				continue
			}
			id := unitOf(&item.ID)
			known, written := c.before[id.client], id.client == r.replica.y.ClientID
			if !item.Deleted() && id.clock+item.Length <= known {
				for _, s := range []*[]byte{&before, &mine, &theirs, &both} {
					*s = append(*s, chars.b...)
				}
				continue
			}
			late := !all && !tab(uint64(id.client))
			for b := chars.b; len(b) > 0; {
				bytes, units := width(b[0])
				removed := c.removed.has(id.client, id.clock)
				live := !item.Deleted() || removed
				dropped := own.has(id.client, id.clock)
				gone := c.gone.has(id.client, id.clock) || removed && (all || removals)
				switch {
				case id.clock < known:
					if live || dropped {
						before = append(before, b[:bytes]...)
						if !dropped {
							mine = append(mine, b[:bytes]...)
						}
						if !gone {
							theirs = append(theirs, b[:bytes]...)
						}
						if !dropped && !gone {
							both = append(both, b[:bytes]...)
						}
					}
				case written:
					if live && s.from <= id.clock && id.clock < s.to {
						mine = append(mine, b[:bytes]...)
						if !gone {
							both = append(both, b[:bytes]...)
						}
					}
				case live && !gone && (!late || id.clock < c.came[id.client]):
					theirs = append(theirs, b[:bytes]...)
					both = append(both, b[:bytes]...)
				}
				b = b[bytes:]
				id.clock += units
			}
		}
		if x := (Contest{t, string(before), string(mine), string(theirs), string(both)}); x.Mine != x.Before && x.Theirs != x.Before {
			list = append(list, x)
		}
	}
	return list
}

// Yield excludes from a step the deletions that others had made before it, so that undo does not restore them.
func (r *Races) Yield(s *Step) {
	c := r.of(s)
	if c == nil {
		return
	}
	left, theirs := map[int][]span{}, &Step{deleted: map[int][]span{}}
	for client, spans := range s.deleted {
		for _, sp := range spans {
			rest := without(sp, c.gone.ranges[client])
			left[client] = append(left[client], rest...)
			theirs.deleted[client] = append(theirs.deleted[client], without(sp, rest)...)
		}
	}
	s.deleted = left
	r.replica.Release(theirs)
}
