package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/ydoc"
)

// A Change gives a cell a new source.
type Change struct {
	Cell   string // its id
	Source string
	// Base is the revision of the cell of which the source is a change; 0 means the one that the client was last shown,
	// or the current one if it was shown none.
	Base ydoc.Revision
}

// OutdatedError says that a change was refused, because its base is no longer known and others have changed the
// document since.
type OutdatedError struct {
	Path string // of the document
	Cell string // "" for the document as a whole
	why  string
}

func (e *OutdatedError) Error() string { return "nothing was changed: " + e.why }

// outdatedCell is the error for a change of a cell.
func (r reader) outdatedCell(id string) error {
	return &OutdatedError{r.Path(), id, fmt.Sprintf("cell %q was changed by somebody else since you were last shown it, too long ago to merge the two changes; "+
		"read the cell again, then repeat the change", id)}
}

// Rewrite gives cells of a notebook new sources, all or none, each merged with what others have typed since. It returns
// the cells as they are now; a cell that was just deleted has no id. Those with the given source are recorded as shown
// to the client. The agent's caret moves to the end of the last one.
//
// If others have changed the same words, the error is a [*ydoc.ConflictError]; if they changed a cell too long ago to
// merge the two changes, an [*OutdatedError].
func (d *Document) Rewrite(ctx context.Context, client string, changes []Change) ([]ydoc.Cell, error) {
	nb := d.Notebook()
	if nb == nil {
		return nil, fmt.Errorf("modify cells: %w: it is a text document", ErrNotNotebook)
	}
	r := reader{d, client}
	list, err := r.bases(nb, changes)
	if err != nil {
		return nil, err
	}
	if err := r.rewrite(ctx, list); err != nil {
		return nil, err
	}
	cells := make([]ydoc.Cell, len(changes))
	for i, c := range changes {
		now, ok := nb.Cell(c.Cell)
		if !ok {
			continue
		}
		cells[i] = now
		d.Point(c.Cell, len(now.Source))
		if now.Source == c.Source {
			d.Show(client, now)
		}
	}
	return cells, nil
}

// A rebase is a change with a known base.
type rebase struct {
	Change
	now ydoc.Revision // of the cell
	// current tells that the cell's source is still the base of the change, or that the client was shown none.
	current bool
}

// bases finds the base of each change.
func (r reader) bases(nb *ydoc.Notebook, changes []Change) ([]rebase, error) {
	list := make([]rebase, len(changes))
	for i, c := range changes {
		cell, ok := nb.Cell(c.Cell)
		if !ok {
			list[i].Change = c
			continue // the edit says so
		}
		b := rebase{Change: c, now: cell.Revision, current: c.Base == cell.Revision}
		if c.Base == 0 {
			b.current = !r.outdated(cell.ID, cell.Source)
			shown, ok := r.shown(c.Cell)
			switch {
			case ok:
				b.Base = shown
			case b.current:
				b.Base = cell.Revision
			default:
				return nil, r.outdatedCell(c.Cell)
			}
		}
		list[i] = b
	}
	return list, nil
}

// rewrite writes the new sources in one transaction.
func (r reader) rewrite(ctx context.Context, list []rebase) error {
	write := func(e *ydoc.Editor) error {
		for _, c := range list {
			if err := e.Rewrite(c.Cell, c.Base, c.Source); err != nil {
				return err
			}
		}
		return nil
	}
	err := r.Edit(ctx, "modify cells", write)
	if !errors.Is(err, ydoc.ErrRevisionGone) {
		return err
	}
	// The document no longer has the revision that the client was shown. If the cell has not changed since, its current
	// source is as good a base.
	for i, c := range list {
		if !c.current {
			return r.outdatedCell(c.Cell)
		}
		list[i].Base = c.now
	}
	return r.Edit(ctx, "modify cells", write)
}
