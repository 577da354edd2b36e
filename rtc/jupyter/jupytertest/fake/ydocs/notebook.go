package ydocs

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// notebook is a notebook document (jupyter_ydoc, ynotebook.py).
type notebook struct {
	d           *Document
	cells, meta *crdt.Type
}

func newNotebook(d *Document) *notebook {
	return &notebook{d: d, cells: d.replica.Root("cells", crdt.KindArray), meta: d.replica.Root("meta", crdt.KindMap)}
}

// get reads the notebook. It omits duplicates of equal cells; other cells that share an id get a new one, which is
// written to the document.
func (n *notebook) get() (any, error) {
	meta := n.meta.Object()
	cells := []any{}
	seen := map[string]map[string]any{}
	for _, e := range n.entries() {
		if e.typ == nil {
			return nil, errors.New("a cell is no shared map")
		}
		cell := n.read(e.typ)
		if pyjson.Has(cell) {
			return nil, errNumber
		}
		if id, _ := cell["id"].(string); id != "" {
			if same, ok := seen[id]; ok {
				if crdt.EqualObjects(cell, same) {
					continue
				}
				id = uuid()
				cell["id"] = id
				n.d.replica.Transact(func(x *crdt.Tx) { x.Set(e.typ, "id", id) })
			}
			seen[id] = cell
		}
		cells = append(cells, cell)
	}
	if pyjson.Has(meta) {
		return nil, errNumber
	}
	metadata, ok := meta["metadata"]
	if !ok {
		metadata = map[string]any{}
	}
	major, _ := meta["nbformat"].(int)
	minor, _ := meta["nbformat_minor"].(int)
	return map[string]any{"cells": cells, "metadata": metadata, "nbformat": major, "nbformat_minor": minor}, nil
}

// errNumber is the error of jupyter_ydoc 4.2.1 for NaN or Infinity in a document (utils.py, cast_all).
var errNumber = errors.New("cannot convert float infinity to integer")

// entry is an entry of the list of cells: a shared map, or a plain value.
type entry struct {
	typ   *crdt.Type
	value any
}

func (e entry) id() string {
	var v any
	if e.typ != nil {
		v = e.typ.Get("id")
	} else if m, ok := e.value.(map[string]any); ok {
		v = m["id"]
	}
	id, _ := v.(string)
	return id
}

func (n *notebook) entries() (list []entry) {
	for t, v := range n.cells.Entries() {
		if t != nil && t.Kind() != crdt.KindMap {
			t, v = nil, t.Value()
		}
		list = append(list, entry{t, v})
	}
	return list
}

// read reads a cell in the form of a file.
func (n *notebook) read(t *crdt.Type) map[string]any {
	cell := maps.Clone(t.Object())
	delete(cell, "execution_state")
	major, _ := n.meta.Get("nbformat").(int)
	if minor, _ := n.meta.Get("nbformat_minor").(int); major == 4 && minor <= 4 {
		delete(cell, "id")
	}
	if typ := cell["cell_type"]; typ == "raw" || typ == "markdown" {
		if a, ok := cell["attachments"].(map[string]any); ok && len(a) == 0 {
			delete(cell, "attachments")
		}
	}
	return cell
}

// uuid returns a random UUID.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
