package readset

import (
	"context"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A client cannot destroy text that it has not read: this file decides, for all tools, whether a client may delete or
// replace a text, by the text that it was shown.

// maxDifference is how much of a difference an error shows, in characters.
const maxDifference = 1500

// A Target is a cell to delete or move.
type Target struct {
	Cell string // its id
	// Base is the revision at which the client has read the cell. 0 means the text that the client was shown for a deletion,
	// and the current cell for a move.
	Base ydoc.Revision
}

// CellsOf returns the ids of the target cells.
func CellsOf(targets []Target) []string {
	return lo.Map(targets, func(t Target, _ int) string { return t.Cell })
}

// Delete deletes cells, all or none. If the client was not shown a cell, or others have typed into it since, the error is an
// [*OutdatedError] that shows the cell, unless force is set.
func (r Reader) Delete(ctx context.Context, cells []Target, force bool) error {
	ids := CellsOf(cells)
	return r.rearrange(ctx, "delete cells", ids, func(e *ydoc.Editor) error {
		if err := refusedOf(cells, func(c Target) error {
			now, ok := e.Cell(c.Cell)
			if !ok || force {
				return nil // Delete returns the error
			}
			return r.mayDelete(e, now, c.Base)
		}); err != nil {
			return err
		}
		return e.Delete(ids...)
	})
}

// mayDelete returns an error if the client has not read the current text of a cell.
func (r Reader) mayDelete(e *ydoc.Editor, now ydoc.Cell, base ydoc.Revision) error {
	s, known := r.showing(now.ID)
	id := r.memory.texts.id(now.Source)
	switch {
	case strings.TrimSpace(now.Source) == "":
		return nil
	case base != 0:
		return r.sameSince(e, now, base, adviceDeletion)
	case !known || s.last == 0:
		return r.refused(now, deletion, adviceDeletion, "%s was never shown to you", named(now))
	case s.pending && s.last == id:
		return r.refusedAgain(now, adviceDeletion)
	case s.first == id && s.last == id:
		return nil
	}
	old, ok := r.text(s.first, now.Source)
	if !ok {
		return r.refused(now, deletion, adviceDeletion, "%s was changed by someone else since you last read it", named(now))
	}
	if old == now.Source {
		old, _ = r.text(s.last, now.Source)
	}
	return r.refused(now, deletion, adviceDeletion, "%s was changed by someone else since you read it:\n%s", named(now), difference(old, now.Source))
}

// mayMove returns an error if a cell has changed since the revision at which the client has read it, if that is given.
func (r Reader) mayMove(e *ydoc.Editor, cell string, base ydoc.Revision, force bool) error {
	now, ok := e.Cell(cell)
	if !ok || force || base == 0 {
		return nil // the move returns the error
	}
	return r.sameSince(e, now, base, adviceMove)
}

// sameSince returns an error if the source of a cell has changed since a revision.
func (r Reader) sameSince(e *ydoc.Editor, now ydoc.Cell, base ydoc.Revision, advice string) error {
	s, _ := r.showing(now.ID)
	old, known := r.textAt(e, now, base)
	switch {
	case known && old == now.Source:
		return nil
	case s.pending && s.refused == deletion && s.last == r.memory.texts.id(now.Source):
		return r.refusedAgain(now, advice)
	case !known:
		return r.refused(now, deletion, advice, "the given revision of %s is no longer known", named(now))
	}
	return r.refused(now, deletion, advice, "%s was changed by someone else since you read it:\n%s", named(now), difference(old, now.Source))
}

// textAt returns the text that the client read of a cell at a revision of the cell or the notebook; false if that is not
// known. A revision newer than the client's last reading means that reading: it may come from an answer that did not show
// this cell.
func (r Reader) textAt(e *ydoc.Editor, now ydoc.Cell, rev ydoc.Revision) (string, bool) {
	s, known := r.showing(now.ID)
	if rev == now.Revision {
		return now.Source, true
	}
	if known && s.rev != 0 && rev >= s.rev {
		if text, ok := r.text(s.last, now.Source); ok {
			return text, true
		}
	}
	text, err := e.SourceAt(now.ID, rev)
	return text, err == nil
}

// base returns the text that a new source of a cell is a change of: the text that the client was last shown or has sent. It
// returns an error if the client has not read the replaced text.
func (r Reader) base(now ydoc.Cell, source string) (string, error) {
	s, known := r.showing(now.ID)
	change := r.memory.texts.id(source)
	switch {
	case !known || s.last == 0:
		if strings.TrimSpace(now.Source) == "" {
			return now.Source, nil
		}
		return "", r.refused(now, change, adviceContent, "%s was never shown to you as a whole", named(now))
	case s.refused == change && s.last == r.memory.texts.id(now.Source):
		return "", r.refusedAgain(now, adviceContent)
	}
	first, haveFirst := r.text(s.first, now.Source)
	last, haveLast := r.text(s.last, now.Source)
	if !haveFirst || !haveLast {
		return "", r.refused(now, change, adviceContent, "%s was changed by someone else since you read it", named(now))
	}
	if s.refused == change {
		return "", r.refused(now, change, adviceContent, "%s was changed by someone else since that was refused:\n%s", named(now), difference(last, now.Source))
	}
	if base, ok := chosen(first, last, source); ok {
		return base, nil
	}
	return "", r.refused(now, change, adviceContent, "%s was changed by someone else between two of your readings, and your source undoes or changes that.\nTheir change:\n%sYour change:\n%s",
		named(now), difference(first, last), difference(first, source))
}

// named names a cell in an error by its id and its beginning.
func named(c ydoc.Cell) string {
	line, _, more := strings.Cut(strings.TrimSpace(c.Source), "\n")
	line, wasCut := textfmt.Cut(line, 60)
	if more || wasCut {
		line += " …"
	}
	return fmt.Sprintf("cell %q (%s)", c.ID, textfmt.Quoted(line))
}

// difference returns a short unified diff, with a line end.
func difference(old, now string) string { return shortened(textdiff.Unified("source", old, now, 1)) }

// shortened cuts a diff to the length shown in errors, with a line end.
func shortened(diff string) string {
	diff, _ = datauri.Abbreviate(diff)
	diff, _ = textfmt.Cut(diff, maxDifference)
	return strings.TrimRight(diff, "\n") + "\n"
}

// A text document is shown piece by piece, so the memory keeps which parts of a text a client was shown. The client may
// insert anywhere, but may remove only text that it has read.
