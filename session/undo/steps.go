package undo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/words"
)

// Document is an open document, as far as taking back needs it.
type Document interface {
	// History is that of the current replica.
	History() *History
	// Revise makes an edit of either kind in the history's replica, and returns when the room has it. may refuses an edit
	// that touches cells which are not to be touched now.
	Revise(ctx context.Context, name string, edit func(h *History, may func(cells []string) error) error) error
}

// Steps are the steps of one client in a document. Make it with [Of].
type Steps struct {
	doc    Document
	client string
}

// Of are the steps of a client.
func Of(doc Document, client string) Steps { return Steps{doc, client} }

// List lists the client's steps, those that can be taken back, the last first, and then those that can be made again,
// the next first.
func (s Steps) List() []Step {
	h := s.doc.History()
	h.Look()
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	var out []Step
	if c := h.clients[s.client]; c != nil {
		for _, l := range [][]*step{c.done, c.undone} {
			for _, one := range slices.Backward(l) {
				out = append(out, one.Step)
			}
		}
	}
	return out
}

// Since says when the document's history began, and why.
func (s Steps) Since() (time.Time, Beginning) { return s.doc.History().Since() }

// Outcome is what taking steps back, or making them again, did and what it left. See [ydoc.Undone].
type Outcome struct {
	Steps []Step // in the order in which that was done
	Cells []string
	Kept  []string
	Gone  []string
	Cut   []string
	// Missed is true when something could not be put back.
	Missed bool
}

// Ran are the cells of the steps that the client had run, which nothing takes back.
func (o *Outcome) Ran() (cells []string) {
	for _, s := range o.Steps {
		cells = union(cells, s.Ran)
	}
	return cells
}

// ErrNothing says that a client has no step to be taken back, or made again.
var ErrNothing = words.Fixed("there is nothing to take back")

// UnknownError says that a client has no such step.
type UnknownError struct {
	ID   string
	Have []Step // that can be taken back, the last first
}

func (e *UnknownError) Error() string {
	ids := make([]string, len(e.Have))
	for i, s := range e.Have {
		ids[i] = s.ID
	}
	have := "you have none"
	if len(ids) > 0 {
		have = "yours are " + strings.Join(ids, ", ")
	}
	return fmt.Sprintf("there is no step %q of yours that can be taken back in this document: %s; nothing was changed", e.ID, have)
}

// Undo takes back the last count steps of the client.
func (s Steps) Undo(ctx context.Context, count int) (Outcome, error) {
	return s.revise(ctx, "undo", func(h *History, may mayTouch) (Outcome, error) { return h.back(s.client, count, "", false, may) })
}

// UndoStep takes back one step, those after it stay.
func (s Steps) UndoStep(ctx context.Context, id string) (Outcome, error) {
	return s.revise(ctx, "undo", func(h *History, may mayTouch) (Outcome, error) { return h.back(s.client, 1, id, false, may) })
}

// Redo makes again the steps that were taken back last.
func (s Steps) Redo(ctx context.Context, count int) (Outcome, error) {
	return s.revise(ctx, "redo", func(h *History, may mayTouch) (Outcome, error) { return h.back(s.client, count, "", true, may) })
}

// mayTouch is the error of an edit that would touch cells, nil if it may.
type mayTouch = func(cells []string) error

// revise makes an edit. The outcome of one that the room has not confirmed is that of an edit that was made.
func (s Steps) revise(ctx context.Context, name string, do func(*History, mayTouch) (Outcome, error)) (o Outcome, err error) {
	err = s.doc.Revise(ctx, name, func(h *History, may func([]string) error) (err error) {
		h.Look()
		o, err = do(h, may)
		return err
	})
	return o, err
}

// back takes back, or makes again, the last steps, or the one of an id. A step is on no list while that goes on.
//
// Each is a transaction of its own, though [ydoc.Doc.Revert] takes several at once: that has one inverse, and each step
// must stay one that can be listed, and made again or taken back, by itself.
func (h *History) back(name string, count int, id string, again bool, may mayTouch) (o Outcome, err error) {
	if err := may(h.cellsOf(name, count, id, again)); err != nil {
		return o, err
	}
	taken, err := h.take(name, count, id, again)
	if err != nil {
		return o, err
	}
	for _, s := range taken {
		u, inverse, err := h.doc.Revert(s.made...)
		if err != nil {
			return o, err // the replica is broken, and all of it goes
		}
		s.made = nil
		if inverse != nil {
			s.made = append(s.made, inverse)
		}
		o.Steps = append(o.Steps, s.Step)
		o.Cells, o.Kept, o.Gone, o.Cut = union(o.Cells, u.Cells), union(o.Kept, u.Kept), union(o.Gone, u.Gone), union(o.Cut, u.Cut)
		o.Missed = o.Missed || u.Missed
		h.put(name, s, !again)
	}
	return o, nil
}

// cellsOf are the cells of the steps that would be taken.
func (h *History) cellsOf(name string, count int, id string, again bool) (cells []string) {
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	if c := h.clients[name]; c != nil {
		for _, s := range c.chosen(count, id, again) {
			cells = union(cells, s.Cells)
		}
	}
	return cells
}

// chosen are the last steps that can be taken back, or made again, or the one of an id.
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

// take takes steps off their list, the last first.
func (h *History) take(name string, count int, id string, again bool) (taken []*step, err error) {
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	c := h.clients[name]
	if c == nil {
		c = &client{}
	}
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

// put puts a step on the list of those that can be made again, or taken back.
func (h *History) put(name string, s *step, undone bool) {
	h.k.mu.Lock()
	if h.ended || h.clients[name] != s.of {
		h.k.mu.Unlock()
		release([]*step{s}) // the client has left, or the history has ended
		return
	}
	s.Undone = undone
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
