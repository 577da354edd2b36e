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

// A Guard checks whether an edit may be made. A nil Guard allows everything.
type Guard struct {
	edit    string
	manners Manners
	log     *changelog.Log
	company people.Company
	book    *ydoc.Notebook
	server  uint64        // the server's client, which loads files and does not type; 0 if not known
	early   time.Duration // until typing would have been noticed; 0 if it would have been
	unsure  time.Duration // until it is known whether the notebook is suspect; 0 if it is known
}

// Of returns the guard of a notebook edit with this name; nil if the edit does not come from a call. company returns the
// people in the room.
func Of(ctx context.Context, edit string, nb *ydoc.Notebook, log *changelog.Log, company func() people.Company) *Guard {
	if a := origin.Of(ctx); a.Call == 0 || nb == nil || log == nil {
		return nil
	}
	g := &Guard{edit: edit, manners: of(ctx).Manners, log: log, company: company(), book: nb}
	g.server, _ = nb.Server()
	g.early = early(g.company.Known.For(), nb.Doc)
	return g
}

// Unsure makes the guard refuse all edits for a time, in which it is not known whether the notebook is suspect.
func (g *Guard) Unsure(left time.Duration) *Guard {
	if g != nil {
		g.unsure = left
	}
	return g
}

// early returns the time until typing would be noticed in a room that has been received for the time listened; 0 if it would
// be already.
func early(listened time.Duration, doc *ydoc.Doc) time.Duration {
	if left := settling - listened; left > 0 && shared(doc) {
		return left
	}
	return 0
}

// settling is how long after a join typing may go unnoticed: the interval between two keys of a word is rarely longer, and
// an update takes part of it.
const settling = time.Second

// shared reports whether a client other than this program and the server has written in a document. The server writes the
// file's content as client 0, and the room's state as another client.
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

// Around returns fn, which stages an edit, with a check of the staged edit.
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

// Check returns the error of an edit that would touch cells. It is for edits that are not made with an editor.
func (g *Guard) Check(cells []string) error {
	if g == nil {
		return nil
	}
	return g.Placed(g.check(ydoc.Touches{Cells: cells, Metadata: func(id string) map[string]any {
		c, _ := g.book.Cell(id)
		return c.Metadata
	}}, g.book.StateEntries(prefix)))
}

// Placed fills in the index of the cell in an error of the guard. The notebook must not be locked.
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
	if g.unsure > 0 && !g.manners.Restores {
		return &earlyError{g.edit, g.unsure}
	}
	for _, h := range holdsIn(state) {
		if h.Suspect != "" {
			if g.manners.Restores {
				continue
			}
			return &SuspectError{Edit: g.edit, Hold: h}
		}
		if h.Notebook() || slices.Contains(cells, h.Cell) {
			return &HandsOffError{Edit: g.edit, Hold: h, Index: -1}
		}
	}
	for _, cell := range cells {
		for _, code := range []string{CodeHandsOff, CodeAsk} {
			if h, ok := InFile(code, cell, touches.Metadata(cell)); ok && (code == CodeHandsOff || g.edit == "run") {
				return &HandsOffError{Edit: g.edit, Hold: h, Index: -1, InFile: code}
			}
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

// arrived returns the person who has recently put the caret into a cell and may be about to type, and when. A key pressed
// while the deletion of the cell's text is on its way to the tab is lost, so such an edit must not begin.
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

// keyMoves is the maximum time between a key and the caret movement that it causes.
const keyMoves = 2 * time.Second

// typist returns the person who has typed, even if awareness has not named them yet; false for an agent, or a person who has
// left. If text was only deleted, the author is not known: then it is the person whose caret is in the cell and moved at
// that time, or [people.Unnamed], while some of the people may still be unknown.
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
		return people.Unnamed, true
	}
	return name, ok
}

// unnamed reports whether awareness has not named a client, other than the server.
func (g *Guard) unnamed(client uint64) bool {
	if client == g.server {
		return false
	}
	_, _, named := g.log.Named(client)
	return !named && !slices.ContainsFunc(g.company.People, func(p people.Person) bool {
		return slices.ContainsFunc(p.Places, func(at people.Place) bool { return at.Replica == client })
	})
}

// shown returns the name of the person who said it.
func (h Hold) shown() string { return cmp.Or(h.Name, cleaned(h.Username), "a person") }
