package session

import (
	"context"

	"github.com/nbduet/nbduet/session/reading"
	"github.com/nbduet/nbduet/ydoc"
)

// As is a client before the document: what it was shown, and what it may therefore write.
func (d *Document) As(client string) reading.Reader {
	return reading.Of(readable{d}, d.m.memory, client)
}

// Made records that a client knows a source because it created it, see [reading.Memory.Made].
func (m *Manager) Made(client, path, cell, source string) { m.memory.Made(client, path, cell, source) }

// Renamed keeps what clients were shown of a file, or of those in a folder, for its new path.
func (m *Manager) Renamed(from, to string) { m.memory.Move(from, to) }

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
