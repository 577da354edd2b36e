package readset

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/ydoc"
)

// A Replaced is the result of [Reader.Replace].
type Replaced struct {
	Was, Now string
	Revision ydoc.Revision // of Now
	// Merged reports that the text differs from what the client expects, because others have changed it since.
	Merged bool
}

// Replace changes a part of a cell's source that the client identifies by its words, or, without a cell, of a text document.
// edit returns the new text, or an error if its argument does not contain the words. It is called with the current text
// first: the text that people have typed elsewhere stays. If only the text that the client was shown contains the words, the
// change is merged with the changes of others, or refused as in [Reader.Rewrite].
//
// The client has named the replaced text word by word, so it need not have read the whole text. If it had not before, it
// does not count as having read it afterwards.
func (r Reader) Replace(ctx context.Context, cell string, edit func(text string) (string, error)) (done Replaced, err error) {
	if cell == whole {
		return textReader{r}.replaceText(ctx, edit)
	}
	var was ydoc.Cell
	var want string
	var conflict *ydoc.ConflictError
	err = r.doc.Edit(ctx, "edit text", func(e *ydoc.Editor) (err error) {
		var ok bool
		if was, ok = e.Cell(cell); !ok {
			return fmt.Errorf("cell %q was just deleted by someone else; nothing was changed", cell)
		}
		var base string
		if base, want, err = r.replaced(cell, was.Source, edit); err != nil {
			return err
		}
		return e.Merge(cell, base, want)
	})
	if errors.As(err, &conflict) {
		if now, ok := r.doc.Notebook().Cell(cell); ok {
			return done, r.conflict(now, r.memory.texts.id(want), adviceWords, conflict)
		}
	}
	if err != nil {
		return done, err
	}
	now, ok := r.doc.Notebook().Cell(cell)
	if !ok {
		return Replaced{Was: was.Source, Now: want, Merged: true}, nil
	}
	r.doc.Point(ctx, cell, len(now.Source))
	if now.Source == want {
		r.Edited(was, now)
	}
	return Replaced{was.Source, now.Source, now.Revision, now.Source != want}, nil
}

// replaced applies an edit to the current text or, failing that, to the text that the client was last shown, and returns the
// base that it used.
func (r Reader) replaced(cell, now string, edit func(string) (string, error)) (base, want string, err error) {
	if want, err = edit(now); err == nil {
		return now, want, nil
	}
	s, _ := r.showing(cell)
	last, ok := r.text(s.last, now)
	if !ok || last == now {
		return "", "", err
	}
	old, unknown := edit(last)
	if unknown != nil {
		return "", "", err
	}
	return last, old, nil
}

func (r textReader) replaceText(ctx context.Context, edit func(string) (string, error)) (done Replaced, err error) {
	var base, want string
	known := r.knowledge()
	edited := func(e *ydoc.TextEditor) (err error) {
		done.Was = e.String()
		if base, want, err = r.replaced(whole, done.Was, edit); err != nil {
			return err
		}
		return e.Merge(base, want)
	}
	t := r.doc.Text()
	if err := r.doc.WriteText(ctx, "edit text", edited, nil); err != nil {
		return done, r.refusedConflict(t, refusedChange{base, TextChange{To: len(base), Put: want}, adviceTextWords}, err)
	}
	if t = r.doc.Text(); t == nil {
		return done, errors.New("the document was replaced by a notebook while it was edited: read it again")
	}
	_, knew := r.Knows(whole, done.Was)
	done.Now, done.Revision = t.Read()
	if done.Merged = done.Now != want; knew && !done.Merged {
		r.Edited(ydoc.Cell{Source: done.Was}, ydoc.Cell{Source: done.Now, Revision: done.Revision})
		r.keepParts(done.Now, known.of(done.Was, false).Carry(done.Was, done.Now, true))
	}
	return done, nil
}
