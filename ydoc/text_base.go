package ydoc

import "fmt"

// Base returns the text as it was at a revision, from which [TextEditor.Rewrite] takes a change; [ErrRevisionGone] where
// it is not remembered any more.
func (e *TextEditor) Base(r Revision) (string, error) {
	e.t.refresh()
	text, ok := e.t.past.at(r)
	if !ok || r > e.t.rev {
		return "", fmt.Errorf("%w: %d", ErrRevisionGone, r)
	}
	return text, nil
}
