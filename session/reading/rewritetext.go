package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A TextChange replaces a part of the base text.
type TextChange struct {
	From, To int // in bytes
	Put      string
}

// A textChanger makes a change of a base text.
type textChanger = func(base string) (TextChange, error)

// A ChangedText is the result of a change.
type ChangedText struct {
	Text     string // right after the change, without later edits of others
	Revision ydoc.Revision
	// At is the byte of the text at which the change begins, -1 if nothing was left to change.
	At int
	// Merged tells that the text differs from what the client expects, because others have changed it since.
	Merged bool
}

// RewriteText changes a text document, and merges the change with what others have typed since. The base is a revision,
// 0 for the one that the client was shown. change is called with the base text, and again if another base is needed. The
// expected text is recorded as shown to the client, as far as it knew the text or has put it there.
//
// If others have changed the same words, the error is a [*ydoc.ConflictError]; if the base is no longer known, or the
// client would remove what it was not shown, an [*OutdatedError].
func (r Reader) RewriteText(ctx context.Context, name string, base ydoc.Revision, change textChanger) (ChangedText, error) {
	t := r.doc.Text()
	if t == nil {
		return ChangedText{}, r.doc.WriteText(ctx, name, func(*ydoc.Text) (*ydoc.Step, error) { return nil, nil }) // it says so
	}
	from := base
	known, was := r.knowledge(), ""
	heeding := known.heed(base, &was, change)
	if from == 0 {
		var err error
		if from, err = r.textBase(t, heeding); err != nil {
			return ChangedText{}, err
		}
	}
	done, err := r.rewriteText(ctx, name, from, heeding)
	if errors.Is(err, ydoc.ErrRevisionGone) {
		switch {
		case base != 0:
			return ChangedText{}, &OutdatedError{Path: r.doc.Path(), why: "the revision that you give is not remembered: the document has changed too much since, or was opened again"}
		case r.outdated(whole, r.doc.Text().String()):
			return ChangedText{}, r.outdatedText()
		}
		// The document no longer has the revision that the client was shown, but the text is the same.
		done, err = r.rewriteText(ctx, name, 0, heeding)
	}
	switch {
	case err != nil:
		return ChangedText{}, err
	case done.Merged:
		r.spoil(done.Text)
	default:
		known.wroteText(was, done.Text, done.Revision)
	}
	return done, nil
}

// OverwriteText gives a text document a new text, whatever is there and whoever has read it.
func (r Reader) OverwriteText(ctx context.Context, name, text string) (ChangedText, error) {
	done, err := r.rewriteText(ctx, name, 0, func(base string) (TextChange, error) {
		return TextChange{To: len(base), Put: text}, nil
	})
	if err != nil {
		return done, err
	}
	if done.Merged {
		r.spoil(done.Text)
	} else {
		r.ShowText(text, done.Revision, 0, len(text))
		r.wrote(whole, text, done.Revision)
	}
	return done, nil
}

// heed has a change refused that removes what the client has not read; was gets the base of which it was made last. Who
// names a revision and was shown nothing of the document may have read it elsewhere.
func (k knowledge) heed(named ydoc.Revision, was *string, change textChanger) textChanger {
	return func(base string) (TextChange, error) {
		*was = base
		c, err := change(base)
		if err == nil && (k.ok || named == 0) {
			err = k.mayRemove(named, base, c)
		}
		return c, err
	}
}

// textBase is the revision that the client was shown, 0 for the current text.
func (r Reader) textBase(t *ydoc.Text, change textChanger) (ydoc.Revision, error) {
	shown, ok := r.shown(whole)
	now := t.String()
	known, same := r.knows(whole, now)
	switch {
	case ok && shown.first == stale, !ok && known && !same:
		return 0, r.outdatedText()
	case ok && shown.first == shown.last:
		return shown.last, nil
	case ok:
		return r.textOfTwo(t, shown, change)
	}
	return 0, nil
}

// textOfTwo is the one of two showings from which a change was made, see [Reader.chosen]. Of a change of a part that
// cannot be known: its position may be of either.
func (r Reader) textOfTwo(t *ydoc.Text, was showing, change textChanger) (ydoc.Revision, error) {
	first, err := t.At(was.first)
	if err != nil {
		return was.first, nil //nolint:nilerr // the edit says so
	}
	last, err := t.At(was.last)
	if err != nil || first == last {
		return was.last, nil //nolint:nilerr // likewise
	}
	c, err := change(last)
	if err != nil {
		return 0, err
	}
	doubt := words.Quoted(r.doc.Path().String()) + " was changed by somebody else between two readings of yours, and "
	refused := func(why string) error {
		diff := difference(first, last)
		r.doc.Showings().wrote(r.client, whole, was.last) // the client was shown both
		return &OutdatedError{Path: r.doc.Path(), why: fmt.Sprintf("%s%s:\n%sIf you mean that, repeat the change", doubt, why, diff), Shown: true}
	}
	if c.From == 0 && c.To == len(last) {
		return was.chosen(first, last, c.Put, func() error { return refused("your text takes back or changes that") })
	}
	return 0, refused("a position means another place since; yours has to be of the last one")
}

// outdatedText is the error for a change by a client that was not shown the current text.
func (r Reader) outdatedText() error {
	return &OutdatedError{Path: r.doc.Path(), why: words.Quoted(r.doc.Path().String()) +
		" was changed by others since you were last shown all of it, so your positions and content may be out of date"}
}

// rewriteText makes a change based on a revision, 0 for the current text.
func (r Reader) rewriteText(ctx context.Context, name string, from ydoc.Revision, change textChanger) (done ChangedText, err error) {
	err = r.doc.WriteText(ctx, name, func(t *ydoc.Text) (*ydoc.Step, error) {
		var want string
		made, err := t.Record(name, func(e *ydoc.TextEditor) (err error) {
			want, done.At, err = writeText(e, from, change)
			return err
		})
		if err != nil {
			return nil, err
		}
		done.Text, done.Revision = t.Read()
		done.Merged = done.Text != want
		return made, nil
	})
	return done, err
}

// writeText stages a change. It returns the text that the change would make of its base.
func writeText(e *ydoc.TextEditor, from ydoc.Revision, change textChanger) (want string, at int, err error) {
	now := e.String()
	base := now
	if from != 0 {
		if base, err = e.Base(from); err != nil {
			return "", 0, err
		}
	}
	c, err := change(base)
	if err != nil {
		return "", 0, err
	}
	want = base[:c.From] + c.Put + base[c.To:]
	switch {
	case now != base:
		if err := e.Rewrite(from, want); err != nil {
			return "", 0, err
		}
		if edits := textdiff.Diff(now, e.String()); len(edits) > 0 {
			return want, textdiff.ByteOffset(now, edits[0].Pos), nil
		}
		return want, -1, nil
	case c.From == 0 && c.To == len(base):
		return want, 0, e.SetText(want)
	}
	// Keep the exact place, even if the same text is next to it.
	offset := textdiff.UTF16Offset(base, c.From)
	for _, edit := range slices.Backward(textdiff.Diff(base[c.From:c.To], c.Put)) {
		if err := e.Replace(offset+edit.Pos, edit.Del, edit.Ins); err != nil {
			return "", 0, err
		}
	}
	return want, c.From, nil
}
