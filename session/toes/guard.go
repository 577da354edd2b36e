package toes

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session/author"
	"github.com/nbduet/nbduet/session/history"
	"github.com/nbduet/nbduet/session/people"
	"github.com/nbduet/nbduet/ydoc"
)

// A Guard looks whether an edit may be made. A nil one lets everything pass.
type Guard struct {
	edit    string
	force   bool
	log     *history.Log
	company people.Company
	book    *ydoc.Notebook
}

// Of is the guard of an edit of a notebook by its name, nil where no call makes it. company are those who are in the room.
func Of(ctx context.Context, edit string, nb *ydoc.Notebook, log *history.Log, company func() people.Company) *Guard {
	if a := author.Of(ctx); a.Call == 0 || nb == nil || log == nil {
		return nil
	}
	return &Guard{edit, of(ctx).Force, log, company(), nb}
}

// Around is fn, which stages an edit, with a look at what it has staged.
func (g *Guard) Around(fn func(*ydoc.Editor) error) func(*ydoc.Editor) error {
	if g == nil {
		return fn
	}
	return func(e *ydoc.Editor) error {
		if err := fn(e); err != nil {
			return err
		}
		cells, writes := e.Touched()
		if !writes {
			return nil
		}
		return g.check(cells, ydoc.StateEntriesIn(e, prefix))
	}
}

// Check is the error of an edit that would touch cells. It is for what is not made with an editor.
func (g *Guard) Check(cells []string) error {
	if g == nil {
		return nil
	}
	return g.Placed(g.check(cells, g.book.StateEntries(prefix)))
}

// Placed fills in where the cell is of whose edit the error is. The notebook is not locked any more.
func (g *Guard) Placed(err error) error {
	var busy *BusyError
	var off *HandsOffError
	switch {
	case g == nil:
	case errors.As(err, &busy):
		busy.Index = g.index(busy.Cell)
	case errors.As(err, &off):
		off.Index = g.index(off.Cell)
	}
	return err
}

func (g *Guard) index(cell string) int {
	if i, ok := g.book.Index(cell); ok {
		return i
	}
	return -1
}

func (g *Guard) check(cells []string, state map[string]any) error {
	for _, h := range holdsIn(state) {
		if h.Cell == whole || slices.Contains(cells, h.Cell) {
			e := &HandsOffError{Edit: g.edit, Cell: h.Cell, Index: -1, Who: h.shown(), Since: h.Since}
			if h.Cell == whole {
				e.Cell = ""
			}
			return e
		}
	}
	if g.force {
		return nil
	}
	now := time.Now()
	for _, cell := range cells {
		for _, bout := range g.log.Lately(cell, now.Add(-Quiet)) {
			if bout.Last.Add(Quiet).After(now) {
				if who, ok := g.typist(cell, bout); ok {
					return &BusyError{Edit: g.edit, Cell: cell, Index: -1, Who: who, Since: bout.Begun, Last: bout.Last, Typed: bout.Typed, now: now}
				}
			}
		}
	}
	return nil
}

// keyMoves is within what time of a key the caret moves.
const keyMoves = 2 * time.Second

// typist is the person who has typed, if it is one who is there. Where only something was deleted it is not known whose key
// that was: then it is theirs whose caret is in the cell, and moved then.
func (g *Guard) typist(cell string, bout history.Bout) (name string, ok bool) {
	var latest time.Time
	for _, p := range g.company.Persons() {
		for _, at := range p.Places {
			switch {
			case slices.Contains(bout.Who.Clients, at.Client):
				return g.company.Called(p), true
			case bout.Who.Unknown && at.Caret && at.Cell == cell && at.Moved.Sub(bout.Last).Abs() <= keyMoves && at.Moved.After(latest):
				latest, name, ok = at.Moved, g.company.Called(p), true
			}
		}
	}
	return name, ok
}

// shown is the name of who has said it.
func (h Hold) shown() string { return cmp.Or(h.Name, cleaned(h.Username)) }
