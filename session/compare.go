package session

import (
	"reflect"

	"github.com/nbduet/nbduet/ydoc"
)

// compare looks whether a room that was joined afresh still has what the lost
// one had, and notes it where edits of ours are missing that were confirmed but
// not written to the file yet: the server saves no sooner than a second after
// an edit, and what it has not saved ends with it.
func (d *Document) compare(lost, fresh *live) {
	if same(lost, fresh) || !d.file.forget(lost.server.forgotten()) {
		return
	}
	d.m.log.Warn("the server has lost edits that it had confirmed", "path", d.Path())
}

// same says whether two replicas of a document have the same content.
func same(a, b *live) bool {
	if a.text != nil && b.text != nil {
		return a.text.String() == b.text.String()
	}
	if a.nb == nil || b.nb == nil || !reflect.DeepEqual(a.nb.Metadata(), b.nb.Metadata()) {
		return false
	}
	cells, others := a.nb.Cells(), b.nb.Cells()
	if len(cells) != len(others) {
		return false
	}
	for i := range cells {
		if !reflect.DeepEqual(content(cells[i]), content(others[i])) {
			return false
		}
	}
	return true
}

// content is a cell without what differs from replica to replica, and from one
// moment of a run to the next.
func content(c ydoc.Cell) ydoc.Cell {
	c.Revision, c.ExecutionState = 0, ""
	return c
}
