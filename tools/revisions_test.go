package tools_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// revised are the tools that take a revision of a cell, each called for "c1" with a revision, and their effects.
var revised = map[string]struct {
	args func(revision string) toolstest.Dict
	does string
}{
	"modify_nb_cells": {func(rev string) toolstest.Dict {
		return toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c1"}, "content": revisedMine, "revision": rev}}}
	}, changes},
	"overwrite_cell_source": {single("revision", toolstest.Dict{"cell_id": "c1", "cell_source": revisedMine}), changes},
	"notebook_edit_cell":    {single("revision", toolstest.Dict{"cell_id": "c1", "source": revisedMine}), changes},
	"delete_nb_cells": {func(rev string) toolstest.Dict {
		return toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c1", "revision": rev}}}
	}, deletes},
	"notebook_delete_cell": {single("revision", toolstest.Dict{"cell_id": "c1"}), deletes},
	"delete_cell":          {single("revision", toolstest.Dict{"cell_ids_to_delete": []string{"c1"}}), deletes},
	"move_nb_cells": {func(rev string) toolstest.Dict {
		return toolstest.Dict{"position": 0, "ranges": []toolstest.Dict{{"id": "c1", "revision": rev}}}
	}, moves},
	"notebook_move_cell": {single("revision", toolstest.Dict{"cell_id": "c1", "position": 0}), moves},
	"move_cell":          {single("revision", toolstest.Dict{"source_cell_id": "c1", "target_index": 0}), moves},
}

const changes, deletes, moves = "changes", "deletes", "moves"

// Every tool that takes the revision of a cell is in the table. Tools that only read do not write from it, and
// restore_notebook goes back to it.
func TestAllRevisionsAreTested(t *testing.T) {
	for _, d := range tools.Definitions() {
		if d.Hints.ReadOnly {
			continue
		}
		var in any
		if err := json.Unmarshal(d.Input.Raw(), &in); err != nil {
			t.Fatal(err)
		}
		_, ofCells := revised[d.Name]
		_, ofTexts := textWriters[d.Name]
		if slices.Contains(argumentsIn(in), "revision") && !ofCells && !ofTexts && d.Name != "restore_notebook" {
			t.Errorf("the revision of %s is not tested", d.Name)
		}
	}
}

// The cell when it is read, and the client's change of its end.
const (
	revisedWas  = "b = 2\n# middle\nend = 2"
	revisedMine = "b = 2\n# middle\nend = 3"
)

// The revision of a notebook from an answer applies to each of its cells: it means the cell's content at that time, whatever
// the client has read since.
func TestRevisionOfTheNotebook(t *testing.T) {
	source := func(s string) func(e *ydoc.Editor) error {
		return func(e *ydoc.Editor) error { return e.SetSource("c1", s) }
	}
	for since, c := range map[string]struct {
		edit func(e *ydoc.Editor) error // a person's edit after the read
		want string                     // the content written then, "" for a refusal
		same bool                       // whether it may be deleted and moved
	}{
		"nothing":             {func(*ydoc.Editor) error { return nil }, revisedMine, true},
		"another cell":        {func(e *ydoc.Editor) error { return e.SetSource("c0", "a = 10") }, revisedMine, true},
		"another is deleted":  {func(e *ydoc.Editor) error { return e.Delete("c0") }, revisedMine, true},
		"its place":           {func(e *ydoc.Editor) error { return e.Move("c1", 2) }, revisedMine, true},
		"its outputs":         {func(e *ydoc.Editor) error { return e.AppendStream("c1", "stdout", "x") }, revisedMine, true},
		"elsewhere in it":     {source("b = 20\n# middle\nend = 2"), "b = 20\n# middle\nend = 3", false},
		"the same words":      {source("b = 2\n# middle\nend = 9"), "", false},
		"its place, and then": {func(e *ydoc.Editor) error { _ = e.Move("c1", 0); return e.SetSource("c1", "b = 2\n# middle\nend = 9") }, "", false},
	} {
		t.Run(since, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for name, tool := range revised {
					p := newRevised(r, name)
					revision := p.Read(p.path).Revision
					p.person(c.edit)
					p.Read(p.path) // without the revision, the change would be based on this
					want := p.cell("c1")
					switch {
					case tool.does == deletes && c.same:
						want = ""
					case tool.does == changes && c.want != "":
						want = c.want
					}
					refused := c.want == "" || tool.does != changes && !c.same
					text, failed := p.call(name, tool.args(revision))
					test.Eq(t, refused, failed, test.Sprint(name))
					test.False(t, failed && !strings.Contains(text, "nothing was changed"), test.Sprint(name))
					if now := p.cell("c1"); now != want {
						t.Errorf("%s: the cell is %q, want %q", name, now, want)
					}
					if _, cells := p.Room(p.path); tool.does == moves && c.want != "" && (cells[0].ID == "c1") != c.same {
						t.Errorf("%s: the first cell is %s", name, cells[0].ID)
					}
				}
			})
		})
	}
}

