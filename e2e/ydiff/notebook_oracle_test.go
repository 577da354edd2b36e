package ydiff

import (
	"fmt"
	"maps"
	"slices"
)

// expected returns the notebook that yjs reads in a document, in file form; ok is false if the document has no notebook.
func expected(want reading) (nb any, ok bool) {
	meta, _ := modelForm.as(want.Roots["meta"]).(map[string]any)
	if _, ok := meta["metadata"]; !ok || meta["nbformat"] == nil || meta["nbformat_minor"] == nil {
		return nil, false
	}
	raw := maps.Clone(meta)
	raw["cells"] = modelForm.as(want.Roots["cells"])
	return asSaved(raw), true
}

// sameNotebook compares the notebook of one of Jupyter's models with the one that yjs reads in the document.
func sameNotebook(k kind, got any, want reading) error {
	nb, ok := expected(want)
	if !ok {
		return nil
	}
	if k == labKind {
		nb = asLabReads(nb)
	}
	if d := difference("", asSaved(got), nb); d != "" {
		return fmt.Errorf("its model has %s", d)
	}
	return nil
}

// asLabReads returns a notebook as JupyterLab's model reads it: the parts that it knows, and a missing count as 0.
func asLabReads(nb any) any {
	from := nb.(map[string]any)
	var cells []any
	list, _ := from["cells"].([]any)
	for _, v := range list {
		fields, _ := v.(map[string]any)
		cell := map[string]any{}
		for _, key := range []string{"id", "cell_type", "source", "metadata", "attachments", "outputs", "execution_count"} {
			f, ok := fields[key]
			switch {
			case key == "attachments" && fields["cell_type"] == "code":
			case key == "execution_count" && fields["cell_type"] == "code":
				if f == float64(0) {
					f = nil
				}
				cell[key] = f
			case ok:
				cell[key] = f
			}
		}
		cells = append(cells, cell)
	}
	to := maps.Clone(from)
	to["cells"] = cells
	return to
}

// sameInModels lets Jupyter's models open a document of nbduet, and the server's write its file: it must be valid for
// nbformat and have the content that yjs reads, unless two cells have the same id; the model would drop or rename one of
// them.
func sameInModels(f *foreign, p program, state []byte, want reading) error {
	nb, ok := expected(want)
	if !ok {
		return nil
	}
	var opened, file any
	if err := f.node.One(&opened, "open", nil, state); err != nil {
		return err
	}
	if err := sameNotebook(labKind, opened, want); err != nil {
		return fmt.Errorf("opened by JupyterLab: %w", err)
	}
	if err := f.python.One(&file, "file", nil, state, p.othersUndo()); err != nil {
		return fmt.Errorf("the file: %w", err)
	}
	seen := map[any]bool{}
	list, _ := modelForm.as(want.Roots["cells"]).([]any)
	for _, v := range list {
		cell, _ := v.(map[string]any)
		if seen[cell["id"]] {
			return nil
		}
		seen[cell["id"]] = true
	}
	if d := difference("", asSaved(file), nb); d != "" {
		return fmt.Errorf("the file has %s", d)
	}
	return nil
}

// othersUndo reports whether one of Jupyter's models undoes or redoes an edit.
func (p program) othersUndo() bool {
	return slices.ContainsFunc(p.Steps, func(s step) bool {
		return p.Kinds[s.P].model() && slices.ContainsFunc(s.Ops, func(o op) bool { return o.Op == "undo" || o.Op == "redo" })
	})
}
