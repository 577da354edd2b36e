package reading

import (
	"github.com/nbduet/nbduet/session/nbformat"
	"github.com/nbduet/nbduet/ydoc"
)

// What a client writes counts as a change from what it was last shown, of each cell and of a whole document.
//
// While a document is open, the revision that a client was shown is known, and a new source is merged as a change from
// it. Revisions end with the replica; for later there is a hash of the source, which tells whether somebody has changed
// it.

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

// Show records that a client is shown cells with their whole sources: its next change is based on them.
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
func (r Reader) Edited(was, now ydoc.Cell) {
	if _, same := r.knows(was.ID, was.Source); same {
		r.wrote(now.ID, now.Source, now.Revision)
	}
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

// show records that the client was shown a source at a revision.
func (r Reader) show(cell, source string, rev ydoc.Revision) {
	r.doc.Showings().show(r.client, cell, rev)
	r.memory.sources.show(r.key(cell), source)
}

// wrote records that the client has written a source, or was shown it in answer to a write.
func (r Reader) wrote(cell, source string, rev ydoc.Revision) {
	r.doc.Showings().wrote(r.client, cell, rev)
	r.memory.sources.show(r.key(cell), source)
}

// unknow forgets that the client was shown a source.
func (r Reader) unknow(cell string) {
	r.doc.Showings().drop(r.client, cell)
	r.memory.sources.Remove(r.key(cell))
	r.memory.parts.Remove(r.key(cell))
}

// spoil records that the client no longer knows the document's text.
func (r Reader) spoil(text string) {
	r.doc.Showings().wrote(r.client, whole, stale)
	r.memory.sources.spoil(r.key(whole), text)
}

// shown is when the client saw a cell, if that is known.
func (r Reader) shown(cell string) (showing, bool) {
	return r.doc.Showings().of(r.client, cell)
}

// knows tells whether the client was shown a cell, and whether with this source.
func (r Reader) knows(cell, source string) (known, same bool) {
	return r.memory.sources.knows(r.key(cell), source)
}

// outdated tells whether the client was shown a cell with another source than this.
func (r Reader) outdated(cell, source string) bool {
	known, same := r.knows(cell, source)
	return known && !same
}
