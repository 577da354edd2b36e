package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

// Document is the part of an open document that undo needs.
type Document interface {
	// History returns the history of the current replica.
	History() *History
	// Revise makes an edit of either kind in the history's replica, and returns when the room has it. may returns an error if
	// the cells must not be touched now.
	Revise(ctx context.Context, name string, edit func(h *History, may func(cells []string) error) error) error
	// Settle compares the edit with concurrent changes by others. It returns a [*ydoc.ConflictError] if it reverted the edit.
	Settle(ctx context.Context, h *History, made *ydoc.Step) error
}

// Steps are the steps of one client in a document. Make it with [Of].
type Steps struct {
	doc    Document
	author origin.Author
}

// Of returns the steps of an author's client.
func Of(doc Document, author origin.Author) Steps { return Steps{doc, author} }

// List returns the client's steps: first those that can be undone, the last first, then those that can be redone, the next
// first.
func (s Steps) List(ctx context.Context) []Step {
	h := s.doc.History()
	h.Look()
	h.recall(ctx, s.author)
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	var out []Step
	if c := h.clients[s.author.Client]; c != nil {
		for _, l := range [][]*step{c.done, c.undone} {
			for _, one := range slices.Backward(l) {
				out = append(out, one.Step)
			}
		}
	}
	return out
}

// Since returns when the document's history began, and why.
func (s Steps) Since() (time.Time, Beginning) { return s.doc.History().Since() }

// Journaled reports whether the steps of before the document's history are known, too: a journal keeps them.
func (s Steps) Journaled() bool { return s.doc.History().recalled(s.author) }

// taskPause is the pause of a client after which its next step belongs to another task.
const taskPause = 10 * time.Minute

// Task returns the number of steps of the client's last task, all of which can be undone.
func (s Steps) Task(ctx context.Context) (n int) {
	list := s.List(ctx)
	for n < len(list) && !list[n].Undone && (n == 0 || list[n-1].At.Sub(list[n].At) < taskPause) {
		n++
	}
	return n
}

// Outcome is the result of undoing or redoing steps. See [ydoc.Undone].
type Outcome struct {
	Steps []Step // in the order of execution
	Cells []string
	Kept  []string
	Gone  []string
	Cut   []string
	Bare  []string // restored without outputs and attachments, which the journal does not keep
	// Missed is set if something could not be restored.
	Missed bool
}

// Ran returns the cells of the steps that the client has run since; undo does not revert a run.
func (o *Outcome) Ran() (cells []string) {
	for _, s := range o.Steps {
		cells = lo.Union(cells, s.Ran)
	}
	return cells
}

// ErrNothing means that a client has no step to undo or redo.
var ErrNothing = textfmt.Fixed("nothing to undo or redo")

// UnknownError means that a client has no step with this id.
type UnknownError struct {
	ID   string
	Have []Step // that can be undone, the last first
}

func (e *UnknownError) Error() string {
	ids := lo.Map(e.Have, func(s Step, _ int) string { return s.ID })
	have := "you have none"
	if len(ids) > 0 {
		have = "yours are " + strings.Join(ids, ", ")
	}
	return fmt.Sprintf("you have no step %q that can be undone in this document: %s; nothing was changed", e.ID, have)
}

// Undo undoes the last count steps of the client.
func (s Steps) Undo(ctx context.Context, count int) (Outcome, error) {
	return s.revise(ctx, "undo", count, "", false)
}

// UndoStep undoes one step; later steps stay.
func (s Steps) UndoStep(ctx context.Context, id string) (Outcome, error) {
	return s.revise(ctx, "undo", 1, id, false)
}

// Redo redoes the last count undone steps.
func (s Steps) Redo(ctx context.Context, count int) (Outcome, error) {
	return s.revise(ctx, "redo", count, "", true)
}

