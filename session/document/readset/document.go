package readset

import (
	"context"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// Document is the part of an open document that this package needs.
type Document interface {
	Path() jupyter.Path
	FileID() string // the server's id of the file
	// Notebook and Text return the current replica, nil if the document is of the other kind.
	Notebook() *ydoc.Notebook
	Text() *ydoc.Text
	// Edit makes one edit of a notebook, and returns when the room has it. Its error matches Unconfirmed if the room may or may
	// not have it.
	Edit(ctx context.Context, name string, fn func(*ydoc.Editor) error) error
	// WriteText is Edit for a text document. made, if not nil, is called with the text right after the edit, before the room
	// has it.
	WriteText(ctx context.Context, name string, fn func(*ydoc.TextEditor) error, made func(*ydoc.Text)) error
	// Point shows the agent's caret in a cell, at an offset in UTF-16 code units.
	Point(ctx context.Context, cell string, offset int)
}

// Unconfirmed is matched, with [errors.As], by the error of an edit that the room has not confirmed in time. The edit is in
// the replica, and reaches the room later.
type Unconfirmed interface {
	error
	Unconfirmed()
}
