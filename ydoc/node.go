package ydoc

import (
	crdt "github.com/skyterra/y-crdt"
)

// node is an entry of the cells list and what was read of it.
type node struct {
	typ   *shared    // nil for an entry that is no shared map
	item  *crdt.Item // the item in the list
	id    string
	cell  Cell
	stale fields // parts of cell that have to be read again
	born  bool   // whether cell has a revision yet
	past  *past  // older sources
	parts partRevisions

	queued bool // whether it is among the notebook's stale ones
}

// refresh reads the stale parts again and gives the cell a new revision if they differ.
func (e *node) refresh(n *Notebook) {
	if e.stale == 0 {
		return
	}
	stale := e.stale
	e.stale = 0
	next := e.cell
	e.typ.readInto(&next, stale)
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

// readInto reads parts of the cell that a shared map is.
func (t *shared) readInto(c *Cell, parts fields) {
	if parts&fieldID != 0 {
		c.ID = stringValue(t.get(keyID))
	}
	if parts&fieldType != 0 {
		c.Type = stringValue(t.get(keyType))
	}
	if parts&fieldSource != 0 {
		c.Source = stringValue(t.get(keySource))
	}
	if parts&fieldMetadata != 0 {
		c.Metadata = objectValue(t.get(keyMetadata))
		if c.Metadata == nil {
			c.Metadata = map[string]any{}
		}
	}
	if parts&(fieldOutputs|fieldType) != 0 {
		c.Outputs = nil
		if c.Type == Code {
			c.Outputs = outputsValue(t.get(keyOutputs))
		}
	}
	if parts&fieldCount != 0 {
		c.ExecutionCount = nil
		if v, ok := t.get(keyCount).(int); ok {
			c.ExecutionCount = &v
		}
	}
	if parts&fieldState != 0 {
		c.ExecutionState = stringValue(t.get(keyState))
	}
	if parts&fieldAttachments != 0 {
		c.Attachments = objectValue(t.get(keyAttachments))
		if len(c.Attachments) == 0 {
			c.Attachments = nil
		}
	}
	c.Fault = t.fault(c)
}

// fault says what is wrong with the shape of a cell (as jupyter_ydoc and JupyterLab see it).
func (t *shared) fault(c *Cell) string {
	switch {
	case t.at(keyMetadata) == nil:
		return "it has no metadata: the server cannot save the notebook"
	case c.Type == Code && t.at(keyOutputs) == nil:
		return "it has no outputs: the server cannot save the notebook"
	case t.child(keyMetadata, kindMap) == nil:
		return "its metadata is not a shared map"
	case c.Type == Code && t.child(keyOutputs, kindArray) == nil:
		return "its outputs are not a shared array"
	case t.child(keySource, kindText) == nil:
		return "its source is not a shared text"
	case c.Type != Code && c.Type != Markdown && c.Type != Raw:
		return "its cell_type is none that nbformat has"
	}
	return ""
}

// plainNode is an entry that is a plain value instead of a shared map. It can be read, moved and deleted, not edited.
func plainNode(item *crdt.Item, v any) *node {
	o := objectValue(v)
	c := Cell{
		ID:             stringValue(o[keyID]),
		Type:           stringValue(o[keyType]),
		Source:         stringValue(o[keySource]),
		Metadata:       objectValue(o[keyMetadata]),
		ExecutionState: stringValue(o[keyState]),
		Attachments:    objectValue(o[keyAttachments]),
		Fault:          "it is a plain value: the server cannot save the notebook",
	}
	if c.Metadata == nil {
		c.Metadata = map[string]any{}
	}
	if c.Type == Code {
		c.Outputs = outputsValue(o[keyOutputs])
	}
	if i, ok := o[keyCount].(int); ok {
		c.ExecutionCount = &i
	}
	return &node{item: item, id: c.ID, cell: c}
}

func stringValue(v any) string {
	s, _ := v.(string)
	return s
}

func objectValue(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// outputsValue is a list of outputs. What is no object reads as an empty one.
func outputsValue(v any) []Output {
	l, _ := v.([]any)
	outs := make([]Output, len(l))
	for i, o := range l {
		m := objectValue(o)
		if m == nil {
			m = map[string]any{}
		}
		outs[i] = m
	}
	return outs
}
