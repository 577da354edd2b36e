package tools_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// A byID is a call that names a cell by an id, and the notebook's sources after it, for the last cell of four, "d = 4"; ""
// if the call only runs the cell.
type byID struct {
	args func(id string) toolstest.Dict
	want string
	runs bool
}

// single returns the call with an argument that is an id.
func single(argument string, more toolstest.Dict) func(string) toolstest.Dict {
	return func(id string) toolstest.Dict { return toolstest.With(more, argument, id) }
}

// ranges returns the call with a range that is an id.
func ranges(more toolstest.Dict) func(string) toolstest.Dict {
	return func(id string) toolstest.Dict { return toolstest.With(more, "ranges", []toolstest.Dict{{"id": id}}) }
}

const noCellsChange = "a = 1 b = 2 c = 3 d = 4"

// byIDs are all arguments of all tools that are the id of a cell, by "tool.argument", in both forms for the tool that has
// two.
var byIDs = map[string]byID{
	"read_nb_cells.id":    {ranges(toolstest.Dict{}), noCellsChange, false},
	"execute_nb_cells.id": {ranges(toolstest.Dict{}), noCellsChange, true},
	"delete_nb_cells.id":  {ranges(toolstest.Dict{}), "a = 1 b = 2 c = 3", false},
	"move_nb_cells.id":    {ranges(toolstest.Dict{"position": 0}), "d = 4 a = 1 b = 2 c = 3", false},
	"modify_nb_cells.id": {func(id string) toolstest.Dict {
		return toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": id}, "content": "d = 40"}}}
	}, "a = 1 b = 2 c = 3 d = 40", false},
	"modify_nb_cells.after_id": {func(id string) toolstest.Dict {
		return toolstest.Dict{"modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "after_id": id}}}
	}, "b = 2 c = 3 d = 4 a = 1", false},
	"move_nb_cells.after_id":   {single("after_id", toolstest.Dict{"ranges": []toolstest.Dict{{"start": 0}}}), "b = 2 c = 3 d = 4 a = 1", false},
	"insert_nb_cells.after_id": {single("after_id", toolstest.Dict{"exec": false, "cells": []toolstest.Dict{{"content": "new"}}}), noCellsChange + " new", false},
	"edit_text.id": {func(id string) toolstest.Dict {
		return toolstest.Dict{"range": toolstest.Dict{"id": id}, "old_text": " = ", "new_text": " = 4"}
	}, "a = 1 b = 2 c = 3 d = 44", false},
	"edit_text.cell_id":                 {single("cell_id", toolstest.Dict{"old_text": " = ", "new_text": " = 4"}), "a = 1 b = 2 c = 3 d = 44", false},
	"read_cell.cell_id":                 {single("cell_id", toolstest.Dict{}), noCellsChange, false},
	"overwrite_cell_source.cell_id":     {single("cell_id", toolstest.Dict{"cell_source": "d = 40"}), "a = 1 b = 2 c = 3 d = 40", false},
	"edit_cell_source.cell_id":          {single("cell_id", toolstest.Dict{"old_string": " = ", "new_string": " = 4"}), "a = 1 b = 2 c = 3 d = 44", false},
	"delete_cell.cell_ids_to_delete":    {func(id string) toolstest.Dict { return toolstest.Dict{"cell_ids_to_delete": []string{id}} }, "a = 1 b = 2 c = 3", false},
	"move_cell.source_cell_id":          {single("source_cell_id", toolstest.Dict{"target_index": 0}), "d = 4 a = 1 b = 2 c = 3", false},
	"move_cell.target_cell_id":          {single("target_cell_id", toolstest.Dict{"source_index": 0}), "b = 2 c = 3 d = 4 a = 1", false},
	"clear_cell_output.cell_id":         {single("cell_id", toolstest.Dict{}), noCellsChange, false},
	"execute_cell.cell_id":              {single("cell_id", toolstest.Dict{}), noCellsChange, true},
	"execute_cell.cell_id in a session": {single("cell_id", toolstest.Dict{}), noCellsChange, true},
	"notebook_edit_cell.cell_id":        {single("cell_id", toolstest.Dict{"source": "d = 40"}), "a = 1 b = 2 c = 3 d = 40", false},
	"notebook_delete_cell.cell_id":      {single("cell_id", toolstest.Dict{}), "a = 1 b = 2 c = 3", false},
	"notebook_move_cell.cell_id":        {single("cell_id", toolstest.Dict{"position": 0}), "d = 4 a = 1 b = 2 c = 3", false},
}

// newByIDs makes a notebook in which two ids have a common prefix, and one id is a prefix of another; the client has read
// it.
func newByIDs(t *testing.T, name string) (p *positions, call func(args toolstest.Dict) (text string, failed bool)) {
	r := toolstest.New(t)
	p = &positions{Rig: r, path: r.Server.Write(t, r.Server.Name(t, ".ipynb"), toolstest.Book("first-0:a = 1", "cell-1:b = 2", "cell-10:c = 3", "other-9:d = 4"))}
	tool, _, _ := strings.Cut(name, ".")
	inSession := strings.HasSuffix(name, " in a session") || strings.HasPrefix(name, "notebook_")
	switch {
	case inSession:
		p.session = r.Create(toolstest.Dict{"notebook_path": p.path}).ID
	case !strings.Contains(tool, "_nb_") && tool != "edit_text":
		r.Call("use_notebook", toolstest.Dict{"notebook_name": "n", "notebook_path": p.path})
	}
	r.Read(p.path)
	return p, func(args toolstest.Dict) (string, bool) {
		t.Helper()
		switch {
		case tool == "edit_text":
			args = toolstest.With(args, "path", p.path)
		case inSession:
			args = toolstest.With(args, "session_id", p.session)
		}
		text, failed := p.call(tool, args)
		return strings.ReplaceAll(text, `\"`, `"`), failed // where it is in JSON
	}
}

// Every argument that is the id of a cell accepts a prefix that fits one cell, and otherwise lists the cells that it fits.
func TestCellIDsByTheirBeginning(t *testing.T) {
	for name, c := range byIDs {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p, call := newByIDs(t, name)
				text, failed := call(c.args("cell"))
				for _, want := range []string{"cell-1", "b = 2", "cell-10", "c = 3", "nothing was"} {
					test.True(t, failed, test.Sprint("an id of two cells"))
					test.StrContains(t, text, want, test.Sprint("an id of two cells"))
				}
				if all, ran := p.sources(); all != noCellsChange || ran != nil {
					t.Fatalf("an id of two cells: the cells are %s, and %q ran", all, ran)
				}
				text, failed = call(c.args("nope"))
				test.True(t, failed, test.Sprint("an unknown id"))
				test.StrContains(t, text, "nope", test.Sprint("an unknown id"))
				text, failed = call(c.args("oth"))
				must.False(t, failed)
				must.False(t, strings.Contains(text, "c = 3") && strings.HasPrefix(name, "read_"))
				all, ran := p.sources()
				if all != c.want {
					t.Errorf("the cells are %s, want %s", all, c.want)
				}
				test.Eq(t, slices.Equal(ran, []string{"d = 4"}), c.runs)
				test.False(t, !c.runs && ran != nil)
			})
		})
	}
}

