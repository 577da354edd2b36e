package ydoc

import (
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// tx is one transaction that writes texts and cells.
type tx struct{ *crdt.Tx }

// edit applies edits to a text, the last first so that the other positions stay valid.
func (x tx) edit(t *crdt.Type, edits []textdiff.Edit) {
	for _, ed := range slices.Backward(edits) {
		if ed.Ins != "" {
			// After the deleted text: a caret right after it stays after its replacement.
			x.InsertText(t, ed.Pos+ed.Del, ed.Ins)
		}
		x.RemoveText(t, ed.Pos, ed.Del)
	}
}

// newCell makes a cell with all its keys, in the shared types that jupyter_ydoc uses.
func (x tx) newCell(cells *crdt.Type, at int, c NewCell) *crdt.Type {
	m := x.InsertType(cells, at, crdt.KindMap)
	x.Set(m, keyType, c.Type)
	x.Set(m, keyID, c.ID)
	x.InsertText(x.SetType(m, keySource, crdt.KindText), 0, c.Source)
	metadata := x.SetType(m, keyMetadata, crdt.KindMap)
	for _, k := range sortedKeys(c.Metadata) {
		x.Set(metadata, k, c.Metadata[k])
	}
	if c.Type == Code {
		x.codeKeys(m)
	} else if len(c.Attachments) > 0 {
		x.Set(m, keyAttachments, c.Attachments)
	}
	return m
}

// codeKeys gives a cell the keys that only code cells have.
func (x tx) codeKeys(m *crdt.Type) {
	x.SetType(m, keyOutputs, crdt.KindArray)
	x.Set(m, keyCount, nil)
	x.Set(m, keyState, Idle)
}

// moveCell deletes the entry at from and inserts a copy at index to.
func (x tx) moveCell(cells *crdt.Type, from, to int, old *crdt.Type) *crdt.Type {
	if old != nil {
		x.Remove(cells, from, 1)
		m := x.InsertCopy(cells, to, old)
		x.copyCell(m, old)
		return m
	}
	x.MoveValue(cells, from, to)
	return nil
}

// copyCell fills a cell with a copy of another. A code cell without an execution count gets one: while an update is
// held, its deletions, such as that of the old count, may already be applied, and the notebook file is invalid
// without a count.
func (x tx) copyCell(m, old *crdt.Type) {
	x.Becomes(old, m)
	x.Fill(m, old)
	if stringValue(old.Get(keyType)) == Code && !old.Has(keyCount) {
		x.Set(m, keyCount, nil)
	}
}

// retypeCell fills a cell with a copy of another and gives it the keys of a new type.
func (x tx) retypeCell(m, old *crdt.Type, typ string) {
	x.Becomes(old, m)
	x.Set(m, keyType, typ)
	for _, k := range old.Keys() {
		switch k {
		case keyType, keyOutputs, keyCount, keyState:
		case keyAttachments:
			if typ != Code {
				x.FillKey(m, old, k)
			}
		default:
			x.FillKey(m, old, k)
		}
	}
	if metadata := m.Child(keyMetadata, crdt.KindMap); metadata != nil && typ != Code {
		x.Unset(metadata, "trusted")
	}
	if typ == Code {
		x.codeKeys(m)
	}
}

// mapUnder returns the shared map under a key. It makes a missing map, and replaces a plain object by a shared copy.
func (x tx) mapUnder(m *crdt.Type, key string) *crdt.Type {
	if t := m.Child(key, crdt.KindMap); t != nil {
		return t
	}
	was := objectValue(m.Get(key))
	t := x.SetType(m, key, crdt.KindMap)
	for _, k := range sortedKeys(was) {
		x.Set(t, k, was[k])
	}
	return t
}
