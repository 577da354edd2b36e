package ydiff

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/ydoc"
)

// models are the processes with Jupyter's own models of shared notebooks: JupyterLab's and the server's.
type models struct{ lab, server *child.Process }

func startModels(ctx context.Context) (m models, err error) {
	interpreter, err := child.Python(filepath.Join("..", ".."))
	if err != nil {
		return m, err
	}
	if m.lab, err = child.Start(ctx, "node", filepath.Join("..", "node", "jupyter_peer.mjs")); err != nil {
		return m, err
	}
	if m.server, err = child.Start(ctx, interpreter, "-B", filepath.Join("..", "python", "jupyter_peer.py")); err != nil {
		return m, errors.Join(err, m.lab.Stop())
	}
	return m, nil
}

func (m models) stop() error { return errors.Join(m.lab.Stop(), m.server.Stop()) }

// TestJupytersModels lets the models of JupyterLab and of the server make documents of notebooks, reads and edits them
// with nbduet, and lets the models read them.
func TestJupytersModels(t *testing.T) {
	t.Parallel()
	m, err := startModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := m.stop(); err != nil {
			t.Error(err)
		}
	}()
	var samples []any
	if err := m.server.One(&samples, "samples"); err != nil {
		t.Fatal(err)
	}
	if len(samples) != 6 {
		t.Errorf("%d notebooks", len(samples))
	}
	for name, from := range map[string]*child.Process{"JupyterLab": m.lab, "the server": m.server} {
		for minor, nb := range samples {
			t.Run(fmt.Sprintf("4.%d from %s", minor, name), func(t *testing.T) { m.hold(t, from, nb, everyEdit) })
		}
		for _, nb := range notebooks() {
			t.Run(fmt.Sprintf("%s from %s", nb.name, name), func(t *testing.T) {
				m.hold(t, from, nb.content, slices.Concat([]edit{insertFirst}, everyEdit))
			})
		}
	}
}

// hold checks one notebook.
func (m models) hold(t *testing.T, from *child.Process, nb any, edits []edit) {
	var state []byte
	if err := from.One(&state, "write", nb); err != nil {
		t.Fatal(err)
	}
	n := ydoc.NewNotebook()
	if err := n.Apply(state); err != nil {
		t.Fatal(err)
	}
	m.agree(t, "at first", n)
	for i, edit := range edits {
		ids := n.IDs()
		if err := n.Edit("step", func(e *ydoc.Editor) error { return edit(e, ids) }); err != nil {
			t.Fatalf("edit %d: %v", i, err)
		}
		m.agree(t, fmt.Sprintf("after edit %d", i), n)
	}
}