// The id of a deleted cell never means another cell whose id begins with it.
func TestCellIDsOfDeletedCells(t *testing.T) {
	for name, c := range byIDs {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p, call := newByIDs(t, name)
				p.person(func(e *ydoc.Editor) error { return e.Delete("cell-1") })
				for _, try := range [][2]string{{"cell-1", `"cell-1" was deleted by someone else`}, {"cell", `"cell-1" was deleted`}} {
					text, failed := call(c.args(try[0]))
					test.True(t, failed)
					test.StrContains(t, text, try[1])
				}
				all, ran := p.sources()
				test.Eq(t, "a = 1 c = 3 d = 4", all)
				test.Nil(t, ran)
			})
		})
	}
}

// A repeated call deletes once, and an id from before the client read the notebook again keeps its meaning.
func TestCellIDsOfBefore(t *testing.T) {
	mine := toolstest.Dict{"ranges": []toolstest.Dict{{"id": "cell-1"}}}
	for name, gone := range map[string]func(p *positions){
		"deleted by the client": func(p *positions) {
			if text, failed := p.call("delete_nb_cells", mine); failed {
				p.T.Fatal(text)
			}
		},
		"deleted by a person, and read again": func(p *positions) {
			p.person(func(e *ydoc.Editor) error { return e.Delete("cell-1") })
			p.Read(p.path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p, call := newByIDs(t, "delete_nb_cells")
				gone(p)
				text, failed := call(mine)
				test.True(t, failed)
				test.StrContains(t, text, `"cell-1" was deleted`)
				if all, _ := p.sources(); all != "a = 1 c = 3 d = 4" {
					t.Errorf("the cells are %s", all)
				}
			})
		})
	}
}

// The table has every argument that is the id of a cell.
func TestAllCellIDsAreTested(t *testing.T) {
	is := regexp.MustCompile(`^id$|^after_id$|(^|_)cell_ids?(_|$)`)
	for _, d := range tools.Definitions() {
		var in any
		if err := json.Unmarshal(d.Input.Raw(), &in); err != nil {
			t.Fatal(err)
		}
		for _, argument := range argumentsIn(in) {
			if _, tested := byIDs[d.Name+"."+argument]; !tested && is.MatchString(argument) {
				t.Errorf("%s of %s is not tested", argument, d.Name)
			}
		}
	}
}

// argumentsIn returns the names of the properties in a schema.
func argumentsIn(schema any) (names []string) {
	switch s := schema.(type) {
	case toolstest.Dict:
		if properties, ok := s["properties"].(toolstest.Dict); ok {
			names = slices.Collect(maps.Keys(properties))
		}
		for _, v := range s {
			names = append(names, argumentsIn(v)...)
		}
	case []any:
		for _, v := range s {
			names = append(names, argumentsIn(v)...)
		}
	}
	return names
}
