package ydoc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Step records one edit, for [Doc.Revert] to undo it. The replica keeps the deleted content until the step is
// reverted or released, so every step must be, unless the replica itself is discarded.
type Step struct {
	did    *crdt.Step
	cells  []string
	places []placed
	edits  []CellEdit
	again  bool // the step is an undo: reverting it redoes
}

// placed is a cell that existed after a step.
type placed struct {
	id string
	at crdt.Place
}

// Cells are the ids of the cells that the step added, changed, moved or deleted; empty for a text.
func (s *Step) Cells() []string { return s.cells }

// Edits returns the step's effects on cells, and drops them from the step; none for a text or an inverse.
func (s *Step) Edits() []CellEdit {
	edits := s.edits
	s.edits = nil
	return edits
}

// Bytes is the size of the deleted content kept for the step.
func (s *Step) Bytes() int { return s.did.Bytes() }

// Weight is the approximate memory used by the step, including the content kept for it.
func (s *Step) Weight() int {
	return 512 + s.did.Bytes() + 100*s.did.Items() + 48*(len(s.cells)+len(s.places))
}

// Undone is the result of [Doc.Revert]: its changes, and the cells that it left.
type Undone struct {
	// Cells are the cells that were added, changed, moved or deleted.
	Cells []string
	// Kept are the cells left as they are, or left present, because another client has changed them since.
	Kept []string
	// Gone are the cells that another client has deleted or replaced since; they were not changed.
	Gone []string
	// Cut are the cells from which another client has deleted text written by the step, as splitting a cell does:
	// copies of that text elsewhere stay.
	Cut []string
	// Missed is true if something could not be restored because its parent is gone: a cell that another client has
	// deleted or replaced.
	Missed bool
}

// Revert undoes steps of this replica, the last of them first: it removes their additions and restores their
// deletions. Others' later changes stay, and so do later edits of this replica that are not among the steps: their
// characters stay in texts, a value set since stays, a cell whose source they edited is not deleted, and a cell moved
// back keeps its current content. It is one transaction.
//
// The inverse is the step that the undo made, or nil: reverting it redoes the steps. Like an edit, it is compared
// with concurrent changes of others until [Doc.Settle] or [Doc.Hold]. The steps themselves are used up.
func (d *Doc) Revert(steps ...*Step) (u Undone, inverse *Step, err error) {
	err = d.do("revert", func() error {
		u, inverse, err = d.revert(steps...)
		if inverse != nil {
			d.replica.Races.Begin(inverse.did)
		}
		return err
	})
	return u, inverse, err
}

// revert is Revert with the document locked.
func (d *Doc) revert(steps ...*Step) (u Undone, inverse *Step, err error) {
	did := didOf(steps)
	again := false
	inverse = d.recorded(func() *crdt.Step {
		next := len(steps)
		return d.replica.Revert(func(v *crdt.Revert) {
			next--
			for _, p := range steps[next].places {
				if v.TypeAt(p.at) == nil {
					u.Gone = addID(u.Gone, p.id)
				}
			}
			again = steps[next].again
			d.model.revert(v, steps[next], &u)
			u.Missed = u.Missed || v.Missed()
		}, did...)
	})
	if inverse != nil {
		inverse.again = !again
		u.Cells = inverse.cells
	}
	u.Gone = slices.DeleteFunc(u.Gone, func(id string) bool { return slices.Contains(u.Kept, id) })
	return u, inverse, d.replica.Measure()
}

// Release frees the content kept for steps, which can no longer be undone.
func (d *Doc) Release(steps ...*Step) {
	d.read("release steps", func() { d.replica.Release(didOf(steps)...) })
}

func didOf(steps []*Step) []*crdt.Step {
	return lo.Map(steps, func(s *Step, _ int) *crdt.Step { return s.did })
}

// staging holds the operations of an edit, to be run once everything has been checked.
type staging struct {
	err error
	ops []func(x tx) // in order
}

// fail records an error that prevents the edit.
func (s *staging) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = err
	}
	return err
}

// edit runs f with the document locked, then the operations that f staged, in one transaction. f reports whether to
// record it.
func (d *Doc) edit(name string, staged *staging, f func() (record bool, err error)) (s *Step, err error) {
	err = d.do("edit "+name, func() error {
		record, err := f()
		switch {
		case err != nil:
			return err
		case staged.err != nil:
			return staged.err
		case len(staged.ops) == 0:
			return nil
		}
		do := func(x tx) {
			for _, op := range staged.ops {
				op(x)
			}
		}
		if !record {
			return d.write(do)
		}
		s, err = d.record(do)
		return err
	})
	return s, err
}

// write runs f as one local transaction.
func (d *Doc) write(f func(x tx)) error {
	d.replica.Transact(func(x *crdt.Tx) { f(tx{x}) })
	return d.replica.Measure()
}

