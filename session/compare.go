package session

import (
	"reflect"

	"github.com/nbduet/nbduet/ydoc"
)

// same tells whether two replicas of a notebook or text have the same content.
func same(a, b *ydoc.Notebook, text, other *ydoc.Text) bool {
	if text != nil && other != nil {
		return text.String() == other.String()
	}
	if a == nil || b == nil || !reflect.DeepEqual(a.Metadata(), b.Metadata()) {
		return false
	}
	cells, others := a.Cells(), b.Cells()
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

// content is a cell without what differs between replicas or changes during a run.
func content(c ydoc.Cell) ydoc.Cell {
	c.Revision, c.ExecutionState = 0, ""
	return c
}
