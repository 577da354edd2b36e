package ydoc

import (
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// step is what one edit of ours did, by the edit's name.
type step struct {
	*crdt.Step
	name string
}

// history is the steps that can be undone and redone, the next ones last.
type history struct{ undo, redo []step }

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
	names := func(steps []step) (list []string) {
		for _, s := range slices.Backward(steps) {
			list = append(list, s.name)
		}
		return list
	}
	d.read("list steps", func() { undo, redo = names(d.history.undo), names(d.history.redo) })
	return undo, redo
}

// Undo takes back the last edit of this replica's own that has not been taken back: what it added goes, what it deleted
// returns. What others have done since stays: their characters stay in texts, a value that they have set since stays as
// it is, a cell in whose source they wrote is not deleted, and a cell that is moved back keeps what it has become. It
// is one transaction.
func (d *Doc) Undo() (Undone, error) { return d.back("undo", &d.history.undo, &d.history.redo) }

// Redo makes again the edit that was last taken back, unless another edit was made since; see [Doc.Undo].
func (d *Doc) Redo() (Undone, error) { return d.back("redo", &d.history.redo, &d.history.undo) }

func (d *Doc) back(op string, from, to *[]step) (u Undone, err error) {
	err = d.do(op, func() error {
		if len(*from) == 0 {
			return fmt.Errorf("%s: %w", op, ErrNothingToUndo)
		}
		s := (*from)[len(*from)-1]
		*from = (*from)[:len(*from)-1]
		inverse := d.replica.Revert(s.Step, func(v *crdt.Revert) {
			u = Undone{Name: s.name, Kept: d.model.revert(v)}
			u.Missed = v.Missed()
		})
		d.remember(to, step{inverse, s.name})
		return d.replica.Measure()
	})
	return u, err
}

// write runs f as one transaction of ours, which can be undone unless it has no name.
func (d *Doc) write(name string, f func(x tx)) error {
	if name == "" {
		d.replica.Transact(func(x *crdt.Tx) { f(tx{x}) })
		return d.replica.Measure()
	}
	s := d.replica.Record(func(x *crdt.Tx) { f(tx{x}) })
	if !s.Empty() {
		d.forget(d.history.redo)
		d.history.redo = nil
		d.remember(&d.history.undo, step{s, name})
	}
	return d.replica.Measure()
}

// remember puts a step on a stack and forgets the oldest ones beyond the limits.
func (d *Doc) remember(stack *[]step, s step) {
	*stack = append(*stack, s)
	sum := 0
	for _, s := range *stack {
		sum += s.Bytes()
	}
	n := 0
	for len(*stack)-n > d.limits.UndoSteps || sum > maxUndoBytes && n < len(*stack)-1 {
		sum -= (*stack)[n].Bytes()
		n++
	}
	if n > 0 {
		d.forget((*stack)[:n])
		clear((*stack)[:n])
		*stack = (*stack)[n:]
	}
}

// forget lets go of what was kept for steps.
func (d *Doc) forget(steps []step) {
	all := make([]*crdt.Step, len(steps))
	for i, s := range steps {
		all[i] = s.Step
	}
	d.replica.Release(all...)
}
