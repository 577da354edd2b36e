package session

import (
	"time"

	"github.com/nbduet/nbduet/session/people"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Person is another participant in a document's room.
type Person struct {
	Name   string // as JupyterLab shows it
	Agent  bool   // an agent like this one
	CellID string // the caret's cell; "" if no caret is shown
	Index  int    // of that cell; -1 if none
	Offset int    // of the caret in the cell's source or the text, in UTF-16 code units
	Caret  bool   // a caret is shown, so Offset is valid
	// Moved is when they last moved their caret, or typed; zero if they have not since we know them.
	Moved time.Time
}

// People lists who else is in the document's room, each tab by itself, with their carets.
func (d *Document) People() []Person {
	var out []Person
	for _, p := range d.Company().People {
		for _, at := range p.Places {
			one := Person{Name: p.Name, Agent: p.Agent, Index: -1, Offset: at.Head, Caret: at.Caret, Moved: at.Moved}
			if at.Caret {
				one.CellID, one.Index = at.Cell, at.Index
			}
			out = append(out, one)
		}
	}
	return out
}

// Company is who else is in the document's room, and whether all are known by now.
func (d *Document) Company() people.Company { return companyIn(d, d.current()) }

// companyIn is Company in a room.
func companyIn(d *Document, lv *live) people.Company {
	c := people.Company{Known: people.KnownSince(lv.room.Since())}
	others := people.Without(lv.room.Peers(), d.m.user.Username)
	switch {
	case len(others) == 0:
	case lv.text != nil:
		c.People = people.InText(others, lv.text, &lv.typing)
	default:
		c.People = people.InNotebook(others, lv.nb, d.Path().String(), &lv.typing)
	}
	return c
}

// Lobby is who is on the server, as far as they tell, while a document is open.
func (m *Manager) Lobby() people.Lobby {
	peers, since := m.lobby.Others()
	return people.Lobby{Fronts: people.FrontsOf(people.Without(peers, m.user.Username)), Known: people.KnownSince(since)}
}

// Point shows the agent's caret in a cell of a notebook, or, if cell is "", in a text document, at an offset in UTF-16
// code units; an offset past the end means the end. If the cell is gone, it does nothing.
func (d *Document) Point(cell string, offset int) {
	lv := d.current()
	caret, ok, err := caretIn(lv, cell, offset)
	switch {
	case err != nil:
		d.m.log.Debug("no caret", "path", d.Path(), "cell", cell, "error", err)
	case ok:
		lv.room.SetCursors(caret)
	}
}

// caretIn makes a caret in a cell's source, or in the text; not ok if there is no such place.
func caretIn(lv *live, cell string, offset int) (caret awareness.Cursor, ok bool, err error) {
	var pos []byte
	if lv.text != nil {
		pos, err = lv.text.RelativePosition(min(offset, lv.text.Len()))
		ok = cell == ""
	} else {
		var c ydoc.Cell
		if c, ok = lv.nb.Cell(cell); ok {
			pos, err = lv.nb.RelativePosition(cell, min(offset, textdiff.UTF16Len(c.Source)))
		}
	}
	return awareness.Cursor{Anchor: pos, Head: pos, Primary: true, Empty: true}, ok, err
}
