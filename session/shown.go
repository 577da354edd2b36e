package session

import (
	"github.com/nbduet/nbduet/session/nbformat"
	"github.com/nbduet/nbduet/ydoc"
)

// What a client writes is a change from what it was last shown, of each cell and of a document as a whole.
//
// While a document is open the very revision is known that a client was shown, and a new source is merged as a change
// from it. That knowledge ends with the replica; what a client was shown before is then known by a hash of the source,
// well enough to tell whether somebody has changed it since.

const (
	// whole stands for a document as a whole where the id of a cell would.
	whole = ""
	// stale is the revision of what is none of the document's versions, because an edit was merged with what the client
	// has not seen.
	stale = ydoc.Revision(0)
)

// Made notes that a client knows a source because it has made it: of a cell of a new notebook, or, without a cell, of a
// text, whatever was at its path before.
func (m *Manager) Made(client, path, cell, source string) {
	m.sources.show(shownKey{client, path, cell}, source)
}

// Show notes that a client is shown cells, each with its whole source: what it writes next is a change from there.
func (d *Document) Show(client string, cells ...ydoc.Cell) {
	r := reader{d, client}
	for _, c := range cells {
		r.show(c.ID, c.Source, c.Revision)
	}
}

// ReadText is the whole text of a text document, of which it is noted that a client is shown it.
func (d *Document) ReadText(client string) (string, ydoc.Revision) {
	text, rev := d.Text().Read()
	reader{d, client}.show(whole, text, rev)
	return text, rev
}

// ReadNotebook is a notebook as its file would have it, see [nbformat.Of], of which it is noted that a client is shown
// it.
func (d *Document) ReadNotebook(client string) (map[string]any, ydoc.Revision) {
	nb := d.Notebook()
	rev, cells := nb.Revision(), nb.Cells() // in this order: a revision that is too old does no harm
	content := nbformat.Of(nb)
	d.Show(client, cells...)
	d.current().shown.Add(shownKey{client: client, cell: whole}, rev)
	return content, rev
}

// A reader is a client that is shown a document.
type reader struct {
	*Document
	client string
}

// show notes that the client knows a source of the document as it is at a revision.
func (r reader) show(cell, source string, rev ydoc.Revision) {
	r.current().shown.Add(shownKey{client: r.client, cell: cell}, rev)
	r.m.sources.show(shownKey{r.client, r.Path(), cell}, source)
}

// spoil notes that the client knows the document's text no more.
func (r reader) spoil(text string) {
	r.current().shown.Add(shownKey{client: r.client, cell: whole}, stale)
	r.m.sources.spoil(shownKey{r.client, r.Path(), whole}, text)
}

// shown is the revision at which the client last saw a cell, if that is known.
func (r reader) shown(cell string) (ydoc.Revision, bool) {
	return r.current().shown.Get(shownKey{client: r.client, cell: cell})
}

// outdated tells whether the client was shown a cell once, with another source than this.
func (r reader) outdated(cell, source string) bool {
	return r.m.sources.outdated(shownKey{r.client, r.Path(), cell}, source)
}
