package tools_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// named are the arguments of tools that name a cell or a place by its index, by "tool.argument", each in a call for the
// second cell of four, "b = 2", and the notebook's sources after it, if a person has inserted a cell above since they were
// read.
var named = map[string]struct {
	args toolstest.Dict
	want string // the sources after; "" for unchanged sources, with only b run
	adds bool   // it names a place, not a cell
}{
	"modify_nb_cells.start":                  {toolstest.Dict{"modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 1}, "content": "b = 20"}}, "exec": false}, "unread a b = 20 c d", false},
	"modify_nb_cells.end":                    {toolstest.Dict{"modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 1, "end": 2}, "content": "b = 20"}}, "exec": false}, "unread a b = 20 c d", false},
	"modify_nb_cells.position":               {toolstest.Dict{"modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c3"}, "position": 1}}}, "unread a d b c", true},
	"delete_nb_cells.start":                  {toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1}}}, "unread a c d", false},
	"delete_nb_cells.end":                    {toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1, "end": 3}}}, "unread a d", false},
	"execute_nb_cells.start":                 {toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1}}}, "", false},
	"execute_nb_cells.end":                   {toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1, "end": 2}}}, "", false},
	"move_nb_cells.start":                    {toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1}}, "position": 4}, "unread a c d b", false},
	"move_nb_cells.end":                      {toolstest.Dict{"ranges": []toolstest.Dict{{"start": 0, "end": 2}}, "position": 3}, "unread c a b d", false},
	"move_nb_cells.position":                 {toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c3"}}, "position": 1}, "unread a d b c", true},
	"insert_nb_cells.position":               {toolstest.Dict{"position": 1, "exec": false, "cells": []toolstest.Dict{{"content": "new"}}}, "unread a new b c d", true},
	"overwrite_cell_source.cell_index":       {toolstest.Dict{"cell_index": 1, "cell_source": "b = 20"}, "unread a b = 20 c d", false},
	"edit_cell_source.cell_index":            {toolstest.Dict{"cell_index": 1, "old_string": "2", "new_string": "20"}, "unread a b = 20 c d", false},
	"delete_cell.cell_indices":               {toolstest.Dict{"cell_indices": []int{1}}, "unread a c d", false},
	"delete_cell.cell_index":                 {toolstest.Dict{"cell_index": 1}, "unread a c d", false},
	"move_cell.source_index":                 {toolstest.Dict{"source_index": 1, "target_cell_id": "c3"}, "unread a c d b", false},
	"move_cell.target_index":                 {toolstest.Dict{"source_cell_id": "c3", "target_index": 1}, "unread a d b c", false},
	"insert_cell.cell_index":                 {toolstest.Dict{"cell_index": 1, "cell_type": "code", "cell_source": "new"}, "unread a new b c d", true},
	"insert_execute_code_cell.cell_index":    {toolstest.Dict{"cell_index": 1, "cell_source": "new = 1"}, "unread a new = 1 b c d", true},
	"execute_cell.cell_index":                {toolstest.Dict{"cell_index": 1}, "", false},
	"execute_cell_with_progress.cell_index":  {toolstest.Dict{"cell_index": 1}, "", false},
	"execute_cell_streaming.cell_index":      {toolstest.Dict{"cell_index": 1}, "", false},
	"execute_cell_simple_timeout.cell_index": {toolstest.Dict{"cell_index": 1}, "", false},
	"clear_cell_output.cell_index":           {toolstest.Dict{"cell_index": 1}, "unread a b c d", false},
	"notebook_edit_cell.cell_index":          {toolstest.Dict{"cell_index": 1, "source": "b = 20"}, "unread a b = 20 c d", false},
	"notebook_delete_cell.cell_index":        {toolstest.Dict{"cell_index": 1}, "unread a c d", false},
	"notebook_move_cell.cell_index":          {toolstest.Dict{"cell_index": 1, "position": 3}, "unread a c d b", false},
	"notebook_move_cell.position":            {toolstest.Dict{"cell_id": "c3", "position": 1}, "unread a d b c", false},
	"notebook_add_cell.position":             {toolstest.Dict{"position": 1, "cell_type": "code", "source": "new"}, "unread a new b c d", true},
}

// The tables have every argument by which a tool that writes or runs something names a place: by the index of a cell, or by
// a position in a text.
func TestAllPositionsAreTested(t *testing.T) {
	is := regexp.MustCompile(`^start$|^end$|^position$|^length$|(^|_)ind(ex|exes|ices)$`)
	for _, d := range tools.Definitions() {
		if d.Hints.ReadOnly {
			continue // an index refers to the current notebook
		}
		var in any
		if err := json.Unmarshal(d.Input.Raw(), &in); err != nil {
			t.Fatal(err)
		}
		for _, argument := range argumentsIn(in) {
			if !is.MatchString(argument) {
				continue
			}
			_, ofCell := named[d.Name+"."+argument]
			_, ofText := textWriters[d.Name]
			if !ofCell && !ofText {
				t.Errorf("%s of %s is not tested", argument, d.Name)
			}
		}
	}
}

