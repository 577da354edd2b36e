package ydoc

import (
	"fmt"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// SetSource changes a cell's source to text by the smallest edits, so that others' carets and selections stay in
// place. It keeps the line ends of the present source, or uses "\n".
func (e *Editor) SetSource(id, text string) error {
	d, text, err := e.source(id, text)
	if err != nil {
		return e.fail(err)
	}
	return e.editSource(d, textdiff.Diff(e.sourceOf(d), text), text)
}

// Merge applies the change from base to text to the cell's current source. The base is any earlier text of the cell.
// If another client has changed the same place since then, Merge returns a *[ConflictError].
func (e *Editor) Merge(id, base, text string) error {
	d, text, err := e.source(id, text)
	if err != nil {
		return e.fail(err)
	}
	if d.node == nil {
		return e.fail(fmt.Errorf("cell %q: %w: it is new", id, ErrRevisionGone))
	}
	d.node.refresh(e.n)
	now := e.sourceOf(d)
	edits, err := carry(base, now, text, ConflictError{ID: id})
	if err != nil {
		return e.fail(err)
	}
	return e.editSource(d, edits, textdiff.Apply(now, edits))
}

// SourceAt returns a cell's source at a revision of the cell or of the document, or [ErrRevisionGone] if it is no
// longer remembered.
func (e *Editor) SourceAt(id string, base Revision) (string, error) {
	d, err := e.editable(id)
	if err != nil {
		return "", err
	}
	if d.node == nil {
		return "", fmt.Errorf("cell %q: %w: it is new", id, ErrRevisionGone)
	}
	d.node.refresh(e.n)
	text, err := d.node.past.at(base, e.n.rev)
	if err != nil {
		return "", fmt.Errorf("cell %q: %w", id, err)
	}
	return text, nil
}

// source checks a new source for a cell.
func (e *Editor) source(id, text string) (*draft, string, error) {
	d, err := e.editable(id)
	if err != nil {
		return nil, "", err
	}
	if d.typ != nil && d.typ.Child(keySource, crdt.KindText) == nil {
		return nil, "", crdt.Invalidf("cell %q is malformed: its source is not a shared text; delete it and insert it again", id)
	}
	text, err = checkSource(text, e.n.limits)
	return d, textdiff.LineEnds(text, e.sourceOf(d)), err
}

// editSource stages edits of a source; text is the result.
func (e *Editor) editSource(d *draft, edits []textdiff.Edit, text string) error {
	if len(edits) == 0 {
		return nil
	}
	if err := e.unlocked(d, KeyEditable); err != nil {
		return err
	}
	d.source, d.read = text, true
	e.stage(d, func(x tx) { x.edit(d.typ.Child(keySource, crdt.KindText), edits) })
	return nil
}

// SetCellMetadata sets a key of a cell's metadata to a plain JSON value. nil is null; see [Editor.DeleteCellMetadata].
func (e *Editor) SetCellMetadata(id, key string, v any) error {
	d, v, err := e.metadata(id, key, v)
	if err != nil {
		return e.fail(err)
	}
	e.stage(d, func(x tx) { x.SetChanged(x.mapUnder(d.typ, keyMetadata), key, v) })
	return nil
}

// DeleteCellMetadata removes a key of a cell's metadata, if present.
func (e *Editor) DeleteCellMetadata(id, key string) error {
	d, _, err := e.metadata(id, key, nil)
	if err != nil {
		return e.fail(err)
	}
	e.stage(d, func(x tx) { x.Unset(x.mapUnder(d.typ, keyMetadata), key) })
	return nil
}

func (e *Editor) metadata(id, key string, v any) (*draft, any, error) {
	d, err := e.editable(id)
	if err != nil {
		return nil, nil, err
	}
	if _, err := crdt.Plain(key, 1); err != nil {
		return nil, nil, err
	}
	if v, err = crdt.Plain(v, e.n.limits.Depth); err != nil {
		return nil, nil, err
	}
	return d, v, e.unlocked(d, KeyEditable)
}

// SetAttachments replaces the attachments of a markdown or raw cell; an empty map removes them.
func (e *Editor) SetAttachments(id string, attachments map[string]any) error {
	d, err := e.editable(id)
	if err != nil {
		return e.fail(err)
	}
	if d.kind == Code {
		return e.fail(crdt.Invalidf("cell %q is a code cell, it cannot have attachments", id))
	}
	m, err := e.checkObject(attachments)
	if err != nil {
		return e.fail(err)
	}
	if err := e.unlocked(d, KeyEditable); err != nil {
		return err
	}
	e.stage(d, func(x tx) {
		if len(m) == 0 {
			x.Unset(d.typ, keyAttachments)
		} else {
			x.SetChanged(d.typ, keyAttachments, m)
		}
	})
	return nil
}

// SetMetadata sets a key of the notebook's metadata to a plain JSON value; nil is null.
func (e *Editor) SetMetadata(key string, v any) error {
	if _, err := crdt.Plain(key, 1); err != nil {
		return e.fail(err)
	}
	v, err := crdt.Plain(v, e.n.limits.Depth)
	if err != nil {
		return e.fail(err)
	}
	e.stage(nil, func(x tx) { x.SetChanged(x.mapUnder(e.n.meta, keyMetadata), key, v) })
	return nil
}

// DeleteMetadata removes a key of the notebook's metadata, if present.
func (e *Editor) DeleteMetadata(key string) error {
	e.stage(nil, func(x tx) { x.Unset(x.mapUnder(e.n.meta, keyMetadata), key) })
	return nil
}