// newRevised makes a notebook with the cell for these calls.
func newRevised(r *toolstest.Rig, tool string) *positions {
	p := &positions{Rig: r, path: r.Server.Notebook(r.T, "a = 1", revisedWas, "c = 3")}
	p.opens(tool)
	return p
}

// cell returns the source of a cell, or "".
func (p *positions) cell(id string) string {
	_, cells := p.Room(p.path)
	for _, c := range cells {
		if c.ID == id {
			return c.Source
		}
	}
	return ""
}

// A revision of another process, or from before the cell existed, cannot be the base of a change.
func TestRevisionThatIsNotKnown(t *testing.T) {
	for name, tool := range revised {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := newRevised(toolstest.New(t), name)
				before := p.Read(p.path).Revision
				p.person(func(e *ydoc.Editor) error { return e.Delete("c1") })
				p.person(func(e *ydoc.Editor) error {
					_, err := e.Insert(1, ydoc.NewCell{ID: "c1", Type: ydoc.Code, Source: "another"})
					return err
				})
				now := p.Read(p.path).Revision
				for _, rev := range []string{before, toolstest.ForeignRevision(now)} {
					text, failed := p.call(name, tool.args(rev))
					test.True(t, failed, test.Sprint(rev))
					test.StrContains(t, text, "nothing was changed", test.Sprint(rev))
				}
				if all, _ := p.sources(); all != "a = 1 another c = 3" {
					t.Errorf("the cells are %q", all)
				}
			})
		})
	}
}

// Reads with Datalayer's names return a revision, with which a cell can be deleted if it has not changed since.
func TestRevisionsOfDatalayersReadings(t *testing.T) {
	for read, args := range map[string]toolstest.Dict{
		"read_notebook": {"response_format": "detailed"},
		"read_cell":     {"cell_id": "c1"},
		"read_cells":    {},
	} {
		t.Run(read, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := newRevised(toolstest.New(t), "delete_cell")
				if read == "read_notebook" {
					args = toolstest.With(args, "notebook_name", p.path)
				}
				said := regexp.MustCompile(`\[revision "(\w+)"\]`)
				reads := func() string { return said.FindStringSubmatch(fmt.Sprint(p.Call(read, args).Content))[1] }
				revision := reads()
				p.person(func(e *ydoc.Editor) error { return e.SetSource("c1", revisedWas+" typed") })
				deletes := func() (string, bool) {
					return p.call("delete_cell", toolstest.Dict{"cell_ids_to_delete": []string{"c1"}, "revision": revision})
				}
				text, failed := deletes()
				test.True(t, failed, test.Sprint("after it was typed into"))
				test.StrContains(t, text, "+end = 2 typed", test.Sprint("after it was typed into"))
				revision = reads()
				text, failed = deletes()
				test.False(t, failed, test.Sprint("read again", text))
				test.Eq(t, "", p.cell("c1"), test.Sprint("read again", text))
			})
		})
	}
}
