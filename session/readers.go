package session

import (
	"context"

	"github.com/nbduet/nbduet/session/history"
	"github.com/nbduet/nbduet/session/reading"
	"github.com/nbduet/nbduet/ydoc"
)

// As is a client before the document: what it was shown, and what it may therefore write.
func (d *Document) As(client string) reading.Reader {
	return reading.Of(readable{d}, d.m.memory, client)
}

// Memory is what clients were shown of all documents.
func (m *Manager) Memory() *reading.Memory { return m.memory }

// History is what was changed in a notebook since its room was last joined; nil in a text.
func (d *Document) History() *history.Log { return d.current().history }

// readable is a document as a [reading.Document].
type readable struct{ *Document }

// Showings are those of the current replica.
func (d readable) Showings() *reading.Showings { return d.current().shown }

// WriteText makes an edit of a text document.
func (d readable) WriteText(ctx context.Context, name string, write func(*ydoc.Text) error) error {
	return d.writeText(ctx, name, write)
}

// Carets are those of the people in the room.
func (d readable) Carets() []reading.Caret {
	var carets []reading.Caret
	for _, p := range d.People() {
		if !p.Agent && p.Caret {
			carets = append(carets, reading.Caret{Person: p.Name, Cell: p.CellID, Moved: p.Moved})
		}
	}
	return carets
}
