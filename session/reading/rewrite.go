package reading

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A Change gives a cell a new source.
type Change struct {
	Cell   string // its id
	Source string
	// Base is the revision of the cell of which the source is a change; 0 means the one that the client was shown.
	Base ydoc.Revision
	// Force has the source replace what the client has not read.
	Force bool
}

// OutdatedError says that a change was refused, because its base is no longer known and others have changed the
// document since.
type OutdatedError struct {
	Path jupyter.Path // of the document
	Cell string       // "" for the document as a whole
	why  string
	// Shown: the error shows what the client had not read, and the same call again goes through.
	Shown bool
}

func (e *OutdatedError) Error() string { return "nothing was changed: " + e.why }

// outdatedCell is the error for a change of a cell.
func (r Reader) outdatedCell(now ydoc.Cell) error {
	return r.refused(now, "%s was changed by somebody else since you were last shown it, too long ago to merge the two changes", named(now))
}

// Rewrite gives cells of a notebook new sources, all or none, each merged with what others have typed since. It returns
// the cells as they are now; a cell that was just deleted has no id. Those with the given source are recorded as shown
// to the client. The agent's caret moves to the end of the last one.
//
// If others have changed the same words, the error is a [*ydoc.ConflictError]; if the client was not shown a cell, or
// others changed it too long ago to merge the two changes, an [*OutdatedError].
func (r Reader) Rewrite(ctx context.Context, changes []Change) ([]ydoc.Cell, error) {
	err := r.rewrite(ctx, changes)
	if err != nil && !errors.As(err, new(Unconfirmed)) {
		return nil, err
	}
	cells := make([]ydoc.Cell, len(changes))
	for i, c := range changes {
		now, ok := r.doc.Notebook().Cell(c.Cell)
		if !ok {
			continue
		}
		cells[i] = now
		r.doc.Point(ctx, c.Cell, len(now.Source))
		if now.Source == c.Source {
			r.Answer(now) // also of what is not confirmed: its next change is one of that
		}
	}
	if err != nil {
		return nil, err
	}
	return cells, nil
}

// rewrite writes the new sources in one transaction.
func (r Reader) rewrite(ctx context.Context, changes []Change) error {
	return r.doc.Edit(ctx, "modify cells", func(e *ydoc.Editor) error {
		return refusedOf(changes, func(c Change) error { return r.change(e, c) })
	})
}

// change stages one new source.
func (r Reader) change(e *ydoc.Editor, c Change) error {
	now, ok := e.Cell(c.Cell)
	if !ok {
		return e.SetSource(c.Cell, c.Source) // it says so
	}
	if c.Force {
		return r.force(e, now, c)
	}
	base := c.Base
	if base == 0 {
		var err error
		if base, err = r.base(e, now, c.Source); err != nil {
			return err
		}
	}
	if _, err := e.SourceAt(c.Cell, base); errors.Is(err, ydoc.ErrRevisionGone) {
		// The document no longer has the revision that the client was shown. If the cell has not changed since, its
		// current source is as good a base.
		if _, same := r.knows(c.Cell, now.Source); base != now.Revision && (c.Base != 0 || !same) {
			return r.outdatedCell(now)
		}
		return e.SetSource(c.Cell, c.Source)
	}
	return e.Rewrite(c.Cell, base, c.Source)
}

// force gives a cell a new source that its client does not want held back. It still leaves what others have typed elsewhere in
// the cell since the client was shown it, and is refused once, and shown, what they have made of the very words: that it does
// not wait until they pause does not say that their keys are to go. What the client has not read at all, or so long ago that
// nobody knows what it was, is replaced.
func (r Reader) force(e *ydoc.Editor, now ydoc.Cell, c Change) error {
	base := c.Base
	if base == 0 {
		was, ok := r.shown(now.ID)
		if !ok {
			return e.SetSource(c.Cell, c.Source)
		}
		base = was.last
	}
	old, err := e.SourceAt(now.ID, base)
	switch {
	case errors.Is(err, ydoc.ErrRevisionGone):
		return e.SetSource(c.Cell, c.Source)
	case err != nil:
		return err
	}
	if _, err := textdiff.Merge(old, now.Source, c.Source); err != nil {
		why := fmt.Sprintf("%s was changed by somebody else in the same words as by you.\nTheir change:\n%sYour change:\n%s",
			named(now), difference(old, now.Source), difference(old, c.Source))
		if len(now.Source) > maxRevealed {
			return &OutdatedError{r.doc.Path(), now.ID, why + "Read it, then repeat the call", false}
		}
		return r.refused(now, "%s", why)
	}
	return e.Rewrite(c.Cell, base, c.Source)
}
