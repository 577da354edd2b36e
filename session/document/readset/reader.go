package readset

import (
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// whole is used in place of a cell's id for the whole document.
const whole = ""

// A Reader is a client that is shown a document. Make it with [Of].
type Reader struct {
	doc    Document
	memory *Memory
	client string
}

// Of is a client before a document. The memory is the one of all documents on the document's server.
func Of(doc Document, memory *Memory, client string) Reader { return Reader{doc, memory, client} }

// Show records that an answer shows a client cells with their whole sources: its next change is based on them.
func (r Reader) Show(cells ...ydoc.Cell) {
	for _, c := range cells {
		r.show(c.ID, c.Source, c.Revision)
	}
}

// Answer is Show for cells that the client has just written: what it was shown before does not matter any more.
func (r Reader) Answer(cells ...ydoc.Cell) {
	for _, c := range cells {
		r.wrote(c.ID, c.Source, c.Revision)
	}
}

// Edited records that a client has changed a part of a cell. It knows the whole then, if it knew it before.
// What it knew before others changed the cell gets the same edit, where that can be made there.
func (r Reader) Edited(was, now ydoc.Cell) {
	if _, same := r.knows(now.ID, was.Source); !same {
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
	cells := nb.Cells() // in this order, because a revision that is too old is harmless
	return nbformat.Of(nb), rev, func() {
		r.Show(cells...)
		r.ListRange(cells, 0, len(cells))
	}
}

// key is a cell of the document as the client has seen it.
func (r Reader) key(cell string) shownKey {
	return shownKey{client: r.client, path: r.doc.Path(), cell: cell}
}
