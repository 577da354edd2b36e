package ydoc

import (
	"slices"

	crdt "github.com/skyterra/y-crdt"
)

// newCell makes a cell with all its keys in the shared types that jupyter_ydoc gives them.
func (x *tx) newCell(cells *shared, at int, c NewCell) *shared {
	m := x.insertType(cells, at, kindMap)
	x.setValue(m, keyType, c.Type)
	x.setValue(m, keyID, c.ID)
	x.insertText(x.setType(m, keySource, kindText), 0, c.Source)
	metadata := x.setType(m, keyMetadata, kindMap)
	for _, k := range sortedKeys(c.Metadata) {
		x.setValue(metadata, k, c.Metadata[k])
	}
	if c.Type == Code {
		x.codeKeys(m)
	} else if len(c.Attachments) > 0 {
		x.setValue(m, keyAttachments, c.Attachments)
	}
	return m
}

// codeKeys gives a cell the keys that only code cells have.
func (x *tx) codeKeys(m *shared) {
	x.setType(m, keyOutputs, kindArray)
	x.setValue(m, keyCount, nil)
	x.setValue(m, keyState, Idle)
}

// moveCell deletes the entry at from and puts a copy where it then has index to.
func (x *tx) moveCell(cells *shared, from, to int, old *shared) *shared {
	if old != nil {
		x.remove(cells, from, 1)
		m := x.insertType(cells, to, kindMap)
		x.copyCell(m, old)
		return m
	}
	// A plain value: the content of its item, one of several perhaps.
	item, off := cells.seek(from + 1)
	v := copyOne(item.Content, off-1)
	x.remove(cells, from, 1)
	x.insert(cells, to, v)
	return nil
}

// copyCell fills a cell with a copy of another. A code cell gets an execution count where it has none: while an update is
// held back its deletions may have been made already, such as that of the count before, and without one no file of the
// notebook is valid.
func (x *tx) copyCell(m, old *shared) {
	x.becomes(old.Item, m.Item)
	x.copyInto(m, old, 0)
	if stringValue(old.get(keyType)) == Code && old.at(keyCount) == nil {
		x.setValue(m, keyCount, nil)
	}
}

// retypeCell fills a cell with a copy of another, with the keys of another type.
func (x *tx) retypeCell(m, old *shared, typ string) {
	x.becomes(old.Item, m.Item)
	x.setValue(m, keyType, typ)
	for _, k := range old.keys() {
		switch k {
		case keyType, keyOutputs, keyCount, keyState:
		case keyAttachments:
			if typ != Code {
				x.copyKey(m, old, k, 0)
			}
		default:
			x.copyKey(m, old, k, 0)
		}
	}
	if metadata := m.child(keyMetadata, kindMap); metadata != nil && typ != Code {
		x.unset(metadata, "trusted")
	}
	if typ == Code {
		x.codeKeys(m)
	}
}

// keys lists the live keys of a map in order.
func (t *shared) keys() []string {
	keys := make([]string, 0, len(t.Map))
	for k, item := range t.Map {
		if !item.Deleted() {
			keys = append(keys, keyOut(k))
		}
	}
	slices.Sort(keys)
	return keys
}

// copyInto fills an empty type with a copy of another's content, which is about to go. Each item is told what took its
// place, so that undo and the positions of carets find it.
func (x *tx) copyInto(dst, src *shared, depth int) {
	if depth > maxNesting {
		return
	}
	for _, k := range src.keys() {
		x.copyKey(dst, src, k, depth)
	}
	var last *crdt.Item
	for item := src.Start; item != nil; item = item.Right {
		if !visible(item) {
			continue
		}
		if t := sharedOf(item); t != nil {
			c := t.Copy().(*shared)
			last = x.attach(dst, "", last, nil, crdt.NewContentType(c))
			x.becomes(item, last)
			x.copyInto(c, t, depth+1)
		} else {
			last = x.attach(dst, "", last, nil, item.Content.Copy())
			x.becomes(item, last)
		}
	}
}

func (x *tx) copyKey(dst, src *shared, key string, depth int) {
	item := src.at(key)
	if t := sharedOf(item); t != nil {
		c := t.Copy().(*shared)
		x.becomes(item, x.set(dst, key, crdt.NewContentType(c)))
		x.copyInto(c, t, depth+1)
		return
	}
	made := x.set(dst, key, copyOne(item.Content, item.Length-1))
	if item.Length == 1 {
		x.becomes(item, made)
	}
}

// copyOne copies one value of a content.
func copyOne(c crdt.IAbstractContent, off int) crdt.IAbstractContent {
	c = c.Copy()
	if off > 0 {
		c = c.Splice(off)
	}
	if c.GetLength() > 1 {
		c.Splice(1)
	}
	return c
}
