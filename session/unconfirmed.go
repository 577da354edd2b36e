package session

import (
	"errors"
	"fmt"
	"sync"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/ydoc"
)

// LostError means that a room was lost before it confirmed an edit: the edit was not made, or that is not known.
type LostError struct {
	Name string // the edit's
	Err  error
	// Unsure is set if it is not known.
	Unsure bool
}

func (e *LostError) Error() string {
	var end *rtc.CloseError
	if e.Unsure || errors.As(e.Err, &end) && end.Unsure {
		return fmt.Sprintf("%s: not known whether it was made: its room was lost before it confirmed the edit; read again, and repeat it only if it is missing (%v)", e.Name, e.Err)
	}
	return fmt.Sprintf("%s: not made: its room was lost before it confirmed the edit; read again, then repeat it (%v)", e.Name, e.Err)
}

// Unwrap returns the room's error.
func (e *LostError) Unwrap() error { return e.Err }

// NotMadeError means that an edit was not made, because the room could not be reached: nothing was written, and nothing will
// be.
type NotMadeError struct {
	Name string // the edit's
	Err  error
}

func (e *NotMadeError) Error() string { return fmt.Sprintf("%s: not made: %v", e.Name, e.Err) }

// Unwrap returns the reason.
func (e *NotMadeError) Unwrap() error { return e.Err }

// UnconfirmedError means that the room did not confirm an edit in time. The edit is in our replica, and reaches the room
// later.
type UnconfirmedError struct {
	Name string
	Err  error
}

func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("%s: not confirmed yet: the connection to the room is down or slow; the edit is sent when it is back, so read again before repeating it (%v)", e.Name, e.Err)
}

// Unconfirmed marks these errors, see [run.Unconfirmed].
func (e *UnconfirmedError) Unconfirmed() {}

// Unwrap returns the context's error.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// unconfirmed counts, by cell, our edits of the cells' sources that a room has not confirmed.
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

// has reports whether a cell has unconfirmed edits.
func (u *unconfirmed) has(cell string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.cells[cell] > 0
}

// written makes an edit, and returns the cells whose sources it has written; they count as unconfirmed. nb is nil for a text,
// which has no cells.
func (u *unconfirmed) written(nb *ydoc.Notebook, write func() error) ([]string, error) {
	if nb == nil {
		return nil, write()
	}
	changes := nb.Subscribe()
	defer changes.Close()
	if err := write(); err != nil {
		return nil, err
	}
	c, err := changes.Take()
	if err != nil {
		return nil, nil // a broken replica ends its room, and callers get that error
	}
	cells := sourcesOf(c)
	u.add(cells, 1)
	return cells, nil
}

// sourcesOf returns the cells whose sources this program has written.
func sourcesOf(c ydoc.Changes) []string {
	return lo.FilterMap(c.Cells, func(cell ydoc.CellChange, _ int) (string, bool) { return cell.ID, cell.Source && cell.Origin.Ours })
}
