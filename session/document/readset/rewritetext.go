package readset

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
	"github.com/nbduet/nbduet/ydoc/textdiff/ranges"
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
	// At is the byte offset at which the change begins, -1 if nothing was left to change.
	At int
	// Merged reports that the text differs from what the client expects, because others have changed it since.
	Merged bool
	want   string // the text that the client expects
}

// RewriteText changes a text document, and merges the change with what others have typed since. The base is a revision, 0
// for the text that the client was last shown or has sent. change is called with the base text. The text that the client
// expects becomes its next base, as far as it knew or wrote it.
//
// If others have changed the same words, or the client would remove text that it was not shown, the error is an
// [*OutdatedError].
func (r Reader) RewriteText(ctx context.Context, name string, rev ydoc.Revision, change textChanger) (ChangedText, error) {
	t := r.doc.Text()
	if t == nil {
		return ChangedText{}, r.doc.WriteText(ctx, name, func(*ydoc.TextEditor) error { return nil }, nil) // it says so
	}
	client := textReader{r}
	b, err := client.textBase(t, rev, change)
	if err != nil {
		return ChangedText{}, err
	}
	known, was := client.knowledge(), ""
	var made TextChange
	done, err := client.rewriteText(ctx, name, b.text, func(base string) (TextChange, error) {
		was = base
		c, err := change(base)
		// A client that gives a revision and was shown nothing of the document may have read it elsewhere.
		if made = c; err == nil && (known.ok || rev == 0) {
			err = known.mayRemove(base, b.earlier, c)
		}
		return c, err
	})
	if err != nil {
		return ChangedText{}, client.refusedConflict(t, refusedChange{was, made, adviceText}, err)
	}
	known.wroteText(was, done.want, done.Revision)
	return done, nil
}

// OverwriteText gives a text document a new text, whether or not the client has read the old one. If it was shown all of it,
// text that others have typed elsewhere since then stays.
func (r Reader) OverwriteText(ctx context.Context, name, text string) (ChangedText, error) {
	t := r.doc.Text()
	if t == nil {
		return ChangedText{}, r.doc.WriteText(ctx, name, func(*ydoc.TextEditor) error { return nil }, nil) // it says so
	}
	var base *string
	client := textReader{r}
	s, _ := r.showing(whole)
	if last, ok := r.text(s.last, t.String()); ok && client.knowledge().of(last, false).Missing(ranges.Span{To: len(last)}) < 0 {
		base = &last
	}
	var made refusedChange
	done, err := client.rewriteText(ctx, name, base, func(base string) (TextChange, error) {
		made = refusedChange{base, TextChange{To: len(base), Put: text}, adviceText}
		return made.TextChange, nil
	})
	if err != nil {
		return done, client.refusedConflict(t, made, err)
	}
	r.wrote(whole, done.want, done.Revision)
	client.keepParts(done.want, ranges.Set(nil).Add(ranges.Span{To: len(done.want)}))
	return done, nil
}

// A textBase is the text that a change is based on, nil for the current one.
type textBase struct {
	text    *string
	earlier bool // than the text that the client was last shown
}

