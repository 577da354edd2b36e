package ydoc

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	crdt "github.com/skyterra/y-crdt"
)

// ErrNothingToUndo says that there is no step to be undone, or redone.
var ErrNothingToUndo = errors.New("there is nothing to undo")

// step is what one edit of ours did: it added the units of this replica from clock from up to to, and deleted others.
// What was deleted is kept in the document until the step is forgotten.
type step struct {
	name     string
	from, to int
	deleted  map[int][]span
	swaps    []swap
	copies   []span // what was added as copies of what was there, in the order of clocks
	bytes    int    // kept for it
}

// swap is a cell that was put in the place of another of the same id: a cell that was moved or got another type.
type swap struct {
	old, new crdt.ID
	id       string
	gone     bool // whether the step deleted the copy in turn
}

// history is the steps that can be undone and redone, the next ones last.
type history struct {
	undo, redo []*step
	recording  *step        // of the transaction that runs
	released   []*crdt.Item // no longer kept, to be collected at its end
}

// maxUndoBytes is how much deleted content is kept for undo.
const maxUndoBytes = 16 << 20

// Undone says what an undo or redo did.
type Undone struct {
	// Name is the name of the edit that was undone or redone.
	Name string
	// Kept are the cells that were left as they are, or whose source was, because somebody else has changed them since.
	Kept []string
	// Missed is true when something could not be put back because what it stood in is gone: a cell that somebody has
	// deleted or replaced.
	Missed bool
}

// Steps returns the names of the edits that can be undone and of those that can be redone, in each case the next one
// first. What a run writes (outputs, execution count and state) is no step.
func (d *Doc) Steps() (undo, redo []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := func(steps []*step) (list []string) {
		for _, s := range slices.Backward(steps) {
			list = append(list, s.name)
		}
		return list
	}
	return names(d.history.undo), names(d.history.redo)
}

// Undo takes back the last edit of this replica's own that has not been taken back: what it added goes, what it deleted
// returns. What others have done since stays: their characters stay in texts, a value that they have set since stays as it
// is, a cell in whose source they wrote is not deleted, and a cell that is moved back keeps what it has become. It is one
// transaction.
func (d *Doc) Undo() (Undone, error) { return d.back("undo", &d.history.undo, &d.history.redo) }

// Redo makes again the edit that was last taken back, unless another edit was made since; see [Doc.Undo].
func (d *Doc) Redo() (Undone, error) { return d.back("redo", &d.history.redo, &d.history.undo) }

func (d *Doc) back(op string, from, to *[]*step) (u Undone, err error) {
	err = d.do(op, func() error {
		if len(*from) == 0 {
			return fmt.Errorf("%s: %w", op, ErrNothingToUndo)
		}
		s := (*from)[len(*from)-1]
		*from = (*from)[:len(*from)-1]
		inverse := &step{name: s.name}
		d.rough, d.history.recording = true, inverse
		d.transact(func(x *tx) {
			r := &reverter{tx: x, s: s, kept: map[*shared]bool{}}
			r.run()
			u = Undone{Name: s.name, Kept: r.ids, Missed: r.missed}
			d.release(x.Transaction, s)
		})
		d.rough, d.history.recording = false, nil
		d.remember(to, inverse)
		return d.measure(0)
	})
	return u, err
}

// step runs f as one transaction of ours that can be undone, unless it has no name.
func (d *Doc) step(name string, f func(x *tx)) {
	if name == "" {
		d.transact(f)
		return
	}
	s := &step{name: name}
	d.history.recording = s
	d.transact(f)
	d.history.recording = nil
	if s.to > s.from || len(s.deleted) > 0 {
		d.forget(d.history.redo)
		d.history.redo = nil
		d.remember(&d.history.undo, s)
	}
}

// record notes, at the end of a transaction, what it did, and keeps what it deleted.
func (d *Doc) record(trans *crdt.Transaction) {
	s := d.history.recording
	if s == nil {
		return
	}
	own := d.y.ClientID
	s.from, s.to = trans.BeforeState[own], trans.AfterState[own]
	s.deleted = map[int][]span{}
	eachDeleted(trans, func(item *crdt.Item) {
		item.Info |= itemDeletedHere
		if item.ID.Client == own && item.ID.Clock >= s.from && !s.copied(item) {
			return // came and went
		}
		if item.Redone != nil {
			return // a copy took its place
		}
		item.SetKeep(true)
		s.bytes += contentBytes(item)
		s.deleted[item.ID.Client] = append(s.deleted[item.ID.Client], span{item.ID.Clock, item.Length})
	})
	for i := range s.swaps {
		s.swaps[i].gone = d.typeAt(s.swaps[i].new) == nil
	}
}

