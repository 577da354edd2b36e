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

// Step is what one edit did, for [Doc.Revert] to take it back. What the edit deleted is kept in the replica until the
// step is reverted or released, so each step must come to one of the two, unless the replica itself goes.
type Step struct {
	did    *crdt.Step
	cells  []string
	places []placed
	again  bool // it is of an undo: reverting it makes again what that took back
}

// placed is a cell that was there after a step.
type placed struct {
	id string
	at crdt.Place
}

// Cells are the ids of the cells that the step added, changed, moved or deleted; none in a text.
func (s *Step) Cells() []string { return s.cells }

// Bytes is how much deleted content is kept for the step.
func (s *Step) Bytes() int { return s.did.Bytes() }

// Weight is about how much memory the step takes, with what is kept for it.
func (s *Step) Weight() int {
	return 512 + s.did.Bytes() + 100*s.did.Items() + 48*(len(s.cells)+len(s.places))
}

// Undone says what [Doc.Revert] did and what it left.
type Undone struct {
	// Cells are the cells that it added, changed, moved or deleted.
	Cells []string
	// Kept are the cells that were left as they are, or there at all, because somebody else has changed them since.
	Kept []string
	// Gone are the cells that somebody else has deleted or replaced since, and in which nothing was done.
	Gone []string
	// Cut are the cells in which somebody else has deleted text that the step wrote, as who splits the cell does: what
	// became of it elsewhere stays.
	Cut []string
	// Missed is true when something could not be put back because what it stood in is gone: a cell that somebody has
	// deleted or replaced.
	Missed bool
}

// Revert takes back steps of this replica, the last of them first: what they added goes, what they deleted returns. What
// others have done since stays, and so does what later edits of this replica did that are not among the steps: their
// characters stay in texts, a value that was set since stays as it is, a cell in whose source they wrote is not deleted,
// and a cell that is moved back keeps what it has become. It is one transaction.
//
// The inverse is what that did, nil if nothing: reverting it makes the steps again. Like an edit, it is compared with what
// others change meanwhile until [Doc.Settle] or [Doc.Hold]. The steps themselves are used up.
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

// Release lets go of what is kept for steps, which cannot be taken back any more.
func (d *Doc) Release(steps ...*Step) {
	d.read("release steps", func() { d.replica.Release(didOf(steps)...) })
}

func didOf(steps []*Step) []*crdt.Step {
	return lo.Map(steps, func(s *Step, _ int) *crdt.Step { return s.did })
}

// staging is what an edit is to do, once everything has been checked.
type staging struct {
	err error
	ops []func(x tx) // in order
}

// fail makes an error final: the edit will not be made.
func (s *staging) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = err
	}
	return err
}

// edit runs f with the document locked, and then what that has staged, in one transaction. f reports whether this is to be
// recorded.
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

// write runs f as one transaction of ours.
func (d *Doc) write(f func(x tx)) error {
	d.replica.Transact(func(x *crdt.Tx) { f(tx{x}) })
	return d.replica.Measure()
}

// record is write for what may be taken back, and is compared with what others change meanwhile until it is settled.
func (d *Doc) record(f func(x tx)) (*Step, error) {
	s := d.recorded(func() *crdt.Step { return d.replica.Record(func(x *crdt.Tx) { f(tx{x}) }) })
	if s != nil {
		d.replica.Races.Begin(s.did)
	}
	return s, d.replica.Measure()
}

// recorded makes a step of what one transaction does.
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

// mark notes, of a transaction that is recorded, which cells it changed.
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

// Raced reports whether others have changed, since a step was recorded, a text that was there before. It is false once
// the step is settled.
func (d *Doc) Raced(s *Step) (raced bool) {
	d.read("look for other changes", func() { raced = d.replica.Races.Raced(s.did) })
	return raced
}

// Back is closed when the server has passed on a recorded step. It says which changes of others the server had before.
func (d *Doc) Back(s *Step) (back <-chan struct{}) {
	d.read("look for a step", func() { back = d.replica.Races.Back(s.did) })
	return back
}

// Hold ends the comparison of a step with the changes of others: the step stays.
func (d *Doc) Hold(s *Step) {
	d.read("hold a step", func() { d.replica.Races.End(s.did) })
}

// Settle compares a step with what others changed before they had it. If they changed the same words, and the server had
// their change first or a tab made it, it takes the step back and returns a *[ConflictError]. tab reports whether a
// client is a tab, and tabs whether there is any, which may have deleted something.
func (d *Doc) Settle(s *Step, tab func(client uint64) bool, tabs bool) error {
	return d.do("settle a step", func() error {
		if c, ok := d.replica.Races.Into(s.did); ok {
			return d.yield(s, c, &ConflictError{Detail: "somebody typed in it before the deletion reached them", Mine: "deleted"})
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

// contested is the error of a step that cannot stand beside the changes of others.
func contested(c crdt.Contest) *ConflictError {
	edits, err := carry(c.Before, c.Theirs, c.Mine, ConflictError{})
	var conflict *ConflictError
	if errors.As(err, &conflict) {
		return conflict
	}
	// A change that both made is in the text twice; lines that both added may be in either order.
	if len(textdiff.Apply(c.Theirs, edits)) != len(c.Both) {
		return &ConflictError{Mine: textdiff.Unified("mine", c.Before, c.Mine, 1), Detail: "both made the same change"}
	}
	return nil
}

// yield takes a step back because of a contest.
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
		conflict.Detail = fmt.Sprintf("%s; what the edit did in cells that others deleted or replaced could not be taken back", conflict.Detail)
	}
	return conflict
}
