package ydoc

import (
	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// TextEditor stages changes of a text; see [Text.Edit]. Positions are UTF-16 units, between two characters, in the text
// as it is after the changes staged before.
type TextEditor struct {
	t     *Text
	err   error
	edits [][]textdiff.Edit // each list on the text that the one before leaves
	text  string            // as staged, once that is needed
	read  bool
}

func (e *TextEditor) fail(err error) error {
	if err != nil && e.err == nil {
		e.err = err
	}
	return err
}

// String returns the text as staged.
func (e *TextEditor) String() string {
	if !e.read {
		e.text, e.read = e.t.source.Characters(), true
		for _, edits := range e.edits {
			e.text = textdiff.Apply(e.text, edits)
		}
	}
	return e.text
}

// Len is the length of the text as staged.
func (e *TextEditor) Len() int {
	if len(e.edits) == 0 {
		return e.t.source.Len()
	}
	return textdiff.UTF16Len(e.String())
}

// Replace puts s in the place of n units from pos.
func (e *TextEditor) Replace(pos, n int, s string) error {
	s, err := checkSource(s, e.t.limits)
	if err != nil {
		return e.fail(err)
	}
	if err := e.between(pos); err != nil {
		return e.fail(err)
	}
	if n < 0 {
		return e.fail(crdt.Invalidf("%d units to be deleted", n))
	}
	if err := e.between(pos + n); err != nil {
		return e.fail(err)
	}
	if size := e.Len() - n + len(s); size > e.t.limits.TextBytes {
		return e.fail(tooLargef("a text of %d bytes, at most %d are allowed", size, e.t.limits.TextBytes))
	}
	if n > 0 || s != "" {
		e.add([]textdiff.Edit{{Pos: pos, Del: n, Ins: s}})
	}
	return nil
}

// between checks that a position is in range and between two characters.
func (e *TextEditor) between(pos int) error {
	if len(e.edits) == 0 {
		return e.t.source.Boundary(pos)
	}
	_, err := crdt.Boundary(e.String(), pos)
	return err
}

func (e *TextEditor) add(edits []textdiff.Edit) {
	if len(edits) == 0 {
		return
	}
	e.edits = append(e.edits, edits)
	if e.read {
		e.text = textdiff.Apply(e.text, edits)
	}
}

// SetText makes the text what s says, by the smallest edits.
func (e *TextEditor) SetText(s string) error {
	s, err := checkSource(s, e.t.limits)
	if err != nil {
		return e.fail(err)
	}
	e.add(textdiff.Diff(e.String(), s))
	return nil
}

// Merge makes the change from a base text to s on the text as it is now; see [Editor.Merge].
func (e *TextEditor) Merge(base, s string) error {
	s, err := checkSource(s, e.t.limits)
	if err != nil {
		return e.fail(err)
	}
	edits, err := carry(base, e.String(), s, ConflictError{})
	if err != nil {
		return e.fail(err)
	}
	e.add(edits)
	return nil
}

// Base returns the text as it was at a revision, of which [TextEditor.Merge] takes a change; [ErrRevisionGone]
// where it is not remembered any more.
func (e *TextEditor) Base(r Revision) (string, error) {
	e.t.refresh()
	return e.t.past.at(r, e.t.rev)
}
