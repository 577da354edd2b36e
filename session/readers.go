package session

import (
	"context"

	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/ydoc"
)

// As returns a client's reader of the document, which records what the client was shown and decides what it may write.
func (d *Document) As(client string) readset.Reader {
	return readset.Of(d, d.m.memory, client)
}

// Memory records what clients were shown of all documents.
func (m *Manager) Memory() *readset.Memory { return m.memory }

// History returns the changes of a notebook since its room was last joined; nil in a text.
func (d *Document) History() *changelog.Log { return d.current().history }

// StepsOf returns the steps of a client in the document, for undo and redo.
func (d *Document) StepsOf(client string) undo.Steps { return undo.Of(undoable{d}, client) }

// undoable implements [undo.Document] for a document.
type undoable struct{ *Document }

// History returns the history of the current replica.
func (d undoable) History() *undo.History { return d.current().steps }

// Revise makes an edit of either kind.
func (d undoable) Revise(ctx context.Context, name string, edit func(h *undo.History, may func(cells []string) error) error) error {
	return d.edit(ctx, name, func(lv *live) (*ydoc.Step, error) {
		return nil, edit(lv.steps, guardOf(ctx, d.Document, lv, name).Check)
	})
}

// Settle implements [undo.Document]. A step in a replica that was replaced needs no comparison.
func (d undoable) Settle(ctx context.Context, h *undo.History, made *ydoc.Step) error {
	lv := d.current()
	if lv.steps != h {
		return nil
	}
	return settle(ctx, lv, made)
}