// textBase returns the text at a revision, with 0 the text that the client was last shown or has sent.
func (r textReader) textBase(t *ydoc.Text, rev ydoc.Revision, change textChanger) (textBase, error) {
	now, latest := t.Read()
	s, known := r.showing(whole)
	last, have := r.text(s.last, now)
	switch {
	case rev != 0 && rev == latest:
		return textBase{}, nil
	case rev != 0 && known && have && rev == s.rev:
		return textBase{text: &last}, nil
	case rev != 0:
		text, err := t.At(rev)
		if err != nil {
			return textBase{}, &OutdatedError{why: "the given revision is no longer known: the document has changed too much since, or was reopened"}
		}
		if c, err := change(text); err == nil && c.From == 0 && c.To == len(text) {
			text = newer(r.Reader, s, rev, text, c.Put, now)
		}
		return textBase{&text, rev < s.rev && text != last}, nil
	case !known:
		return textBase{}, nil
	}
	first, haveFirst := r.text(s.first, now)
	if !have || !haveFirst {
		return textBase{}, &OutdatedError{why: textfmt.Quoted(r.doc.Path().String()) + " was changed by someone else since you read it"}
	}
	c, err := change(last)
	switch {
	case err != nil:
		return textBase{}, err
	case s.refused != 0 && s.refused == r.changeID(last, c):
		if last != now {
			return textBase{}, r.refusedText(t, refusedChange{last, c, adviceText}, "since that was refused", textdiff.Unified("text", last, now, 1), "")
		}
		return textBase{}, &OutdatedError{Shown: true, why: fmt.Sprintf("this was just refused, and %s is as it was then, at revision \"%s\". %s",
			textfmt.Quoted(r.doc.Path().String()), latest, adviceText)}
	case first == last, c.From != 0 || c.To != len(last): // a position refers to the last answer
		return textBase{text: &last}, nil
	}
	if base, ok := chosen(first, last, c.Put); ok {
		return textBase{&base, base != last}, nil
	}
	// Include the changes after the second reading: the revision in the refusal has them.
	return textBase{}, r.refusedText(t, refusedChange{first, TextChange{To: len(first), Put: c.Put}, adviceText}, "between two of your readings, and your text undoes or changes that", textdiff.Unified("text", first, now, 1), "")
}

// The advice to a client whose change of a text was refused, by the argument that it gave.
const (
	adviceText      = "Give this revision, or read the text again and send another change"
	adviceTextWords = "Give words of the text as it is now"
)

// changeID identifies a change of a base text. Changes of the whole are equal for any length of the base, because a client
// that repeats one sends only the new text.
func (r textReader) changeID(base string, c TextChange) textID {
	if c.From == 0 && c.To == len(base) {
		return r.memory.texts.id("whole " + c.Put)
	}
	return r.memory.texts.id(fmt.Sprintf("%d %d %s", c.From, c.To, c.Put))
}

// A refusedChange is a refused change of a base text, with advice for the client.
type refusedChange struct {
	base string
	TextChange
	advice string
}

// refusedText returns the error for a change of a text that is refused because others have changed it. theirs is the diff
// from the base to the current text.
func (r textReader) refusedText(t *ydoc.Text, c refusedChange, why, theirs, mine string) error {
	now, rev := t.Read()
	known := r.knowledge()
	r.refuse(whole, r.changeID(c.base, c.TextChange), now, rev, true)
	if known.ok {
		r.keepParts(now, known.of(c.base, true).Carry(c.base, now, len(theirs) <= maxDifference))
	}
	if mine != "" {
		mine = "Your change:\n" + shortened(mine)
	}
	return &OutdatedError{Shown: true, why: fmt.Sprintf("%s was changed by someone else %s.\nTheir change:\n%s%sIt is now at revision \"%s\". %s",
		textfmt.Quoted(r.doc.Path().String()), why, shortened(theirs), mine, rev, c.advice)}
}

// refusedConflict is refusedText for the error of an edit, if that is a conflict.
func (r textReader) refusedConflict(t *ydoc.Text, c refusedChange, err error) error {
	var conflict *ydoc.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return r.refusedText(t, c, "in the same words", conflict.Theirs, conflict.Mine)
}

// rewriteText makes a change of a base text, nil for the current text.
func (r textReader) rewriteText(ctx context.Context, name string, base *string, change textChanger) (done ChangedText, err error) {
	err = r.doc.WriteText(ctx, name, func(e *ydoc.TextEditor) (err error) {
		done.want, done.At, err = writeText(e, base, change)
		return err
	}, func(t *ydoc.Text) {
		done.Text, done.Revision = t.Read()
		done.Merged = done.Text != done.want
	})
	return done, err
}

// writeText stages a change. It returns the text that the change would make of its base.
func writeText(e *ydoc.TextEditor, from *string, change textChanger) (want string, at int, err error) {
	now := e.String()
	base := now
	if from != nil {
		base = *from
	}
	c, err := change(base)
	if err != nil {
		return "", 0, err
	}
	want = base[:c.From] + c.Put + base[c.To:]
	switch {
	case now != base:
		if err := e.Merge(base, want); err != nil {
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
