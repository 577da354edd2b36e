package session

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
// 0 for the one that the client was last shown, or the current one if it was shown none. change is called with the base
// text, and again if another base is needed. The expected text is recorded as shown to the client.
//
// If others have changed the same words, the error is a [*ydoc.ConflictError]; if the base is no longer known, an
// [*OutdatedError].
func (d *Document) RewriteText(ctx context.Context, client, name string, base ydoc.Revision, change func(base string) (TextChange, error)) (ChangedText, error) {
	t := d.Text()
	if t == nil {
		return ChangedText{}, fmt.Errorf("%s: %w: it is a notebook", name, ErrNotText)
	}
	r := reader{d, client}
	from := base
	if from == 0 {
		var err error
		if from, err = r.textBase(t); err != nil {
			return ChangedText{}, err
		}
	}
	done, err := r.rewriteText(ctx, name, from, change)
	if errors.Is(err, ydoc.ErrRevisionGone) {
		switch {
		case base != 0:
			return ChangedText{}, &OutdatedError{Path: d.Path(), why: fmt.Sprintf("revision %d is not remembered: the document has changed too much since, or was opened again", base)}
		case r.outdated(whole, d.Text().String()):
			return ChangedText{}, r.outdatedText()
		}
		// The document no longer has the revision that the client was shown, but the text is the same.
		done, err = r.rewriteText(ctx, name, 0, change)
	}
	switch {
	case err != nil:
		return ChangedText{}, err
	case done.Merged:
		r.spoil(done.Text)
	default:
		r.show(whole, done.Text, done.Revision)
	}
	return done, nil
}

// textBase is the revision that the client was last shown, 0 if none.
func (r reader) textBase(t *ydoc.Text) (ydoc.Revision, error) {
	shown, ok := r.shown(whole)
	switch {
	case ok && shown != stale:
		return shown, nil
	case ok, r.outdated(whole, t.String()):
		return 0, r.outdatedText()
	}
	return 0, nil
}

// outdatedText is the error for a change by a client that was not shown the current text.
func (r reader) outdatedText() error {
	return &OutdatedError{Path: r.Path(), why: words.Quoted(r.Path()) +
		" was changed by others since you were last shown all of it, so your positions and content may be out of date"}
}

// rewriteText makes a change based on a revision, 0 for the current text.
func (r reader) rewriteText(ctx context.Context, name string, from ydoc.Revision, change func(base string) (TextChange, error)) (done ChangedText, err error) {
	err = r.edit(ctx, name, func(lv *live) error {
		if lv.text == nil {
			return fmt.Errorf("%s: %w: it is a notebook", name, ErrNotText)
		}
		var want string
		if err := lv.text.Edit(name, func(e *ydoc.TextEditor) (err error) {
			want, done.At, err = writeText(e, from, change)
			return err
		}); err != nil {
			return err
		}
		done.Text, done.Revision = lv.text.Read()
		done.Merged = done.Text != want
		return nil
	})
	return done, err
}

// writeText stages a change. It returns the text that the change would make of its base.
func writeText(e *ydoc.TextEditor, from ydoc.Revision, change func(base string) (TextChange, error)) (want string, at int, err error) {
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
