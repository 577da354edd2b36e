package crdt

import (
	"sort"

	ycrdt "github.com/skyterra/y-crdt"
)

// Step is what one transaction of ours did: it added the units of this replica from clock from up to to, and deleted
// others. What was deleted is kept in the document until the step is released.
type Step struct {
	from, to int
	deleted  map[int][]span
	swaps    []*Swap
	copies   []span // what was added as copies of what was there, in the order of clocks
	bytes    int    // kept for it
	items    int    // in how many pieces
}

// Swap is a type in a list that a copy took the place of: one that was moved, or got another form.
type Swap struct {
	// Name is by what the one who made the copy knows the two.
	Name string
	// Gone says that the step deleted the copy in turn.
	Gone     bool
	old, new unit
}

// Empty reports whether the step did nothing.
func (s *Step) Empty() bool { return s.to == s.from && len(s.deleted) == 0 }

// Bytes is how much deleted content is kept for the step.
func (s *Step) Bytes() int { return s.bytes }

// Items is in how many pieces that is, each of which takes about as much memory as a hundred bytes.
func (s *Step) Items() int { return s.items }

// Record is [Replica.Transact] for a transaction that can be taken back: it returns what it did.
func (r *Replica) Record(f func(x *Tx)) *Step {
	s := &Step{}
	r.recording = s
	r.Transact(f)
	r.recording = nil
	return s
}

// Release ends the keeping of what steps deleted, which can then not be taken back any more.
func (r *Replica) Release(steps ...*Step) {
	keeps := false
	for _, s := range steps {
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

// release ends the keeping of what a step deleted. It is collected at the end of the transaction.
func (r *Replica) release(trans *ycrdt.Transaction, s *Step) {
	for client, spans := range s.deleted {
		for _, sp := range spans {
			for _, item := range itemsIn(trans, client, sp) {
				item.SetKeep(false)
				r.released = append(r.released, item)
			}
		}
	}
}

// record notes, at the end of a transaction, what it did, and keeps what it deleted.
func (s *Step) record(trans *ycrdt.Transaction) {
	own := trans.Doc.ClientID
	s.from, s.to = trans.BeforeState[own], trans.AfterState[own]
	s.deleted = map[int][]span{}
	eachDeleted(trans, func(item *ycrdt.Item) {
		item.Info |= itemDeletedHere
		if item.ID.Client == own && item.ID.Clock >= s.from && !s.copied(item) {
			return // came and went
		}
		if item.Redone != nil {
			return // a copy took its place
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

// copied reports whether the step added an item only as a copy of what was there.
func (s *Step) copied(item *ycrdt.Item) bool {
	i := sort.Search(len(s.copies), func(i int) bool { return s.copies[i].clock > item.ID.Clock })
	return i > 0 && item.ID.Clock < s.copies[i-1].clock+s.copies[i-1].length
}

// madeByStep reports whether the step that is recorded added an item itself, and not as a copy of what was there.
func (x *Tx) madeByStep(item *ycrdt.Item) bool {
	own := x.trans.Doc.ClientID
	return item.ID.Client == own && item.ID.Clock >= x.trans.BeforeState[own] && !x.step.copied(item)
}

// Replaced notes that a copy of a type took its place in a list; name is by what the caller knows both.
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

// typeAt is the live shared type of an item, or of what took its place.
func typeAt(store *ycrdt.StructStore, at unit) *Type {
	item, _ := lookup(store, at)
	if item == nil || item.Deleted() {
		return nil
	}
	return typeOf(item)
}
