package tools_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// destroying are the tools that delete a cell or give it a whole new source, each called for the second cell, by its index
// and by its id.
var destroying = map[string]struct {
	byIndex, byID toolstest.Dict
	deletes       bool
}{
	"modify_nb_cells": {
		toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 1}, "content": "new"}}},
		toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c1"}, "content": "new"}}},
		false,
	},
	"delete_nb_cells": {
		toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1}}},
		toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c1"}}},
		true,
	},
	"overwrite_cell_source": {
		toolstest.Dict{"cell_index": 1, "cell_source": "new"},
		toolstest.Dict{"cell_id": "c1", "cell_source": "new"},
		false,
	},
	"delete_cell": {
		toolstest.Dict{"cell_indices": []int{1}},
		toolstest.Dict{"cell_ids_to_delete": []string{"c1"}},
		true,
	},
	"notebook_edit_cell": {
		toolstest.Dict{"cell_index": 1, "source": "new"},
		toolstest.Dict{"cell_id": "c1", "source": "new"},
		false,
	},
	"notebook_delete_cell": {
		toolstest.Dict{"cell_index": 1},
		toolstest.Dict{"cell_id": "c1"},
		true,
	},
	"overwrite_document": {
		nil,
		toolstest.Dict{"content": `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`},
		true,
	},
}

// newUnread is a notebook that a client has opened, and of which it knows the first lines at most.
func newUnread(t *testing.T, tool string) *positions {
	r := toolstest.New(t)
	p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b", "c = 3\n# c")}
	switch {
	case strings.HasPrefix(tool, "notebook_"):
		p.session = r.Create(toolstest.Dict{"notebook_path": p.path}).ID
	case strings.Contains(tool, "_cell") && !strings.Contains(tool, "_nb_"):
		r.Call("use_notebook", toolstest.Dict{"notebook_name": "n", "notebook_path": p.path})
	}
	return p
}

// What a client has not read it does not destroy: not a cell that it was never shown, by index or by id, and not what was
// typed since it read it.
func TestUnreadIsNotDestroyed(t *testing.T) {
	for name, c := range destroying {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				p := newUnread(t, name)
				refused := func(args toolstest.Dict, says ...string) {
					t.Helper()
					text, failed := p.call(name, args)
					for _, s := range says {
						if !failed || !strings.Contains(text, s) {
							t.Errorf("answered %s, want %q", text, s)
						}
					}
				}
				if c.byIndex != nil && !strings.Contains(name, "_cell_source") && name != "delete_cell" { // of theirs an overview was shown
					refused(c.byIndex, "you were shown none of this notebook", "a = 1", "c = 3")
				}
				refused(c.byID, "nothing was changed", "never shown to you")
				if all, _ := p.sources(); all != "a = 1\n# a b = 2\n# b c = 3\n# c" {
					t.Fatalf("the cells are %q", all)
				}
				// p.sources read the document itself, and not for the client.
				p.Read(p.path)
				p.person(func(e *ydoc.Editor) error { return e.SetSource("c1", "b = 2\n# b, and typed") })
				if c.deletes {
					refused(c.byID, "nothing was changed", "+# b, and typed")
					args := toolstest.Dict{"force": true}
					for k, v := range c.byID {
						args[k] = v
					}
					if text, failed := p.call(name, args); failed {
						t.Errorf("by force: %s", text)
					}
					if all, _ := p.sources(); strings.Contains(all, "typed") {
						t.Errorf("by force: %q", all)
					}
					return
				}
				p.call(name, c.byID)
				if all, _ := p.sources(); !strings.Contains(all, "typed") {
					t.Errorf("what was typed is gone: %q", all)
				}
			})
		})
	}
}

// The reading of one agent of a client is no reading of another, which writes from what it has read itself; each may name
// the revision that it has read.
func TestAgentsOfOneClient(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		p := newPositions(t, "modify_nb_cells")
		p.person(func(e *ydoc.Editor) error { return e.SetSource("c1", "b = 2 * n") })
		second := p.Read(p.path).Cells[1].Revision // by another agent
		change := func(source, revision string) (string, bool) {
			one := toolstest.Dict{"range": toolstest.Dict{"id": "c1"}, "content": source}
			if revision != "" {
				one["revision"] = revision
			}
			return p.call("modify_nb_cells", toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{one}})
		}
		text, failed := change("b = 3", "")
		if !failed || !strings.Contains(text, "b = 2 * n") || !strings.Contains(text, second) {
			t.Errorf("what a person typed is taken back: %v, %s", failed, text)
		}
		if all, _ := p.sources(); !strings.Contains(all, "b = 2 * n") {
			t.Errorf("the cells are %s", all)
		}
		if text, failed := change("b = 3 * n", second); failed {
			t.Error(text)
		}
	})
}

// A notebook that was read as a resource is read.
func TestResourcesAreReadings(t *testing.T) {
	for _, form := range []string{"cells", "json", "srcmd"} {
		t.Run(form, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				p := newUnread(t, "delete_nb_cells")
				s := p.Create(toolstest.Dict{"notebook_path": p.path})
				doc, err := p.Work.Open(t.Context(), p.path)
				if err != nil {
					t.Fatal(err)
				}
				defer doc.Release()
				if _, err := p.ReadURI(p.Client, desk.NotebookAddress(s.ID, doc.FileID(), form)); err != nil {
					t.Fatal(err)
				}
				if text, failed := p.call("delete_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1}}}); failed {
					t.Error(text)
				}
			})
		})
	}
}
