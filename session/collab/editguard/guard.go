package editguard

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// A Guard looks whether an edit may be made. A nil one lets everything pass.
type Guard struct {
	edit    string
	manners Manners
	log     *changelog.Log
	company people.Company
	book    *ydoc.Notebook
	server  uint64        // the client that the server writes as, which loads files and does not type; 0 if not known
	early   time.Duration // until keys would have been seen; 0 if they would have been
}

// Of is the guard of an edit of a notebook by its name, nil where no call makes it. company are those who are in the room.
func Of(ctx context.Context, edit string, nb *ydoc.Notebook, log *changelog.Log, company func() people.Company) *Guard {
	if a := origin.Of(ctx); a.Call == 0 || nb == nil || log == nil {
		return nil
	}
	g := &Guard{edit: edit, manners: of(ctx).Manners, log: log, company: company(), book: nb}
	g.server, _ = nb.Server()
	g.early = early(g.company.Known.For(), nb.Doc)
	return g
}

// early is until when the keys of a person who types would have been seen, where a room has been listened to for so long; 0 if
// they would have been.
func early(listened time.Duration, doc *ydoc.Doc) time.Duration {
	if left := settling - listened; left > 0 && shared(doc) {
		return left
	}
	return 0
}

// settling is for how long after a join a person who types may not have been seen to: two keys of one word are rarely further
// apart, and an update needs some of it.
const settling = time.Second

// shared reports whether anybody besides this program and the server has written in a document. The server writes as client 0
// what is in the file, and as another the state of the room.
func shared(doc *ydoc.Doc) bool {
	sv, err := doc.StateVector()
	clients, _ := binary.Uvarint(sv) // their number comes first
	for _, known := range []uint64{0, doc.ClientID()} {
		if doc.Clock(known) > 0 {
			clients--
		}
	}
	return err == nil && clients > 1
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
		touches := e.Touched()
		if !touches.Writes {
			return nil
		}
		return g.check(touches, ydoc.StateEntriesIn(e, prefix))
	}
}

// Check is the error of an edit that would touch cells. It is for what is not made with an editor.
func (g *Guard) Check(cells []string) error {
	if g == nil {
		return nil
	}
	return g.Placed(g.check(ydoc.Touches{Cells: cells}, g.book.StateEntries(prefix)))
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

func (g *Guard) check(touches ydoc.Touches, state map[string]any) error {
	cells := touches.Cells
	for _, h := range holdsIn(state) {
		if h.Cell == whole || slices.Contains(cells, h.Cell) {
			e := &HandsOffError{Edit: g.edit, Cell: h.Cell, Index: -1, Who: h.shown(), Since: h.Since}
			if h.Cell == whole {
				e.Cell = ""
			}
			return e
		}
	}
	if g.manners.Force || len(cells) == 0 {
		return nil
	}
	if g.early > 0 {
		return &earlyError{g.edit, g.early}
	}
	now := time.Now()
	for _, cell := range cells {
		for _, bout := range g.log.Lately(cell, now.Add(-Quiet)) {
			if bout.Last.Add(Quiet).After(now) {
				if who, ok := g.typist(cell, bout); ok {
					return &BusyError{Edit: g.edit, Cell: cell, Index: -1, Who: who, Since: bout.Begun, Last: bout.Last, Typed: bout.Typed, Forceable: g.manners.Forceable, now: now}
				}
			}
		}
	}
	for _, cell := range touches.Replaced {
		if who, at, ok := g.arrived(cell, now); ok {
			return &BusyError{Edit: g.edit, Cell: cell, Index: -1, Who: who, Since: at, Last: at, Arrived: true, Forceable: g.manners.Forceable, now: now}
		}
	}
	return nil
}

// arrived is the person who has put the caret into a cell lately and is about to type, and when they did. A key that is
// pressed while the deletion of its text is on its way to the tab is lost, so that is not begun.
func (g *Guard) arrived(cell string, now time.Time) (name string, at time.Time, ok bool) {
	for _, p := range g.company.Persons() {
		for _, here := range p.Places {
			if here.Caret && here.Cell == cell && here.Moved.Add(Quiet).After(now) && here.Moved.After(at) {
				name, at, ok = g.company.Called(p), here.Moved, true
			}
		}
	}
	return name, at, ok
}

// keyMoves is within what time of a key the caret moves.
const keyMoves = 2 * time.Second

// somebody is how a person is called whose name awareness has not told yet.
const somebody = "somebody"

// typist is the person who has typed, also before awareness has named them; false if it is an agent, or one who has left.
// Where only something was deleted it is not known whose key that was: then it is theirs whose caret is in the cell, and moved
// then, or while not all are known yet, somebody's.
func (g *Guard) typist(cell string, bout changelog.Bout) (name string, ok bool) {
	if bout.Begun.Equal(bout.Last) && utf8.RuneCountInString(bout.Typed) > ydoc.MaxKey {
		return "", false
	}
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
	if !ok && (bout.Who.Unknown && !g.company.Known.All() || slices.ContainsFunc(bout.Who.Clients, g.unnamed)) {
		return somebody, true
	}
	return name, ok
}

// unnamed reports whether a client, other than the server, was not named by awareness.
func (g *Guard) unnamed(client uint64) bool {
	if client == g.server {
		return false
	}
	_, _, named := g.log.Named(client)
	return !named && !slices.ContainsFunc(g.company.People, func(p people.Person) bool {
		return slices.ContainsFunc(p.Places, func(at people.Place) bool { return at.Replica == client })
	})
}

// shown is the name of who has said it.
func (h Hold) shown() string { return cmp.Or(h.Name, cleaned(h.Username)) }
