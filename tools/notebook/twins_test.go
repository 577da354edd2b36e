package notebook_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// twinBook makes a notebook of format 4.4, whose cells 3 and 4 have the ids of cells 0 and 1.
func twinBook(t *testing.T, r *toolstest.Rig) string {
	t.Helper()
	book := toolstest.Book("aaaaaaaa:a = 1", "bbbbbbbb:b = 1", "cccccccc:c = 1", "aaaaaaaa:a = 2", "bbbbbbbb:b = 2")
	return r.Server.Write(t, r.Server.Name(t, ".ipynb"), strings.Replace(book, `"nbformat_minor":5`, `"nbformat_minor":4`, 1))
}

// Each tool that takes an id refuses one that two cells have and lists both, and accepts the ids from that list. An index
// means the cell that was shown there.
func TestTwinsOfIDs(t *testing.T) {
	for name, c := range map[string]struct {
		tool  string
		args  func(id string) toolstest.Dict
		reads bool // the cell's content afterwards is not checked
		want  string
	}{
		"modify": {
			tool: "modify_nb_cells", want: "b = 3",
			args: func(id string) toolstest.Dict {
				return toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": id}, "content": "b = 3"}}}
			},
		},
		"edit": {
			tool: "edit_text", want: "b = 3",
			args: func(id string) toolstest.Dict {
				return toolstest.Dict{"cell_id": id, "old_text": "b = ", "new_text": "b = 3#"}
			},
		},
		"delete": {
			tool: "delete_nb_cells",
			args: func(id string) toolstest.Dict { return toolstest.Dict{"ranges": []toolstest.Dict{{"id": id}}} },
		},
		"run": {
			tool: "execute_nb_cells", reads: true,
			args: func(id string) toolstest.Dict { return toolstest.Dict{"ranges": []toolstest.Dict{{"id": id}}} },
		},
		"read": {
			tool: "read_nb_cells", reads: true,
			args: func(id string) toolstest.Dict { return toolstest.Dict{"ranges": []toolstest.Dict{{"id": id}}} },
		},
		"move": {
			tool: "move_nb_cells", reads: true,
			args: func(id string) toolstest.Dict {
				return toolstest.Dict{"ranges": []toolstest.Dict{{"id": id}}, "position": 0}
			},
		},
		"insert": {
			tool: "insert_nb_cells", reads: true,
			args: func(id string) toolstest.Dict {
				return toolstest.Dict{"after_id": id, "exec": false, "cells": []toolstest.Dict{{"type": "code", "content": "x"}}}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				r := toolstest.New(t)
				path := twinBook(t, r)
				cells := r.Read(path).Cells
				must.SliceLen(t, 5, cells)
				must.Eq(t, "bbbbbbbb", cells[1].ID)
				must.StrContains(t, cells[4].ID, "bbbbbbbb~")
				unchanged := r.Unchanged(path)
				r.Bad(c.tool, toolstest.With(c.args("bbbbbbbb"), "path", path), "2 cells of the notebook have the id", `index 1 is "bbbbbbbb~0" ("b = 1")`, `index 4 is "`+cells[4].ID+`" ("b = 2")`)
				unchanged()
				for _, one := range []struct {
					id     string
					source string
				}{{cells[4].ID, "b = 2"}, {"bbbbbbbb~0", "b = 1"}} {
					r.Good(c.tool, toolstest.With(c.args(one.id), "path", path), nil)
					if !c.reads {
						test.SliceNotContains(t, r.Sources(path), one.source)
					}
				}
			})
		})
	}
}

// An index means the cell that was shown there, even if cells with the same ids are inserted before it.
func TestTwinsByIndex(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := twinBook(t, r)
		r.Read(path)
		r.Good("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 3, "end": 5}}}, nil)
		test.Eq(t, []string{"a = 1", "b = 1", "c = 1"}, r.Sources(path))
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 1}, "content": "b = 3"}}}, nil)
		test.Eq(t, []string{"a = 1", "b = 3", "c = 1"}, r.Sources(path))
	})
}