// positions is a notebook that a client has read, and a person changes.
type positions struct {
	*toolstest.Rig
	path, session string
}

func newPositions(t *testing.T, tool string) *positions {
	r := toolstest.New(t)
	p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1", "b = 2", "c = 3", "d = 4")}
	switch { // real kernels take time
	case strings.HasPrefix(tool, "notebook_"):
		p.session = r.Create(toolstest.Dict{"notebook_path": p.path}).ID
	case !strings.Contains(tool, "_nb_"):
		r.Call("use_notebook", toolstest.Dict{"notebook_name": "n", "notebook_path": p.path})
	}
	r.Read(p.path)
	return p
}

// person makes a person edit the notebook.
func (p *positions) person(edit func(e *ydoc.Editor) error) {
	p.T.Helper()
	doc, err := p.Work.Open(p.T.Context(), jupyter.MustPath(p.path))
	if err != nil {
		p.T.Fatal(err)
	}
	defer doc.Release()
	if err := doc.Edit(p.T.Context(), "type", edit); err != nil {
		p.T.Fatal(err)
	}
}

// call calls a tool as the client.
func (p *positions) call(name string, args toolstest.Dict) (text string, failed bool) {
	p.T.Helper()
	with := toolstest.Dict{}
	for k, v := range args {
		with[k] = v
	}
	switch {
	case strings.HasPrefix(name, "notebook_"):
		with["session_id"], with["notebook_name"] = p.session, p.path
	case strings.Contains(name, "_nb_"), strings.HasSuffix(name, "_document"):
		with["path"] = p.path
	}
	res := p.Call(name, with)
	return toolstest.MessageOf(res), res.IsError
}

// sources returns the sources of the notebook, without their common parts.
func (p *positions) sources() (all string, ran []string) {
	p.T.Helper()
	doc, err := p.Work.Open(p.T.Context(), jupyter.MustPath(p.path))
	if err != nil {
		p.T.Fatal(err)
	}
	defer doc.Release()
	var list []string
	for _, c := range doc.Notebook().Cells() {
		if c.ExecutionCount != nil {
			ran = append(ran, c.Source)
		}
		list = append(list, c.Source)
	}
	return strings.Join(list, " "), ran
}

// plain abbreviates the sources for the table.
var plain = strings.NewReplacer("a = 1", "a", "b = 20", "b = 20", "b = 2", "b", "c = 3", "c", "d = 4", "d", "unread = True", "unread")

// An index means the cell that was there when the client was last shown the notebook: a cell that a person has inserted
// above since, and that the client has not read, is not touched.
func TestIndexesMeanWhatWasShown(t *testing.T) {
	for name, c := range named {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				tool, _, _ := strings.Cut(name, ".")
				p := newPositions(t, tool)
				p.person(putsAbove)
				text, failed := p.call(tool, c.args)
				if failed {
					t.Fatal(text)
				}
				want := c.want
				if want == "" {
					want = "unread a b c d"
				}
				all, ran := p.sources()
				if got := plain.Replace(all); got != want {
					t.Errorf("the cells are %s, want %s", got, want)
				}
				if c.want == "" && !slices.Equal(ran, []string{"b = 2"}) {
					t.Errorf("ran %q", ran)
				}
			})
		})
	}
}

// The cell in the place of a shown, now deleted cell is not mistaken for it: nothing is changed, and the answer names the
// cells around it.
func TestIndexOfADeletedCell(t *testing.T) {
	for name, c := range named {
		if c.adds {
			continue
		}
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				tool, _, _ := strings.Cut(name, ".")
				p := newPositions(t, tool)
				p.person(func(e *ydoc.Editor) error {
					id, _ := e.IDAt(1)
					return e.Delete(id)
				})
				text, failed := p.call(tool, c.args)
				test.True(t, failed)
				test.StrContains(t, text, "deleted by someone else")
				test.StrContains(t, text, "c = 3")
				all, ran := p.sources()
				test.Eq(t, "a c d", plain.Replace(all))
				test.Nil(t, ran)
			})
		})
	}
}

