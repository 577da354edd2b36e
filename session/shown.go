package session

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// shownMax bounds how many (client, cell) pairs a document remembers.
const shownMax = 16384

// shownKey is one cell as one client session has seen it.
type shownKey struct{ client, cell string }

func newShown() *lru.Cache[shownKey, ydoc.Revision] {
	c, err := lru.New[shownKey, ydoc.Revision](shownMax)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return c
}

// Show records that a client session was shown a cell's whole source at a
// revision: what it writes next is a change from there.
func (d *Document) Show(client, cell string, rev ydoc.Revision) {
	d.current().shown.Add(shownKey{client, cell}, rev)
}

// Shown is the revision at which a client session last saw a cell, if it did.
func (d *Document) Shown(client, cell string) (ydoc.Revision, bool) {
	return d.current().shown.Get(shownKey{client, cell})
}

// caretAt is a caret in a cell's source.
func caretAt(nb *ydoc.Notebook, c ydoc.Cell, offset int) (awareness.Cursor, error) {
	pos, err := nb.RelativePosition(c.ID, min(offset, textdiff.UTF16Len(c.Source)))
	if err != nil {
		return awareness.Cursor{}, err
	}
	return awareness.Cursor{Anchor: pos, Head: pos, Primary: true, Empty: true}, nil
}

// Point shows the agent's caret in a cell, at an offset of its source in
// UTF-16 code units; past the end counts as the end. A cell that is gone shows
// nothing.
func (d *Document) Point(cell string, offset int) {
	lv := d.current()
	if lv.nb == nil {
		return
	}
	c, ok := lv.nb.Cell(cell)
	if !ok {
		return
	}
	caret, err := caretAt(lv.nb, c, offset)
	if err != nil {
		d.m.log.Debug("no caret", "path", d.Path(), "cell", cell, "error", err)
		return
	}
	lv.room.SetCursors(caret)
}
