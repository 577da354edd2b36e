package session

import (
	"github.com/nbduet/nbduet/session/nbformat"
	"github.com/nbduet/nbduet/ydoc"
)

// What a client writes counts as a change from what it was last shown, of each cell and of a whole document.
//
// While a document is open, the revision that a client was shown is known, and a new source is merged as a change from
// it. Revisions end with the replica; for later there is a hash of the source, which tells whether somebody has changed
// it.

const (
	// whole is used in place of a cell's id for the whole document.
	whole = ""
	// stale is the revision of a text that the client expects but the document never had, because an edit was merged
	// with changes that the client has not seen.
	stale = ydoc.Revision(0)
)

// Made records that a client knows a source because it created it: a cell of a new notebook, or, without a cell, a
// text, whatever was at its path before.
func (m *Manager) Made(client, path, cell, source string) {
	m.sources.show(shownKey{client, path, cell}, source)
}

// Show records that a client is shown cells with their whole sources: its next change is based on them.
func (d *Document) Show(client string, cells ...ydoc.Cell) {
	r := reader{d, client}
	for _, c := range cells {
		r.show(c.ID, c.Source, c.Revision)
	}
}

// ReadText returns the whole text of a text document, and records that the client is shown it.
func (d *Document) ReadText(client string) (string, ydoc.Revision) {
	text, rev := d.Text().Read()
	reader{d, client}.show(whole, text, rev)
	return text, rev
}

// ReadNotebook returns a notebook's content, see [nbformat.Of], and records that the client is shown it.
func (d *Document) ReadNotebook(client string) (map[string]any, ydoc.Revision) {
	nb := d.Notebook()
	rev, cells := nb.Revision(), nb.Cells() // in this order, because a revision that is too old is harmless
	content := nbformat.Of(nb)
	d.Show(client, cells...)
	d.ListRange(client, cells, 0, len(cells))
	d.current().shown.Add(shownKey{client: client, cell: whole}, rev)
	return content, rev
}

// A reader is a client that is shown a document.
type reader struct {
	*Document
	client string
}

// show records that the client was shown a source at a revision.
func (r reader) show(cell, source string, rev ydoc.Revision) {
	r.current().shown.Add(shownKey{client: r.client, cell: cell}, rev)
	r.m.sources.show(shownKey{r.client, r.Path(), cell}, source)
}

// spoil records that the client no longer knows the document's text.
func (r reader) spoil(text string) {
	r.current().shown.Add(shownKey{client: r.client, cell: whole}, stale)
	r.m.sources.spoil(shownKey{r.client, r.Path(), whole}, text)
}

// shown is the revision at which the client last saw a cell, if that is known.
func (r reader) shown(cell string) (ydoc.Revision, bool) {
	return r.current().shown.Get(shownKey{client: r.client, cell: cell})
}

// outdated tells whether the client was shown a cell with another source than this.
func (r reader) outdated(cell, source string) bool {
	return r.m.sources.outdated(shownKey{r.client, r.Path(), cell}, source)
}