// listing are answers that show places, each of a notebook above which a person has deleted a cell since it was read.
var listing = map[string]struct {
	args   toolstest.Dict
	behind string // the cell behind d then
	ran    bool   // whether c has run
}{
	"read_nb_cells":    {toolstest.Dict{"ranges": []toolstest.Dict{{"start": 2, "end": 3}}}, " e", false},
	"insert_nb_cells":  {toolstest.Dict{"after_id": "c4", "exec": false, "cells": []toolstest.Dict{{"content": "f"}}}, " e f", false},
	"delete_nb_cells":  {toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c4"}}}, "", false},
	"execute_nb_cells": {toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c2"}}}, " e", true},
	"changes_since":    {toolstest.Dict{}, " e", false},
}

// An index means the notebook as of the last answer, even for a cell that this answer did not show.
func TestIndexesMeanTheLastAnswer(t *testing.T) {
	for by, l := range listing {
		t.Run(by, func(t *testing.T) {
			if !jupytertest.Real() { // on a real server Beside does
				t.Parallel()
			}
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t) // one for all cases, because it takes longer than a case
				for _, name := range slices.Sorted(maps.Keys(named)) {
					c := named[name]
					tool, _, _ := strings.Cut(name, ".")
					p := &positions{Rig: r, path: r.Server.Write(t, r.Server.Name(t, ".ipynb"), toolstest.Book("z:z = 0", "c0:a = 1", "c1:b = 2", "c2:c = 3", "c3:d = 4", "c4:e"))}
					p.opens(tool)
					read := r.Read(p.path)
					p.person(func(e *ydoc.Editor) error { return e.Delete("z") })
					args := toolstest.Dict{"path": p.path}
					if by == "changes_since" {
						args["revision"] = read.Revision
					}
					maps.Copy(args, l.args)
					res := p.Call(by, args)
					if text := toolstest.MessageOf(res); res.IsError || strings.Count(text, "moved since: ") != 1 || !strings.Contains(text, " = 4 is 3") {
						t.Errorf("%s: %s answered %s", name, by, text)
						continue
					}
					p.person(putsAbove)
					if text, failed := p.call(tool, c.args); failed {
						t.Errorf("%s: answered %s", name, text)
						continue
					}
					want := c.want
					if want == "" {
						want = "unread a b c d"
					}
					all, ran := p.sources()
					if got := plain.Replace(all); got != want+l.behind {
						t.Errorf("%s: the cells are %s, want %s", name, got, want+l.behind)
					}
					if c.want == "" && (!slices.Contains(ran, "b = 2") || slices.Contains(ran, "a = 1") || slices.Contains(ran, "c = 3") != l.ran) {
						t.Errorf("%s: ran %q", name, ran)
					}
				}
			})
		})
	}
}

// putsAbove inserts a cell that the client has not read above all others.
func putsAbove(e *ydoc.Editor) error {
	_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "unread = True"})
	return err
}

// The answer says once where others have moved cells, for cells that it does not show.
func TestMovedSince(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		p := newPositions(t, "read_nb_cells")
		p.person(putsAbove)
		part := toolstest.Dict{"path": p.path, "ranges": []toolstest.Dict{{"start": 0, "end": 2}}}
		if text := toolstest.MessageOf(p.Call("read_nb_cells", part)); !strings.Contains(text, "moved since: b = 2 is 2 now, c = 3 is 3, d = 4 is 4") {
			t.Errorf("answered %s", text)
		}
		mine := toolstest.Dict{"path": p.path, "position": 0, "exec": false, "cells": []toolstest.Dict{{"content": "mine"}}}
		for tool, args := range map[string]toolstest.Dict{"read_nb_cells": part, "insert_nb_cells": mine} {
			if text := toolstest.MessageOf(p.Call(tool, args)); strings.Contains(text, "moved since") {
				t.Errorf("%s answered %s", tool, text)
			}
		}
	})
}

// A call by an index that the client was never shown is refused however often it is made; one by another index is not.
func TestIndexNeverShown(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		p := &positions{Rig: r, path: r.Server.Notebook(t, "", "b", "c")}
		remove := func(index int) (string, bool) {
			return p.call("delete_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"start": index}}})
		}
		for _, says := range []string{"you were shown none", "refused again", "refused again"} {
			text, failed := remove(0)
			test.True(t, failed)
			test.StrContains(t, text, says)
			test.StrNotContains(t, text, "repeat the call")
		}
		p.call("read_nb_cells", toolstest.Dict{})
		if text, failed := remove(0); failed {
			t.Errorf("after reading: %s", text)
		}
	})
}

// The client's own edits, and cells that it is shown since, move its indexes.
func TestOwnEditsMoveIndexes(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		p := newPositions(t, "modify_nb_cells")
		modify := func(index int, source string) {
			t.Helper()
			if text, failed := p.call("modify_nb_cells", toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": index}, "content": source}}}); failed {
				t.Fatal(text)
			}
		}
		p.person(putsAbove)
		p.call("insert_nb_cells", toolstest.Dict{"position": 0, "exec": false, "cells": []toolstest.Dict{{"content": "mine"}}})
		modify(3, "b = 20") // mine, unread, a, b
		p.call("delete_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"start": 2}}})
		modify(0, "mine, changed")
		modify(3, "c = 30") // mine, unread, b, c
		if all, _ := p.sources(); all != "mine, changed unread = True b = 20 c = 30 d = 4" {
			t.Errorf("the cells are %s", all)
		}
		p.Read(p.path)
		modify(1, "read = True")
		if all, _ := p.sources(); all != "mine, changed read = True b = 20 c = 30 d = 4" {
			t.Errorf("after reading again: %s", all)
		}
	})
}