// copied reports whether the step added an item only as a copy of what was there.
func (s *step) copied(item *crdt.Item) bool {
	i := sort.Search(len(s.copies), func(i int) bool { return s.copies[i].clock > item.ID.Clock })
	return i > 0 && item.ID.Clock < s.copies[i-1].clock+s.copies[i-1].length
}

func contentBytes(item *crdt.Item) int {
	switch c := item.Content.(type) {
	case *text:
		return len(c.b)
	case *plain:
		return len(c.raw)
	}
	return 0
}

// remember puts a step on a stack and forgets the oldest ones beyond the limits.
func (d *Doc) remember(stack *[]*step, s *step) {
	*stack = append(*stack, s)
	sum := 0
	for _, s := range *stack {
		sum += s.bytes
	}
	n := 0
	for len(*stack)-n > d.limits.UndoSteps || sum > maxUndoBytes && n < len(*stack)-1 {
		sum -= (*stack)[n].bytes
		n++
	}
	if n > 0 {
		d.forget((*stack)[:n])
		clear((*stack)[:n])
		*stack = (*stack)[n:]
	}
}

// forget lets go of what was kept for steps.
func (d *Doc) forget(steps []*step) {
	if !slices.ContainsFunc(steps, func(s *step) bool { return len(s.deleted) > 0 }) {
		return
	}
	crdt.Transact(d.y, func(trans *crdt.Transaction) {
		for _, s := range steps {
			d.release(trans, s)
		}
	}, nil, true)
}

// release ends the keeping of what a step deleted. It is collected at the end of the transaction.
func (d *Doc) release(trans *crdt.Transaction, s *step) {
	for client, spans := range s.deleted {
		for _, sp := range spans {
			for _, item := range itemsIn(trans, client, sp) {
				item.SetKeep(false)
				d.history.released = append(d.history.released, item)
			}
		}
	}
}

// itemsIn lists the items that a span consists of, splitting those that reach beyond. Bare gaps are left out.
func itemsIn(trans *crdt.Transaction, client int, sp span) (items []*crdt.Item) {
	structs := trans.Doc.Store.Clients[client]
	if structs == nil {
		return nil
	}
	end := sp.clock + sp.length
	for i := indexOf(*structs, sp.clock); i < len(*structs) && (*structs)[i].GetID().Clock < end; i++ {
		item, ok := (*structs)[i].(*crdt.Item)
		if !ok {
			continue
		}
		if item.ID.Clock < sp.clock {
			split(trans, item, sp.clock-item.ID.Clock)
			continue
		}
		if item.ID.Clock+item.Length > end {
			split(trans, item, end-item.ID.Clock)
		}
		items = append(items, item)
	}
	return items
}

// replaced notes that a copy of a cell took its place within the transaction that is recorded.
func (x *tx) replaced(old, new *shared) {
	s := x.d.history.recording
	if s == nil {
		return
	}
	for i := range s.swaps {
		if sw := &s.swaps[i]; sameID(sw.new, old.Item.ID) { // moved twice
			sw.new = new.Item.ID
			return
		}
	}
	if id := old.Item.ID; id.Client != x.d.y.ClientID || id.Clock < x.BeforeState[id.Client] {
		s.swaps = append(s.swaps, swap{old: id, new: new.Item.ID, id: stringValue(new.get(keyID))})
	}
}

// becomes notes that a copy took the place of an item. A copy of what the same step added counts as added.
func (x *tx) becomes(item, made *crdt.Item) {
	redone(item, made)
	s, own := x.d.history.recording, x.d.y.ClientID
	if s == nil || item.ID.Client == own && item.ID.Clock >= x.BeforeState[own] && !s.copied(item) {
		return
	}
	s.copies = append(s.copies, span{made.ID.Clock, made.Length})
}

// redone links an item to what took its place, by which undo and the positions of carets find that.
func redone(item, made *crdt.Item) {
	id := made.ID
	item.Redone = &id
}

// typeAt is the live shared type of an item, or of what took its place.
func (d *Doc) typeAt(id crdt.ID) *shared {
	item, _ := d.lookup(&jsonID{uint64(id.Client), uint64(id.Clock)})
	if item == nil || item.Deleted() {
		return nil
	}
	return sharedOf(item)
}

func sameID(a, b crdt.ID) bool { return a.Client == b.Client && a.Clock == b.Clock }
