package session

import (
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Person is somebody else in a document's room.
type Person struct {
	Name   string // as JupyterLab shows it
	Agent  bool   // an agent like this one
	CellID string // the cell that the caret is in; "" where none is shown
	Index  int    // of that cell; -1 without one
	Offset int    // of the caret in the cell's source or the text, in UTF-16 code units
	Caret  bool   // a caret is shown, so that Offset means something
}

// People lists who else is in the document's room and where each one's caret is. Somebody who came before us is known
// after 15 seconds at the latest.
func (d *Document) People() []Person {
	lv := d.current()
	var people []Person
	for _, p := range lv.room.Peers() {
		people = append(people, whereabouts(lv, p))
	}
	return people
}

func whereabouts(lv *live, p rtc.Peer) Person {
	person := Person{Name: p.User.DisplayName, Agent: p.Agent, Index: -1}
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

// caretAt is a caret in a cell's source.
func caretAt(nb *ydoc.Notebook, c ydoc.Cell, offset int) (awareness.Cursor, error) {
	pos, err := nb.RelativePosition(c.ID, min(offset, textdiff.UTF16Len(c.Source)))
	if err != nil {
		return awareness.Cursor{}, err
	}
	return awareness.Cursor{Anchor: pos, Head: pos, Primary: true, Empty: true}, nil
}

// Point shows the agent's caret in a cell, at an offset of its source in UTF-16 code units; past the end counts as the
// end. A cell that is gone shows nothing.
func (d *Document) Point(cell string, offset int) {
	lv := d.current()
	if lv.nb == nil {
		return
	}
	c, ok := lv.nb.Cell(cell)
	if !ok {
		return
	}
	caret, err := caretAt(lv.nb, c, offset)
	if err != nil {
		d.m.log.Debug("no caret", "path", d.Path(), "cell", cell, "error", err)
		return
	}
	lv.room.SetCursors(caret)
}

// PointText shows the agent's caret in a text document, at an offset in UTF-16 code units; past the end counts as the
// end.
func (d *Document) PointText(offset int) {
	lv := d.current()
	if lv.text == nil {
		return
	}
	pos, err := lv.text.RelativePosition(min(offset, lv.text.Len()))
	if err != nil {
		d.m.log.Debug("no caret", "path", d.Path(), "error", err)
		return
	}
	lv.room.SetCursors(awareness.Cursor{Anchor: pos, Head: pos, Primary: true, Empty: true})
}
