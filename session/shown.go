package session

import (
	"github.com/nbduet/nbduet/session/nbformat"
	"github.com/nbduet/nbduet/session/spans"
	"github.com/nbduet/nbduet/ydoc"
)

// What a client writes counts as a change from what it was last shown, of each cell and of a whole document.
//
// While a document is open, the revision that a client was shown is known, and a new source is merged as a change from
// it. Revisions end with the replica; for later there is a hash of the source, which tells whether somebody has changed
// it.

// whole is used in place of a cell's id for the whole document.
const whole = ""

// Made records that a client knows a source because it created it: a cell of a new notebook, or, without a cell, a
// text, whatever was at its path before.
func (m *Manager) Made(client, path, cell, source string) {
	m.sources.show(shownKey{client, path, cell}, source)
	if cell == whole {
		m.parts.Add(shownKey{client, path, whole}, parts{hash: m.sources.hash(source), known: spans.Set{{To: len(source)}}})
	}
}

// Renamed keeps what clients were shown of a file, or of those in a folder, for its new path.
func (m *Manager) Renamed(from, to string) {
	m.sources.move(from, to)
	m.parts.move(from, to)
}

// Show records that a client is shown cells with their whole sources: its next change is based on them.
func (d *Document) Show(client string, cells ...ydoc.Cell) {
	r := reader{d, client}
	for _, c := range cells {
		r.show(c.ID, c.Source, c.Revision)
	}
}

// Answer is Show for cells that the client has just written: what it was shown before does not matter any more.
func (d *Document) Answer(client string, cells ...ydoc.Cell) {
	r := reader{d, client}
	for _, c := range cells {
		r.wrote(c.ID, c.Source, c.Revision)
	}
}

// Edited records that a client has changed a part of a cell. It knows the whole then, if it knew it before.
func (d *Document) Edited(client string, was, now ydoc.Cell) {
	r := reader{d, client}
	if _, same := r.knows(was.ID, was.Source); same {
		r.wrote(now.ID, now.Source, now.Revision)
	}
}

// ReadText returns the whole text of a text document, and records that the client is shown it.
func (d *Document) ReadText(client string) (string, ydoc.Revision) {
	text, rev := d.Text().Read()
	d.ShowText(client, text, rev, 0, len(text))
	return text, rev
}

// ReadNotebook returns a notebook's content, see [nbformat.Of], and a function that records that a client is shown it.
func (d *Document) ReadNotebook() (content map[string]any, rev ydoc.Revision, shownTo func(client string)) {
	nb := d.Notebook()
	rev = nb.Revision()
	cells := nb.Cells() // in this order, because a revision that is too old is harmless
	return nbformat.Of(nb), rev, func(client string) {
		d.Show(client, cells...)
		d.ListRange(client, cells, 0, len(cells))
	}
}

// A reader is a client that is shown a document.
type reader struct {
	*Document
	client string
}

// show records that the client was shown a source at a revision.
func (r reader) show(cell, source string, rev ydoc.Revision) {
	r.current().shown.show(shownKey{client: r.client, cell: cell}, rev)
	r.m.sources.show(shownKey{r.client, r.Path(), cell}, source)
}

// wrote records that the client has written a source, or was shown it in answer to a write.
func (r reader) wrote(cell, source string, rev ydoc.Revision) {
	r.current().shown.wrote(shownKey{client: r.client, cell: cell}, rev)
	r.m.sources.show(shownKey{r.client, r.Path(), cell}, source)
}

// unknow forgets that the client was shown a source.
func (r reader) unknow(cell string) {
	r.current().shown.Remove(shownKey{client: r.client, cell: cell})
	r.m.sources.Remove(shownKey{r.client, r.Path(), cell})
	r.m.parts.Remove(shownKey{r.client, r.Path(), cell})
}

// spoil records that the client no longer knows the document's text.
func (r reader) spoil(text string) {
	r.current().shown.wrote(shownKey{client: r.client, cell: whole}, stale)
	r.m.sources.spoil(shownKey{r.client, r.Path(), whole}, text)
}

// shown is when the client saw a cell, if that is known.
func (r reader) shown(cell string) (showing, bool) {
	return r.current().shown.Get(shownKey{client: r.client, cell: cell})
}

// knows tells whether the client was shown a cell, and whether with this source.
func (r reader) knows(cell, source string) (known, same bool) {
	return r.m.sources.knows(shownKey{r.client, r.Path(), cell}, source)
}

// knowsAll tells whether the client was shown all of these cells.
func (r reader) knowsAll(cells []ydoc.Cell) bool {
	for _, c := range cells {
		if known, _ := r.knows(c.ID, c.Source); !known {
			return false
		}
	}
	return true
}

// outdated tells whether the client was shown a cell with another source than this.
func (r reader) outdated(cell, source string) bool {
	known, same := r.knows(cell, source)
	return known && !same
}
