package readset

import (
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/ydoc"
)

// A Reshape changes the type of cells, where they begin and end, or their place. Their text stays.
type Reshape struct {
	Cells []string // their ids
	// Type is the new type; "" keeps it.
	Type string
	// Lines are the numbers, from 0, of lines of the one cell, as the client read it, before which it is split, see
	// [ydoc.Editor.Split].
	Lines []int
	// Join joins the cells into the first, see [ydoc.Editor.Join].
	Join bool
	// After, if not nil, returns the cell that the cells are moved behind, "" for none; it is not one of them.
	After func(*ydoc.Editor) string
	// Base is the revision at which the client has read the cell to split; 0 means the text that the client was shown.
	Base ydoc.Revision
	// Force splits a cell that has changed since.
	Force bool

	// Parts are the ids of the cells afterwards, in their order. [Reader.Rewrite] sets them.
	Parts []string
	was   []ydoc.Cell
}

// Stage implements [Further].
func (s *Reshape) Stage(r Reader, e *ydoc.Editor) error {
	s.was, s.Parts = nil, slices.Clone(s.Cells)
	for _, id := range s.Cells {
		c, ok := e.Cell(id)
		if ok && c.ExecutionState == ydoc.Running && (s.Join || s.Type != "" && s.Type != c.Type) {
			return fmt.Errorf("cell %q is running, and its outputs would go: wait for it or cancel it first", id)
		}
		s.was = append(s.was, c)
		if s.Type != "" {
			if err := e.SetType(id, s.Type); err != nil {
				return err
			}
		}
	}
	switch first := s.Cells[0]; {
	case s.Join:
		if err := adjacent(e, s.Cells); err != nil {
			return err
		}
		s.Parts = s.Cells[:1]
		if err := e.Join(first, s.Cells[1:]...); err != nil {
			return err
		}
	case s.Lines != nil:
		if err := s.maySplit(e, r); err != nil {
			return err
		}
		made, err := e.Split(first, s.Lines...)
		if s.Parts = append(made, first); err != nil {
			return err
		}
	}
	if s.After == nil {
		return nil
	}
	return follow(e, s.Parts, s.After(e))
}

// adjacent returns an error if the cells do not follow each other.
func adjacent(e *ydoc.Editor, ids []string) error {
	for i, id := range ids[1:] {
		before, _ := e.Index(ids[i])
		at, ok := e.Index(id)
		if between, _ := e.IDAt(before + 1); ok && at != before+1 {
			return fmt.Errorf("cell %q does not follow cell %q, there %q is: read the notebook again; nothing was changed", id, ids[i], between)
		}
	}
	return nil
}

// maySplit returns an error if the cell to split has changed since the client read it: its lines are others then.
func (s *Reshape) maySplit(e *ydoc.Editor, r Reader) error {
	now, ok := e.Cell(s.Cells[0])
	if !ok || s.Force {
		return nil // Split returns the error
	}
	if s.Base != 0 {
		return r.sameSince(e, now, s.Base, adviceSplit)
	}
	last, known := r.showing(now.ID)
	old, kept := r.text(last.last, now.Source)
	switch {
	case !known || last.last == 0:
		return nil // it names lines that a search has shown
	case last.pending && old == now.Source:
		return r.refusedAgain(now, adviceSplit)
	case kept && old == now.Source:
		return nil
	case !kept:
		return r.refused(now, deletion, adviceSplit, "%s was changed by someone else since you read it", named(now))
	}
	return r.refused(now, deletion, adviceSplit, "%s was changed by someone else since you read it:\n%s", named(now), difference(old, now.Source))
}

// Done implements [Further]: the client knows the parts of cells that it has read, and their places.
func (s *Reshape) Done(r Reader) {
	all := true
	for _, c := range s.was {
		_, same := r.Knows(c.ID, c.Source)
		all = all && same
	}
	for _, id := range s.Parts {
		if c, ok := r.doc.Notebook().Cell(id); ok && all {
			r.Answer(c)
		}
	}
	r.Rearranged(slices.Concat(s.Cells, s.Parts)...)
}
