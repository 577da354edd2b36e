package session

import (
	"sync"

	"github.com/nbduet/nbduet/ydoc"
)

// unconfirmed counts, by cell, the edits of ours to the cells' sources that a room has not confirmed.
type unconfirmed struct {
	mu    sync.Mutex
	cells map[string]int
}

// add adds n to the edits of cells.
func (u *unconfirmed) add(cells []string, n int) {
	if len(cells) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.cells == nil {
		u.cells = make(map[string]int)
	}
	for _, id := range cells {
		if u.cells[id] += n; u.cells[id] == 0 {
			delete(u.cells, id)
		}
	}
}

// has reports whether there is such an edit of a cell.
func (u *unconfirmed) has(cell string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.cells[cell] > 0
}

// written makes an edit of a notebook, and returns the cells whose sources it has written; they count as not confirmed.
func (u *unconfirmed) written(nb *ydoc.Notebook, write func() error) ([]string, error) {
	changes := nb.Subscribe()
	defer changes.Close()
	if err := write(); err != nil {
		return nil, err
	}
	c, err := changes.Take()
	if err != nil {
		return nil, nil // a broken replica ends its room, and that is what its callers hear
	}
	cells := sourcesOf(c)
	u.add(cells, 1)
	return cells, nil
}

// sourcesOf are the cells whose sources we have written.
func sourcesOf(c ydoc.Changes) (cells []string) {
	for _, cell := range c.Cells {
		if cell.Source && cell.Origin.Ours {
			cells = append(cells, cell.ID)
		}
	}
	return cells
}
