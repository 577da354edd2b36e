package session

import (
	"context"

	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/ydoc"
)

// As is a client before the document: what it was shown, and what it may therefore write.
func (d *Document) As(client string) readset.Reader {
	return readset.Of(d, d.m.memory, client)
}

// Memory is what clients were shown of all documents.
func (m *Manager) Memory() *readset.Memory { return m.memory }

// History is what was changed in a notebook since its room was last joined; nil in a text.
func (d *Document) History() *changelog.Log { return d.current().history }

// StepsOf are the steps of a client in the document: what it did, and can take back.
func (d *Document) StepsOf(client string) undo.Steps { return undo.Of(undoable{d}, client) }

// undoable is a document as an [undo.Document].
type undoable struct{ *Document }

// History is that of the current replica.
func (d undoable) History() *undo.History { return d.current().steps }

// Revise makes an edit of either kind.
func (d undoable) Revise(ctx context.Context, name string, edit func(h *undo.History, may func(cells []string) error) error) error {
	return d.edit(ctx, name, func(lv *live) (*ydoc.Step, error) {
		return nil, edit(lv.steps, guardOf(ctx, d.Document, lv, name).Check)
	})
}

// Settle implements [undo.Document]. A step in a replica that is gone needs no comparison.
func (d undoable) Settle(ctx context.Context, h *undo.History, made *ydoc.Step) error {
	lv := d.current()
	if lv.steps != h {
		return nil
	}
	return settle(ctx, lv, made)
}
