package readset

import (
	"context"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// whole is the cell id of the whole document.
const whole = ""

// A Reader is a client that is shown a document. Make it with [Of].
type Reader struct {
	doc    Document
	memory *Memory
	client string
}

// Of returns a client's reader of a document. The memory is shared by all documents of the document's server.
func Of(doc Document, memory *Memory, client string) Reader { return Reader{doc, memory, client} }

// Show records that an answer shows a client the whole sources of cells: its next change is based on them.
func (r Reader) Show(cells ...ydoc.Cell) {
	for _, c := range cells {
		r.show(c.ID, c.Source, c.Revision)
	}
}

// Answer is Show for cells that the client has just written: earlier showings no longer matter.
func (r Reader) Answer(cells ...ydoc.Cell) {
	for _, c := range cells {
		r.wrote(c.ID, c.Source, c.Revision)
	}
}

// Edited records that a client has changed a part of a cell. The client then knows the whole cell if it knew it before. The
// same edit is applied to the text that it knew before others changed the cell, if possible.
func (r Reader) Edited(was, now ydoc.Cell) {
	if _, same := r.Knows(now.ID, was.Source); !same {
		return
	}
	last := r.memory.texts.add(now.Source)
	r.update(now.ID, func(s *showing, _ bool) {
		if s.first == s.last {
			s.first = last
		} else if text, ok := r.text(s.first, was.Source); ok {
			if edits, err := textdiff.Merge(was.Source, text, now.Source); err == nil {
				s.first = r.memory.texts.add(textdiff.Apply(text, edits))
			}
		}
		s.last, s.rev, s.refused, s.sent = last, now.Revision, 0, 0
	})
}

// ReadText returns the whole text of a text document, and records that the client is shown it.
func (r Reader) ReadText() (string, ydoc.Revision) {
	text, rev := r.doc.Text().Read()
	r.ShowText(text, rev, 0, len(text))
	return text, rev
}

// ReadNotebook returns a notebook's content, see [nbformat.Of], and a function that records that the client is shown it.
func (r Reader) ReadNotebook() (content map[string]any, rev ydoc.Revision, shown func()) {
	nb := r.doc.Notebook()
	rev = nb.Revision()
	cells := nb.Cells() // in this order, because an older revision is harmless
	return nbformat.Of(nb), rev, func() {
		r.Show(cells...)
		r.ListRange(cells, 0, len(cells))
	}
}

// key returns the key of a cell of the document for the client.
func (r Reader) key(cell string) shownKey {
	return shownKey{client: r.client, path: r.doc.Path(), cell: cell}
}

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