// agree lets both models read n, and nbformat check the results.
func (m models) agree(t *testing.T, when string, n *ydoc.Notebook) {
	t.Helper()
	state, err := n.Diff(nil)
	if err != nil {
		t.Fatal(err)
	}
	own, err := asJSON(n.JSON())
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*child.Process{"JupyterLab": m.lab, "the server": m.server} {
		var theirs any
		if err := p.One(&theirs, "read", state); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if d := difference("", asSaved(own), asSaved(theirs)); d != "" {
			t.Errorf("%s ours, with %s: %s", when, name, d)
		}
	}
	var none any
	if err := m.server.One(&none, "validate", asSaved(own)); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// asSaved returns a notebook without the parts that files lack: execution states, the ids of cells before format 4.5,
// empty attachments, and whether a cell is trusted.
func asSaved(nb any) any {
	from, ok := nb.(map[string]any)
	if !ok {
		return nb
	}
	minor, _ := from["nbformat_minor"].(float64)
	var cells []any
	list, _ := from["cells"].([]any)
	for _, v := range list {
		cell := map[string]any{}
		fields, _ := v.(map[string]any)
		for k, f := range fields {
			object, isObject := f.(map[string]any)
			switch {
			case k == "execution_state", k == "id" && minor < 5, k == "attachments" && isObject && len(object) == 0:
			case k == "metadata" && isObject:
				object = maps.Clone(object)
				delete(object, "trusted")
				cell[k] = object
			default:
				cell[k] = f
			}
		}
		cells = append(cells, cell)
	}
	return map[string]any{"cells": cells, "metadata": from["metadata"], "nbformat": from["nbformat"], "nbformat_minor": from["nbformat_minor"]}
}

// edit is one edit of a notebook with cells of these ids.
type edit func(e *ydoc.Editor, ids []string) error

// insertFirst inserts the cells that everyEdit needs.
func insertFirst(e *ydoc.Editor, _ []string) error {
	_, err := e.Insert(0, ydoc.NewCell{Type: ydoc.Code, Source: "1\n"}, ydoc.NewCell{Type: ydoc.Markdown, Source: "é😀"}, ydoc.NewCell{Type: ydoc.Raw})
	return err
}

// everyEdit uses each operation once, in an order in which each has its precondition. The first cell is code and the
// second markdown.
var everyEdit = []edit{
	func(e *ydoc.Editor, ids []string) error { return e.SetSource(ids[0], "print('ü😀')\nx = 1\n") },
	func(e *ydoc.Editor, ids []string) error {
		c, _ := e.Cell(ids[0])
		return e.Merge(ids[0], c.Source, c.Source+"y\r\n")
	},
	func(e *ydoc.Editor, ids []string) error { return e.StartRun(ids[0]) },
	func(e *ydoc.Editor, ids []string) error { return e.AppendStream(ids[0], "stdout", "one\n") },
	func(e *ydoc.Editor, ids []string) error { return e.AppendStream(ids[0], "stdout", "10%") },
	func(e *ydoc.Editor, ids []string) error { return e.ReplaceStreamTail(ids[0], "stdout", 3, "20%😀") },
	func(e *ydoc.Editor, ids []string) error { return e.AppendStream(ids[0], "stderr", "é") },
	func(e *ydoc.Editor, ids []string) error {
		return e.AppendOutput(ids[0], ydoc.Output{
			"output_type": "display_data",
			"data":        map[string]any{"text/plain": "<x>", "application/json": map[string]any{"a": []any{1, 2.5, nil, true}}},
			"metadata":    map[string]any{"image/png": map[string]any{"width": 10}},
		})
	},
	func(e *ydoc.Editor, ids []string) error {
		return e.AppendOutput(ids[0], ydoc.Output{"output_type": "error", "ename": "E", "evalue": "", "traceback": []any{"a", "b"}})
	},
	func(e *ydoc.Editor, ids []string) error { return e.FinishRun(ids[0], new(7)) },
	func(e *ydoc.Editor, ids []string) error {
		return e.SetOutputs(ids[0], []ydoc.Output{
			{"output_type": "execute_result", "data": map[string]any{"text/plain": "7"}, "metadata": map[string]any{}, "execution_count": 7},
			{"output_type": "stream", "name": "stdout", "text": "s"},
		})
	},
	func(e *ydoc.Editor, ids []string) error { return e.ClearOutputs(ids[0]) },
	func(e *ydoc.Editor, ids []string) error {
		return e.SetCellMetadata(ids[0], "k", map[string]any{"a": []any{1, 0.5, nil, "s"}, "": map[string]any{}})
	},
	func(e *ydoc.Editor, ids []string) error { return e.DeleteCellMetadata(ids[0], "k") },
	func(e *ydoc.Editor, _ []string) error {
		return e.SetMetadata("m", map[string]any{"a": 1e100, "b": nil})
	},
	func(e *ydoc.Editor, _ []string) error { return e.DeleteMetadata("m") },
	func(e *ydoc.Editor, ids []string) error { return e.Move(ids[0], 2) },
	func(e *ydoc.Editor, ids []string) error { return e.SetType(ids[0], ydoc.Code) },
	func(e *ydoc.Editor, ids []string) error { return e.SetType(ids[0], ydoc.Markdown) },
	func(e *ydoc.Editor, ids []string) error {
		return e.SetAttachments(ids[0], map[string]any{"b.png": map[string]any{"image/png": "iVBORw0="}})
	},
	func(e *ydoc.Editor, ids []string) error { _ = e.SetSource(ids[0], "joined"); return e.Delete(ids[1]) },
	func(e *ydoc.Editor, _ []string) error {
		_, err := e.Insert(1, ydoc.NewCell{Type: ydoc.Code, Source: "é"}, ydoc.NewCell{Type: ydoc.Markdown}, ydoc.NewCell{Type: ydoc.Raw, Source: "r"})
		return err
	},
	func(e *ydoc.Editor, ids []string) error { return e.Delete(ids[0], ids[2]) },
}
