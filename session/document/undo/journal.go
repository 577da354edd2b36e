package undo

import (
	"context"
	"slices"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// Place identifies a notebook for a [Journal].
type Place struct {
	Server string // its URL
	File   string // the server's id of the file, which a renamed file keeps
	Path   string
}

// Recorded is a step with its edits as a [Journal] keeps them.
type Recorded struct {
	Step
	Edits [][]ydoc.CellEdit // one list for each edit of the call, in their order
}

// A Journal keeps steps of notebooks longer than their replicas. Its methods do not wait for a disk, except Steps.
type Journal interface {
	// Add adds an edit to a step of an author.
	Add(in Place, a origin.Author, step Step, edits []ydoc.CellEdit)
	// Mark notes that a step was undone or redone.
	Mark(step string, undone bool)
	// Steps returns the last steps of an owner in a notebook, in the order in which they were made or undone; an error if they
	// cannot be read, which the journal has logged.
	Steps(ctx context.Context, in Place, owner string) ([]Recorded, error)
	// Prefix is the beginning of the ids of steps of this process.
	Prefix() string
}

// Keep makes the history's steps outlast it, in the keeper's journal. in returns the place of the notebook.
func (h *History) Keep(in func() Place) { h.in = in }

// Journaled reports whether the journal keeps the steps of an author.
func (h *History) Journaled(a origin.Author) bool {
	return h.k.Journal != nil && h.in != nil && a.Owner != ""
}

// Note adds an edit of an author to the journal. Call it if the room has the edit, or will have it.
func (h *History) Note(a origin.Author, added Recorded) {
	if !h.Journaled(a) || added.ID == "" {
		return
	}
	for _, edits := range added.Edits {
		if len(edits) > 0 {
			h.k.Journal.Add(h.in(), a, added.Step, edits)
		}
	}
}

// mark notes in the journal that steps were undone or redone.
func (h *History) mark(s *step) {
	if h.k.Journal != nil && h.in != nil {
		h.k.Journal.Mark(s.ID, s.Undone)
	}
}

// recall adds the author's steps in the journal, before the steps of this history. It does so once for a client.
func (h *History) recall(ctx context.Context, a origin.Author) {
	if !h.Journaled(a) {
		return
	}
	h.k.mu.Lock()
	c := h.client(a.Client)
	recalled := c.recalled
	h.k.mu.Unlock()
	if recalled {
		return
	}
	all, err := h.k.Journal.Steps(ctx, h.in(), a.Owner)
	if err != nil {
		return
	}
	h.k.mu.Lock()
	var gone []*step
	if !h.ended && h.clients[a.Client] == c && !c.recalled {
		h.prepend(c, all)
		gone = h.k.fit(nil)
	}
	h.k.mu.Unlock()
	release(gone)
}

// prepend adds steps of the journal before those of a client. The caller holds the lock.
func (h *History) prepend(c *client, all []Recorded) {
	c.recalled = true
	here := map[string]bool{} // the steps of this history, also of other clients of the owner
	for _, other := range h.clients {
		for _, s := range slices.Concat(other.done, other.undone) {
			here[s.ID] = true
		}
	}
	for _, r := range slices.Backward(all) {
		if here[r.ID] {
			continue
		}
		s := &step{Step: r.Step, edits: r.Edits, in: h, of: c}
		h.k.add(s)
		h.k.steps.MoveToFront(s.at) // as the oldest
		if s.Undone {
			c.undone = slices.Insert(c.undone, 0, s)
		} else {
			c.done = slices.Insert(c.done, 0, s)
		}
	}
}

// recalled reports whether the steps of the journal are among the client's.
func (h *History) recalled(a origin.Author) bool {
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	c := h.clients[a.Client]
	return c != nil && c.recalled
}

// client returns the steps of a client. The caller holds the lock.
func (h *History) client(name string) *client {
	c := h.clients[name]
	if c == nil {
		c = &client{}
		h.clients[name] = c
	}
	return c
}

// restore undoes or redoes a step of the journal in the notebook, and returns the edit.
func (h *History) restore(s *step, o *Outcome) (*ydoc.Step, error) {
	name, all := "undo", slices.Clone(s.edits)
	if slices.Reverse(all); s.Undone {
		name, all = "redo", lo.Map(s.edits, func(edits []ydoc.CellEdit, _ int) []ydoc.CellEdit { return swapped(edits) })
	}
	return h.nb.Record(name, func(e *ydoc.Editor) error {
		for _, edits := range all {
			if err := (inverse{e, o}).revert(edits); err != nil {
				return err
			}
		}
		return nil
	})
}

// swapped returns the edits that revert edits.
func swapped(edits []ydoc.CellEdit) []ydoc.CellEdit {
	return lo.Map(edits, func(e ydoc.CellEdit, _ int) ydoc.CellEdit {
		e.Before, e.After = e.After, e.Before
		return e
	})
}