// record is write for an edit that can be undone. The step is compared with concurrent changes of others until it is
// settled.
func (d *Doc) record(f func(x tx)) (*Step, error) {
	s := d.recorded(func() *crdt.Step { return d.replica.Record(func(x *crdt.Tx) { f(tx{x}) }) })
	if s != nil {
		d.replica.Races.Begin(s.did)
	}
	return s, d.replica.Measure()
}

// recorded makes a step of one transaction.
func (d *Doc) recorded(do func() *crdt.Step) *Step {
	d.marked = map[*crdt.Type]struct{}{}
	did := do()
	marked := d.marked
	d.marked = nil
	if did.Empty() {
		return nil
	}
	s := &Step{did: did}
	for t := range marked {
		id, ok := identityOf(t)
		if !ok {
			continue
		}
		s.cells = addID(s.cells, id)
		if !t.Deleted() {
			s.places = append(s.places, placed{id, crdt.PlaceOf(t)})
		}
	}
	slices.Sort(s.cells)
	slices.SortFunc(s.places, func(a, b placed) int { return cmp.Compare(a.id, b.id) })
	return s
}

// mark notes which cells a recorded transaction changed.
func (n *Notebook) mark(c *crdt.Change) {
	if n.marked == nil {
		return
	}
	n.arrange()
	note := func(t *crdt.Type) {
		if cell := topmost(t); cell != nil {
			n.marked[cell] = struct{}{}
		}
	}
	for t := range c.Types() {
		note(t)
	}
	for _, t := range c.Removed(n.cells) {
		note(t)
	}
	if slices.Contains(c.Clients(), n.replica.ClientID()) {
		for t := range c.AddedBy(n.replica.ClientID()) {
			note(t)
		}
	}
}

func addID(ids []string, id string) []string {
	if id == "" || slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// Raced reports whether others have changed, since a step was recorded, a text that existed before it. It is false
// once the step is settled.
func (d *Doc) Raced(s *Step) (raced bool) {
	d.read("look for other changes", func() { raced = d.replica.Races.Raced(s.did) })
	return raced
}

// Back returns a channel that is closed when the server has passed on a recorded step. It shows which of the others'
// changes the server had before.
func (d *Doc) Back(s *Step) (back <-chan struct{}) {
	d.read("look for a step", func() { back = d.replica.Races.Back(s.did) })
	return back
}

// Hold stops comparing a step with others' changes: the step stays.
func (d *Doc) Hold(s *Step) {
	d.read("hold a step", func() { d.replica.Races.End(s.did) })
}

// Settle compares a step with the changes that others made before they received it. If they changed the same words,
// and the server had their change first or a tab made it, Settle undoes the step and returns a *[ConflictError]. tab
// reports whether a client is a tab; tabs is whether any tab is present, because one may have deleted something.
func (d *Doc) Settle(s *Step, tab func(client uint64) bool, tabs bool) error {
	return d.do("settle a step", func() error {
		if c, ok := d.replica.Races.Into(s.did); ok {
			return d.yield(s, c, &ConflictError{Detail: "a person typed in it before the deletion arrived", Mine: "deleted"})
		}
		for _, c := range d.replica.Races.Contests(s.did, tab, tabs) {
			if err := contested(c); err != nil {
				return d.yield(s, c, err)
			}
		}
		d.replica.Races.End(s.did)
		return nil
	})
}

// contested returns the error for a step that conflicts with others' changes, or nil.
func contested(c crdt.Contest) *ConflictError {
	edits, err := carry(c.Before, c.Theirs, c.Mine, ConflictError{})
	var conflict *ConflictError
	if errors.As(err, &conflict) {
		return conflict
	}
	// A change made by both is in the text twice; lines added by both may be in either order.
	if len(textdiff.Apply(c.Theirs, edits)) != len(c.Both) {
		return &ConflictError{Mine: textdiff.Unified("mine", c.Before, c.Mine, 1), Detail: "both made the same change"}
	}
	return nil
}

// yield undoes a step because of a contest.
func (d *Doc) yield(s *Step, c crdt.Contest, conflict *ConflictError) error {
	if cell := topmost(c.Text); cell != nil {
		conflict.ID, _ = identityOf(cell)
	}
	d.replica.Races.Yield(s.did)
	u, inverse, err := d.revert(s)
	if err != nil {
		return err
	}
	if inverse != nil {
		d.replica.Release(inverse.did)
	}
	conflict.TakenBack = true
	if !c.Text.Deleted() {
		c.Theirs = c.Text.Characters()
	}
	conflict.Theirs = textdiff.Unified("theirs", c.Before, c.Theirs, 1)
	if left := len(u.Kept) + len(u.Gone); left > 0 || u.Missed {
		conflict.Detail = fmt.Sprintf("%s; its changes in cells that others deleted or replaced could not be undone", conflict.Detail)
	}
	return conflict
}
