package ydocs

import (
	"errors"
	"maps"
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// writeCell inserts a cell into the list (jupyter_ydoc, ynotebook.py, create_ycell).
func (n *notebook) writeCell(x *crdt.Tx, at int, cell map[string]any) error {
	source, ok := cell["source"].(string)
	if !ok {
		return errors.New("'source'") // a KeyError
	}
	typ := cell["cell_type"]
	t := x.InsertType(n.cells, at, crdt.KindMap)
	if _, ok := cell["id"]; !ok {
		x.Set(t, "id", uuid())
	}
	for _, k := range slices.Sorted(maps.Keys(cell)) {
		switch k {
		case "source":
			x.InsertText(x.SetType(t, k, crdt.KindText), 0, source)
			continue
		case "metadata":
			writeMetadata(x, t, cell[k])
			continue
		case "attachments":
			if a, ok := cell[k].(map[string]any); ok && len(a) == 0 && typ != "code" {
				continue
			}
		case "outputs":
			if typ == "code" {
				writeOutputs(x, x.SetType(t, k, crdt.KindArray), cell[k])
				continue
			}
		}
		x.Set(t, k, floats(cell[k]))
	}
	if _, ok := cell["metadata"]; !ok {
		writeMetadata(x, t, nil)
	}
	if typ == "code" {
		if _, ok := cell["outputs"]; !ok {
			x.SetType(t, "outputs", crdt.KindArray)
		}
		x.Set(t, "execution_state", "idle")
	}
	return nil
}

// writeMetadata writes a cell's metadata, with "trusted" last, because the server adds it.
func writeMetadata(x *crdt.Tx, cell *crdt.Type, v any) {
	m, _ := v.(map[string]any)
	t := x.SetType(cell, "metadata", crdt.KindMap)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if k != "trusted" {
			x.Set(t, k, floats(m[k]))
		}
	}
	if trusted, ok := m["trusted"]; ok {
		x.Set(t, "trusted", trusted)
	}
}

// writeOutputs fills a list of outputs: each is a shared map, with the text of a stream as shared text.
func writeOutputs(x *crdt.Tx, list *crdt.Type, v any) {
	outputs, _ := v.([]any)
	for _, v := range outputs {
		o, _ := v.(map[string]any)
		t := x.InsertType(list, list.Len(), crdt.KindMap)
		for _, k := range slices.Sorted(maps.Keys(o)) {
			if s, ok := o[k].(string); ok && k == "text" && o["output_type"] == "stream" {
				x.InsertText(x.SetType(t, k, crdt.KindText), 0, s)
			} else {
				x.Set(t, k, floats(o[k]))
			}
		}
	}
}

// sharedKinds are the keys of a cell that hold a shared type.
var sharedKinds = map[string]uint8{"metadata": crdt.KindMap, "source": crdt.KindText, "outputs": crdt.KindArray}

// updateCell updates a cell to a file's content, key by key. It returns false, without a change, if that is not
// possible (jupyter_ydoc, ynotebook.py, _update_cell).
func updateCell(x *crdt.Tx, t *crdt.Type, was, now map[string]any) bool {
	var changed []string
	for _, k := range slices.Sorted(maps.Keys(now)) {
		old, had := was[k]
		kind, shared := sharedKinds[k]
		switch {
		case had && crdt.EqualValues(old, now[k]):
			continue
		case !had && shared, had && shared && t.Child(k, kind) == nil:
			return false
		case had && k == "outputs" && hasStream(now[k]):
			return false
		}
		changed = append(changed, k)
	}
	for _, k := range changed {
		kind, shared := sharedKinds[k]
		if !shared {
			x.Set(t, k, floats(now[k]))
			continue
		}
		switch c := t.Child(k, kind); kind {
		case crdt.KindText:
			s, _ := now[k].(string)
			rewrite(x, c, s)
		case crdt.KindArray:
			x.Remove(c, 0, c.Len())
			list, _ := now[k].([]any)
			for i, v := range list {
				x.InsertValue(c, i, floats(v))
			}
		case crdt.KindMap:
			for _, old := range c.Keys() {
				x.Unset(c, old)
			}
			m, _ := now[k].(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(m)) {
				x.Set(c, key, floats(m[key]))
			}
		}
	}
	for k := range was {
		if _, stays := now[k]; !stays {
			x.Unset(t, k)
		}
	}
	return true
}

func hasStream(v any) bool {
	outputs, _ := v.([]any)
	return slices.ContainsFunc(outputs, func(v any) bool {
		o, _ := v.(map[string]any)
		return o["output_type"] == "stream"
	})
}
