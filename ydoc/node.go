package ydoc

import (
	"time"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// node is an entry of the cells list and what was read of it.
type node struct {
	typ   *crdt.Type // nil for an entry that is no shared map
	id    string     // its identity, see identify
	nbID  string     // its nbformat id
	cell  Cell
	stale fields // parts of cell that have to be read again
	born  bool   // whether cell has a revision yet
	past  *past  // older sources
	parts partRevisions

	queued bool      // whether it is among the notebook's stale ones
	made   time.Time // when this replica copied it, or it got an identity with a suffix
}

// nodeOf is what is remembered of a cell by its shared map, nil for other types.
func nodeOf(t *crdt.Type) *node {
	e, _ := t.Data.(*node)
	return e
}

// refresh reads the stale parts again and gives the cell a new revision if they differ.
func (e *node) refresh(n *Notebook) {
	if e.stale == 0 {
		return
	}
	stale := e.stale
	e.stale = 0
	next := e.cell
	next.read(e.typ, stale)
	next.ID = e.id
	changed := allFields
	if e.born {
		changed = next.differs(&e.cell, stale)
	}
	if next.Fault != e.cell.Fault {
		changed |= fieldType
	}
	if changed == 0 {
		next.Revision = e.cell.Revision
		e.cell = next
		return
	}
	next.Revision = n.advance()
	e.cell, e.born = next, true
	e.parts.note(changed, next.Revision)
	if changed&fieldSource != 0 {
		n.remember(e)
	}
}

// read reads parts of the cell that a shared map is.
func (c *Cell) read(t *crdt.Type, parts fields) {
	if parts&fieldID != 0 {
		c.NBID = stringValue(t.Get(keyID))
	}
	if parts&fieldType != 0 {
		c.Type = stringValue(t.Get(keyType))
	}
	if parts&fieldSource != 0 {
		c.Source = stringValue(t.Get(keySource))
	}
	if parts&fieldMetadata != 0 {
		c.Metadata = objectOr(t.Get(keyMetadata))
	}
	if parts&(fieldOutputs|fieldType) != 0 {
		c.Outputs = nil
		if c.Type == Code {
			c.Outputs = outputsValue(t.Get(keyOutputs))
		}
	}
	if parts&fieldCount != 0 {
		c.ExecutionCount = countValue(t.Get(keyCount))
	}
	if parts&fieldState != 0 {
		c.ExecutionState = stringValue(t.Get(keyState))
	}
	if parts&fieldAttachments != 0 {
		c.Attachments = objectValue(t.Get(keyAttachments))
		if len(c.Attachments) == 0 {
			c.Attachments = nil
		}
	}
	c.Fault = c.fault(t)
}

// fault says what is wrong with the shape of the shared map that a cell was read from (as jupyter_ydoc and JupyterLab
// see it).
func (c *Cell) fault(t *crdt.Type) string {
	switch {
	case !t.Has(keyMetadata):
		return "it has no metadata: the server cannot save the notebook"
	case c.Type == Code && !t.Has(keyOutputs):
		return "it has no outputs: the server cannot save the notebook"
	case t.Child(keyMetadata, crdt.KindMap) == nil:
		return "its metadata is not a shared map"
	case c.Type == Code && t.Child(keyOutputs, crdt.KindArray) == nil:
		return "its outputs are not a shared array"
	case t.Child(keySource, crdt.KindText) == nil:
		return "its source is not a shared text"
	case c.Type != Code && c.Type != Markdown && c.Type != Raw:
		return "its cell_type is not one of nbformat's"
	}
	return ""
}

// plainNode is an entry that is a plain value instead of a shared map. It can be read, moved and deleted, not edited.
func plainNode(v any) *node {
	o := objectValue(v)
	c := Cell{
		NBID:           stringValue(o[keyID]),
		Type:           stringValue(o[keyType]),
		Source:         stringValue(o[keySource]),
		Metadata:       objectOr(o[keyMetadata]),
		ExecutionCount: countValue(o[keyCount]),
		ExecutionState: stringValue(o[keyState]),
		Attachments:    objectValue(o[keyAttachments]),
		Fault:          "it is a plain value: the server cannot save the notebook",
	}
	if c.Type == Code {
		c.Outputs = outputsValue(o[keyOutputs])
	}
	return &node{nbID: c.NBID, cell: c}
}
