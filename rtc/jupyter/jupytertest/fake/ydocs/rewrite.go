package ydocs

import (
	"errors"
	"maps"
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// set updates the notebook to a file's content (jupyter_ydoc, ynotebook.py, _set).
func (n *notebook) set(x *crdt.Tx, content any) error {
	nb, cells, err := notebookOf(content)
	if err != nil {
		return err
	}
	n.setMeta(x, nb)
	for _, k := range n.d.state.Keys() {
		if k != "dirty" && k != "path" && k != "document_id" {
			x.Unset(n.d.state, k)
		}
	}
	kept, err := n.update(x, cells)
	if err != nil {
		return err
	}
	list := n.prune(x, kept)
	return n.order(x, list, cells, kept)
}

// steps sets an empty notebook's metadata, and then its cells one by one.
func (n *notebook) steps(content any) []func(*crdt.Tx) error {
	nb, cells, err := notebookOf(content)
	steps := []func(*crdt.Tx) error{func(x *crdt.Tx) error {
		if err == nil {
			n.setMeta(x, nb)
		}
		return err
	}}
	for i, c := range cells {
		steps = append(steps, func(x *crdt.Tx) error {
			return n.writeCell(x, i, c)
		})
	}
	return steps
}

// notebookOf splits a content into the notebook and its cells. A notebook without cells gets an empty one.
func notebookOf(content any) (nb map[string]any, cells []map[string]any, err error) {
	nb, ok := content.(map[string]any)
	if !ok {
		return nil, nil, errContent("a notebook", content)
	}
	list, _ := nb["cells"].([]any)
	for _, v := range list {
		c, ok := v.(map[string]any)
		if !ok {
			return nil, nil, errors.New("a cell is no object")
		}
		cells = append(cells, c)
	}
	if len(cells) == 0 {
		cells = []map[string]any{{
			"cell_type": "code", "execution_count": nil, "id": uuid(), "metadata": map[string]any{"trusted": true},
			"outputs": []any{}, "source": "",
		}}
	}
	return nb, cells, nil
}

func (n *notebook) setMeta(x *crdt.Tx, nb map[string]any) {
	for _, f := range []struct {
		key   string
		usual int
	}{{"nbformat", 4}, {"nbformat_minor", 5}} {
		v, ok := nb[f.key]
		if !ok {
			v = f.usual
		}
		if !crdt.EqualValues(n.meta.Get(f.key), v) {
			x.Set(n.meta, f.key, floats(v))
		}
	}
	metadata, _ := nb["metadata"].(map[string]any)
	if was, ok := n.meta.Get("metadata").(map[string]any); ok && crdt.EqualObjects(was, metadata) {
		return
	}
	t := x.SetType(n.meta, "metadata", crdt.KindMap)
	for _, k := range slices.Sorted(maps.Keys(metadata)) {
		x.Set(t, k, floats(metadata[k]))
	}
	if _, ok := metadata["language_info"]; !ok {
		x.Set(t, "language_info", map[string]any{"name": ""})
	}
	if _, ok := metadata["kernelspec"]; !ok {
		x.Set(t, "kernelspec", map[string]any{"name": "", "display_name": ""})
	}
}

// update changes cells in place if possible, and returns the ids of all cells that may stay.
func (n *notebook) update(x *crdt.Tx, cells []map[string]any) (kept map[string]bool, err error) {
	old := map[string]entry{} // the first entry of each id
	for _, e := range n.entries() {
		if id := e.id(); id != "" {
			if _, ok := old[id]; !ok {
				old[id] = e
			}
		}
	}
	kept = map[string]bool{}
	for _, c := range cells {
		id, _ := c["id"].(string)
		e, ok := old[id]
		if !ok {
			continue
		}
		if e.typ == nil {
			return nil, errors.New("a cell is no shared map")
		}
		was := n.read(e.typ)
		if crdt.EqualObjects(was, c) || updateCell(x, e.typ, was, c) {
			kept[id] = true
		}
	}
	return kept, nil
}

// prune deletes the cells that do not stay, and all duplicates of an id, and returns the remaining ids.
func (n *notebook) prune(x *crdt.Tx, kept map[string]bool) (ids []string) {
	seen := map[string]bool{}
	for _, e := range n.entries() {
		id := e.id()
		if !kept[id] || seen[id] {
			x.Remove(n.cells, len(ids), 1)
			continue
		}
		seen[id] = true
		ids = append(ids, id)
	}
	return ids
}

// order reorders the list of cells, which has those ids, to match a file. A moved cell is written anew.
func (n *notebook) order(x *crdt.Tx, ids []string, cells []map[string]any, kept map[string]bool) error {
	for i, c := range cells {
		id, _ := c["id"].(string)
		if i < len(ids) && id != "" && ids[i] == id {
			continue
		}
		if kept[id] {
			at := slices.Index(ids[min(i+1, len(ids)):], id)
			if at < 0 {
				continue
			}
			at += i + 1
			x.Remove(n.cells, at, 1)
			ids = slices.Delete(ids, at, at+1)
		}
		if err := n.writeCell(x, i, c); err != nil {
			return err
		}
		ids = slices.Insert(ids, i, id)
	}
	if more := n.cells.Len() - len(cells); more > 0 {
		x.Remove(n.cells, len(cells), more)
	}
	return nil
}
