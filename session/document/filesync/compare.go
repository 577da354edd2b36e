package filesync

import (
	"reflect"

	"github.com/nbduet/nbduet/ydoc"
)

// Same reports whether the replicas of two joined rooms have the same content.
func Same(one, other Joined) bool {
	if one.Text != nil && other.Text != nil {
		return one.Text.String() == other.Text.String()
	}
	a, b := one.Notebook, other.Notebook
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

// content returns a cell without the fields that differ between replicas or change during a run.
func content(c ydoc.Cell) ydoc.Cell {
	c.Revision, c.ExecutionState = 0, ""
	return c
}
