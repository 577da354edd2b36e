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
	// Base is the revision of the cell that the source was derived from; 0 means the text that the client was shown.
	Base ydoc.Revision
	// Force makes the source replace text that the client has not read.
	Force bool
}

// A Further is a further part of an edit that gives cells new sources.
type Further interface {
	// Stage stages the part; an edit may be staged several times. Done records the state that the client then knows.
	Stage(r Reader, e *ydoc.Editor) error
	Done(r Reader)
}

// Rewrite gives cells of a notebook new sources, all or none. Each is merged with what others have typed since. It returns
// the current cells; a cell that was just deleted has no id. Cells that have the given source are recorded as shown to the
// client. The agent's caret moves to the end of the last one.
//
// Abbreviations of embedded data in the sources are replaced by the data, also inside changed text.
//
// The further parts are staged after that, in the same edit.
//
// If others have changed the same words, or the client was not shown a cell, the error is an [*OutdatedError].
func (r Reader) Rewrite(ctx context.Context, changes []Change, further ...Further) ([]ydoc.Cell, error) {
	for i, c := range changes {
		now, _ := r.doc.Notebook().Cell(c.Cell)
		var err error
		if changes[i].Source, err = restored(r, now, c.Source); err != nil {
			return nil, err
		}
	}
	err := r.doc.Edit(ctx, "modify cells", func(e *ydoc.Editor) error {
		if err := refusedOf(changes, func(c Change) error { return r.change(e, c) }); err != nil {
			return err
		}
		for _, f := range further {
			if err := f.Stage(r, e); err != nil {
				return err
			}
		}
		return nil
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
		r.sent(now, c.Source) // also if not confirmed: the client's next change is based on it
	}
	for _, f := range further {
		f.Done(r)
	}
	if err != nil {
		return nil, err
	}
	return cells, nil
}

// restored returns a new source with the line ends of the current one, and with the data that its abbreviations refer to:
// from the text that the client was last shown, or from the current one.
func restored(r Reader, now ydoc.Cell, source string) (string, error) {
	s, _ := r.showing(now.ID)
	last, _ := r.text(s.last, now.Source)
	full, err := datauri.Restore(source, last, now.Source)
	if err != nil {
		return "", fmt.Errorf("nothing was changed: the new source of cell %q %w", now.ID, err)
	}
	return textdiff.LineEnds(full, now.Source), nil
}

// sent records that the client has given a cell a source, which may differ from the current one.
func (r Reader) sent(now ydoc.Cell, source string) {
	rev := lo.Ternary(now.Source != source, 0, now.Revision)
	r.wrote(now.ID, source, rev)
}

// overtaken turns the conflict of an edit that was reverted, because others changed the same words at the same instant, into
// a refusal.
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

// conflict returns the error for a change of words that others have changed.
func (r Reader) conflict(now ydoc.Cell, change textID, advice string, c *ydoc.ConflictError) error {
	return r.refused(now, change, advice, "%s was changed by someone else in the same words.\nTheir change:\n%sYour change:\n%s",
		named(now), shortened(c.Theirs), shortened(c.Mine))
}

// change stages one new source.
func (r Reader) change(e *ydoc.Editor, c Change) error {
	now, ok := e.Cell(c.Cell)
	if !ok || now.Source == c.Source {
		return e.SetSource(c.Cell, c.Source) // SetSource returns the error
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

// baseOf returns the text that a new source is a change of. By force, it is the text that the client was last shown, however
// old, so that the text that others have typed elsewhere stays; if the client has read nothing, the whole text is replaced.
// Right after a refusal it is the text at that time, which may have been too long to show.
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
		return "", r.refused(now, change, adviceContent, "the given revision of %s is no longer known", named(now))
	}
	return r.base(now, c.Source)
}
