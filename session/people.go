package session

import (
	"time"

	"github.com/nbduet/nbduet/rtc"
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

// People lists who else is in the document's room, with their carets. Those who came before us are known after 15
// seconds at the latest.
func (d *Document) People() []Person {
	lv := d.current()
	var people []Person
	for _, p := range lv.room.Peers() {
		people = append(people, whereabouts(lv, p))
	}
	return people
}

func whereabouts(lv *live, p rtc.Peer) Person {
	person := Person{Name: p.User.DisplayName, Agent: p.Agent, Index: -1, Moved: p.Moved}
	if person.Name == "" {
		person.Name = p.User.Name
	}
	for _, c := range p.Cursors {
		if lv.text != nil {
			if person.Offset, person.Caret = lv.text.ResolvePosition(c.Head); person.Caret {
				break
			}
			continue
		}
		id, offset, ok := lv.nb.ResolvePosition(c.Head)
		if !ok {
			continue
		}
		if i, ok := lv.nb.Index(id); ok {
			person.CellID, person.Index, person.Offset, person.Caret = id, i, offset, true
			break
		}
	}
	return person
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
