package notebook_test

import (
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// lockedBook has a cell that may be changed, one that must not be deleted, and one that must be neither changed nor deleted.
const lockedBook = `{"nbformat":4,"nbformat_minor":5,"metadata":{"kernelspec":{"name":"python3","display_name":"P"}},"cells":[
	{"id":"open","cell_type":"code","source":"a = 1","metadata":{},"outputs":[],"execution_count":null},
	{"id":"kept","cell_type":"code","source":"b = 1","metadata":{"deletable":false},"outputs":[],"execution_count":null},
	{"id":"locked","cell_type":"code","source":"print(3)","metadata":{"deletable":false,"editable":false},"outputs":[],"execution_count":null}]}`

// Tools do not change a locked cell, with or without force; it can be run.
func TestLockedCells(t *testing.T) {
	change := func(id, content string) toolstest.Dict {
		return toolstest.Dict{"exec": false, "force": true, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": id}, "content": content}}}
	}
	remove := func(id string) toolstest.Dict {
		return toolstest.Dict{"force": true, "ranges": []toolstest.Dict{{"id": id}}}
	}
	for name, c := range map[string]struct {
		tool string
		args toolstest.Dict
		says string // "" if it succeeds
	}{
		"change":               {"modify_nb_cells", change("locked", "print(4)"), `"editable": false`},
		"change nothing":       {"modify_nb_cells", change("locked", "print(3)"), ""},
		"change an open one":   {"modify_nb_cells", change("open", "a = 2"), ""},
		"change a kept one":    {"modify_nb_cells", change("kept", "b = 2"), ""},
		"change words":         {"edit_text", toolstest.Dict{"old_text": "print", "new_text": "p", "force": true}, `"editable": false`},
		"delete":               {"delete_nb_cells", remove("locked"), `"deletable": false`},
		"delete a kept one":    {"delete_nb_cells", remove("kept"), `"deletable": false`},
		"delete an open one":   {"delete_nb_cells", remove("open"), ""},
		"delete all":           {"delete_nb_cells", toolstest.Dict{"force": true, "ranges": []toolstest.Dict{{"start": 0, "end": 3}}}, `"deletable": false`},
		"overwrite":            {"overwrite_document", toolstest.Dict{"force": true, "content": toolstest.Book("open:x")}, "locked"},
		"overwrite the change": {"overwrite_document", toolstest.Dict{"force": true, "content": toolstest.Book("open:x", "kept:b = 1", "locked:print(4)")}, "locked"},
		"move":                 {"move_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"id": "locked"}}, "position": 0}, ""},
		"run":                  {"execute_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"id": "locked"}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				r := toolstest.New(t)
				path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), lockedBook)
				r.Read(path)
				args := toolstest.With(c.args, "path", path)
				if c.says == "" {
					r.Good(c.tool, args, nil)
					return
				}
				unchanged := r.Unchanged(path)
				r.Bad(c.tool, args, c.says, "is locked", "nothing was changed", "ask the user")
				unchanged()
			})
		})
	}
	t.Run("outputs", func(t *testing.T) {
		jupytertest.Test(t, func(t *testing.T) {
			r := toolstest.New(t)
			path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), lockedBook)
			r.Read(path)
			r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"id": "locked"}}}, nil)
			test.StrContains(t, r.OutputText(path, 2), "3")
		})
	})
}