// revise undoes or redoes the last count steps, or the step with an id. An edit that the room has not confirmed has the same
// outcome as a confirmed one. The steps are on no list in the meantime.
func (s Steps) revise(ctx context.Context, name string, count int, id string, again bool) (o Outcome, err error) {
	var from *History
	var taken []*step
	s.doc.History().recall(ctx, s.author)
	err = s.doc.Revise(ctx, name, func(h *History, may func([]string) error) (err error) {
		h.Look()
		if err := may(h.cellsOf(s.author.Client, count, id, again)); err != nil {
			return err
		}
		if taken, err = h.take(s.author.Client, count, id, again); err != nil {
			return err
		}
		from = h
		return h.back(taken, &o)
	})
	for _, one := range taken {
		for _, made := range one.made {
			var conflict *ydoc.ConflictError
			if err == nil && errors.As(s.doc.Settle(ctx, from, made), &conflict) {
				o.Kept, one.made = lo.Union(o.Kept, []string{conflict.ID}), nil
			}
			from.doc.Hold(made)
		}
		from.put(s.author.Client, one, !again)
	}
	return o, err
}

// back undoes or redoes steps.
//
// Each is a separate transaction, although [ydoc.Doc.Revert] accepts several steps: that would return a single inverse, but
// each step must remain separate, so that it can be listed, undone and redone individually.
func (h *History) back(taken []*step, o *Outcome) error {
	for _, s := range taken {
		var u ydoc.Undone
		var inverse *ydoc.Step
		var err error
		if s.edits != nil {
			inverse, err = h.restore(s, o)
			switch {
			case inverse != nil:
				u.Cells = inverse.Cells()
			case err != nil && !errors.Is(err, ydoc.ErrBroken):
				u.Kept, err = s.Cells, nil // such as a malformed cell; nothing was changed
			}
		} else {
			u, inverse, err = h.doc.Revert(s.made...)
		}
		if err != nil {
			return err // the replica is broken and will be discarded
		}
		s.made, s.edits = nil, nil
		if inverse != nil {
			s.made = append(s.made, inverse)
		}
		o.Steps = append(o.Steps, s.Step)
		o.Cells, o.Kept, o.Gone, o.Cut = lo.Union(o.Cells, u.Cells), lo.Union(o.Kept, u.Kept), lo.Union(o.Gone, u.Gone), lo.Union(o.Cut, u.Cut)
		o.Missed = o.Missed || u.Missed
	}
	return nil
}

// cellsOf returns the cells of the steps that would be taken.
func (h *History) cellsOf(name string, count int, id string, again bool) (cells []string) {
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	if c := h.clients[name]; c != nil {
		for _, s := range c.chosen(count, id, again) {
			cells = lo.Union(cells, s.Cells)
		}
	}
	return cells
}

// chosen returns the last steps that can be undone or redone, or the step with an id.
func (c *client) chosen(count int, id string, again bool) (taken []*step) {
	from := c.done
	if again {
		from = c.undone
	}
	if id == "" {
		taken = slices.Clone(from[len(from)-min(count, len(from)):])
		slices.Reverse(taken)
	} else if at := slices.IndexFunc(from, func(s *step) bool { return s.ID == id }); at >= 0 {
		taken = []*step{from[at]}
	}
	return taken
}

// take removes steps from their list, the last first.
func (h *History) take(name string, count int, id string, again bool) (taken []*step, err error) {
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	c := h.clients[name]
	c = cmp.Or(c, &client{})
	taken = c.chosen(count, id, again)
	if len(taken) == 0 && id != "" {
		e := &UnknownError{ID: id}
		for _, s := range slices.Backward(c.done) {
			e.Have = append(e.Have, s.Step)
		}
		return nil, e
	}
	if len(taken) == 0 {
		return nil, ErrNothing
	}
	for _, s := range taken {
		h.k.forget(s)
	}
	return taken, nil
}

// put puts a step on the list of the undone or the done steps.
func (h *History) put(name string, s *step, undone bool) {
	h.k.mu.Lock()
	if h.ended || h.clients[name] != s.of {
		h.k.mu.Unlock()
		release([]*step{s}) // the client has left, or the history has ended
		return
	}
	s.Undone = undone
	h.mark(s)
	to := &s.of.done
	if undone {
		to = &s.of.undone
	}
	*to = append(*to, s)
	h.k.add(s)
	gone := h.k.trim(s)
	h.k.mu.Unlock()
	release(gone)
}
