package reading

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// What a client has not read, it does not destroy: this file decides, for all tools, whether a client may delete or
// replace a text, by what it was shown of it.

// maxDifference is how much of a difference an error shows, in characters.
const maxDifference = 1500

// A Target names a cell that is to be deleted or moved.
type Target struct {
	Cell string // its id
	// Base is the revision at which the client has read the cell. With 0 a deletion is of what the client was shown, and a
	// move of the cell as it is.
	Base ydoc.Revision
}

// targetIDs are the ids of targets.
func targetIDs(targets []Target) []string {
	ids := make([]string, len(targets))
	for i, t := range targets {
		ids[i] = t.Cell
	}
	return ids
}

// Delete deletes cells, all or none. Where the client was not shown a cell, or somebody has typed into it since, the
// error is an [*OutdatedError], which shows the cell, unless force is set.
func (r Reader) Delete(ctx context.Context, cells []Target, force bool) error {
	ids := targetIDs(cells)
	if err := r.doc.Edit(ctx, "delete cells", func(e *ydoc.Editor) error {
		if err := refusedOf(cells, func(c Target) error {
			now, ok := e.Cell(c.Cell)
			if !ok || force {
				return nil // Delete says so
			}
			return r.mayDelete(e, now, c.Base)
		}); err != nil {
			return err
		}
		return e.Delete(ids...)
	}); err != nil {
		return err
	}
	r.Rearranged(ids...)
	return nil
}

// mayDelete refuses to delete a cell that the client has not read as it is now.
func (r Reader) mayDelete(e *ydoc.Editor, now ydoc.Cell, base ydoc.Revision) error {
	if strings.TrimSpace(now.Source) == "" || base != 0 && base == now.Revision {
		return nil
	}
	from := base
	if from == 0 {
		was, ok := r.shown(now.ID)
		switch known, same := r.knows(now.ID, now.Source); {
		case ok:
			from = was.first
		case known && same:
			return nil
		case known:
			return r.refused(now, "%s was changed by somebody else since you were last shown it", named(now))
		default:
			return r.refused(now, "%s was never shown to you", named(now))
		}
	}
	if _, same := r.knows(now.ID, now.Source); same && base == 0 {
		if _, err := e.SourceAt(now.ID, from); errors.Is(err, ydoc.ErrRevisionGone) {
			return nil
		}
	}
	return r.sameSince(e, now, from)
}

// mayMove refuses to move a cell that is not as the client has read it, where it says at which revision that was.
func (r Reader) mayMove(e *ydoc.Editor, cell string, base ydoc.Revision, force bool) error {
	now, ok := e.Cell(cell)
	if !ok || force || base == 0 || base == now.Revision {
		return nil // the move says so
	}
	return r.sameSince(e, now, base)
}

// sameSince refuses what is to be done with a cell whose source has changed since a revision.
func (r Reader) sameSince(e *ydoc.Editor, now ydoc.Cell, from ydoc.Revision) error {
	old, err := e.SourceAt(now.ID, from)
	switch {
	case errors.Is(err, ydoc.ErrRevisionGone):
		return r.refused(now, "%s was changed by somebody else since you read it, too long ago to show how", named(now))
	case err != nil, old == now.Source:
		return err
	}
	return r.refused(now, "%s was changed by somebody else since you read it:\n%s", named(now), difference(old, now.Source))
}

// base is the revision from which a new source of a cell counts as a change: the one that the client was shown. It is
// refused where the client has not read what it replaces.
func (r Reader) base(e *ydoc.Editor, now ydoc.Cell, source string) (ydoc.Revision, error) {
	was, ok := r.shown(now.ID)
	if !ok {
		switch known, same := r.knows(now.ID, now.Source); {
		case known && same, strings.TrimSpace(now.Source) == "":
			return now.Revision, nil
		case known:
			return 0, r.outdatedCell(now)
		default:
			return 0, r.refused(now, "%s was never shown to you as a whole", named(now))
		}
	}
	if was.first == was.last {
		return was.last, nil
	}
	first, err := e.SourceAt(now.ID, was.first)
	if err != nil {
		return was.first, nil //nolint:nilerr // the edit says so
	}
	last, err := e.SourceAt(now.ID, was.last)
	if err != nil {
		return was.last, nil //nolint:nilerr // likewise
	}
	return was.chosen(first, last, source, func() error {
		r.unknow(now.ID) // where the refusal does not show it, the next reading counts
		return r.refused(now, "%s was changed by somebody else between two readings of yours, and your source takes back or changes that.\nTheir change:\n%sYour change:\n%s",
			named(now), difference(first, last), difference(first, source))
	})
}

// chosen is the revision of the two showings from which a text was made: the last one, if the text keeps what was changed
// between them, and the first one, if it has nothing to do with that. Else it cannot be known: the client may be two
// agents, of which this one has not read what it would take back.
func (s showing) chosen(first, last, made string, refuse func() error) (ydoc.Revision, error) {
	switch {
	case first == last, textdiff.Keeps(first, last, made):
		return s.last, nil
	case textdiff.Apart(first, last, made):
		return s.first, nil
	}
	return 0, refuse()
}

// named names a cell in an error by its id and its beginning.
func named(c ydoc.Cell) string {
	line, _, more := strings.Cut(strings.TrimSpace(c.Source), "\n")
	line, wasCut := words.Cut(line, 60)
	if more || wasCut {
		line += " …"
	}
	return fmt.Sprintf("cell %q (%s)", c.ID, words.Quoted(line))
}

// difference is a short unified diff, with a line end.
func difference(old, now string) string {
	d, _ := words.Cut(textdiff.Unified("source", old, now, 1), maxDifference)
	return strings.TrimRight(d, "\n") + "\n"
}
