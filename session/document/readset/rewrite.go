package readset

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/render/datauri"
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

// Rewrite gives cells of a notebook new sources, all or none, each merged with what others have typed since. It returns
// the cells as they are now; a cell that was just deleted has no id. Those with the given source are recorded as shown
// to the client. The agent's caret moves to the end of the last one.
//
// Abbreviations of embedded data in the sources are replaced by the data, in changes too.
//
// If others have changed the same words, or the client was not shown a cell, the error is an [*OutdatedError].
func (r Reader) Rewrite(ctx context.Context, changes []Change) ([]ydoc.Cell, error) {
	for i, c := range changes {
		now, _ := r.doc.Notebook().Cell(c.Cell)
		var err error
		if changes[i].Source, err = restored(r, now, c.Source); err != nil {
			return nil, err
		}
	}
	err := r.doc.Edit(ctx, "modify cells", func(e *ydoc.Editor) error {
		return refusedOf(changes, func(c Change) error { return r.change(e, c) })
	})
	err = r.overtaken(err, changes)
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
		r.sent(now, c.Source) // also of what is not confirmed: its next change is one of that
	}
	if err != nil {
		return nil, err
	}
	return cells, nil
}

// restored is a new source of a cell with the line ends of the one that is there, and with the data that its abbreviations
// stand for: that of the text that the client was shown last, or of the one that is there.
func restored(r Reader, now ydoc.Cell, source string) (string, error) {
	s, _ := r.showing(now.ID)
	last, _ := r.text(s.last, now.Source)
	full, err := datauri.Restore(source, last, now.Source)
	if err != nil {
		return "", fmt.Errorf("nothing was changed: the new source of cell %q %w", now.ID, err)
	}
	return textdiff.LineEnds(full, now.Source), nil
}

// sent records that the client has given a cell a source, from which what it is now may differ.
func (r Reader) sent(now ydoc.Cell, source string) {
	rev := lo.Ternary(now.Source != source, 0, now.Revision)
	r.wrote(now.ID, source, rev)
}

// overtaken makes a refusal of an edit that was taken back, because somebody else changed the same words in the same instant.
func (r Reader) overtaken(err error, changes []Change) error {
	var conflict *ydoc.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	at := slices.IndexFunc(changes, func(c Change) bool { return c.Cell == conflict.ID })
	now, there := r.doc.Notebook().Cell(conflict.ID)
	if at < 0 || !there {
		return err
	}
	return r.conflict(now, r.memory.texts.id(changes[at].Source), adviceContent, conflict)
}

// conflict is the error where somebody else has changed the words that a client changes.
func (r Reader) conflict(now ydoc.Cell, change textID, advice string, c *ydoc.ConflictError) error {
	return r.refused(now, change, advice, "%s was changed by somebody else in the same words as by you.\nTheir change:\n%sYour change:\n%s",
		named(now), shortened(c.Theirs), shortened(c.Mine))
}

// change stages one new source.
func (r Reader) change(e *ydoc.Editor, c Change) error {
	now, ok := e.Cell(c.Cell)
	if !ok || now.Source == c.Source {
		return e.SetSource(c.Cell, c.Source) // it says so
	}
	base, err := r.baseOf(e, now, c)
	if err != nil {
		return err
	}
	var conflict *ydoc.ConflictError
	err = e.Merge(c.Cell, base, c.Source)
	if errors.As(err, &conflict) {
		return r.conflict(now, r.memory.texts.id(c.Source), adviceContent, conflict)
	}
	return err
}

// baseOf is the text of which a new source is a change. By force, it is what the client was shown last, however old, so that
// what others have typed elsewhere stays; what the client has not read at all is replaced. Right after a refusal it is the
// text of the refusal, which may have been too long to show.
func (r Reader) baseOf(e *ydoc.Editor, now ydoc.Cell, c Change) (string, error) {
	s, known := r.showing(now.ID)
	change := r.memory.texts.id(c.Source)
	if c.Force && s.pending && s.refused == change {
		if text, ok := r.text(s.on, now.Source); ok {
			return text, nil
		}
		return now.Source, nil
	}
	if c.Base != 0 {
		if s.refused == change && c.Base < s.rev && s.last == r.memory.texts.id(now.Source) && !c.Force {
			return "", r.refusedAgain(now, adviceContent)
		}
		if text, ok := r.textAt(e, now, c.Base); ok {
			return newer(r, s, c.Base, text, c.Source, now.Source), nil
		}
	}
	switch {
	case c.Force && s.sent == change:
		return c.Source, nil
	case c.Force:
		if text, ok := r.text(s.last, now.Source); known && ok {
			return text, nil
		}
		return now.Source, nil
	case c.Base != 0:
		return "", r.refused(now, change, adviceContent, "the revision that you give for %s is not known any more", named(now))
	}
	return r.base(now, c.Source)
}
