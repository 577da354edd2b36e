package tools_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// A client that repeats a completed call, because it did not receive the answer, undoes nothing that a person has typed
// between the two.
func TestRepeatedAfterATimeout(t *testing.T) {
	type cells = []toolstest.Dict
	mine := strings.Replace(fourLines, "= 3", "= mine", 1)
	typed := strings.Replace(mine, "= 1", "= 1 # typed", 1)
	for name, c := range map[string]struct {
		tool   string
		args   func(p *positions) toolstest.Dict
		does   string // the sources after the first call
		typed  string // after a person has typed
		then   string // after the second one; "" for the same
		failed bool
	}{
		"a whole source":           {"modify_nb_cells", func(*positions) toolstest.Dict { return source(mine) }, "a = 1 " + mine + " c = 3", "a = 1 " + typed + " c = 3", "", false},
		"a whole source, by force": {"modify_nb_cells", func(*positions) toolstest.Dict { return toolstest.With(source(mine), "force", true) }, "a = 1 " + mine + " c = 3", "a = 1 " + typed + " c = 3", "", false},
		"a source with a revision": {"modify_nb_cells", func(p *positions) toolstest.Dict { return withRevision(source(mine), p.Read(p.path).Cells[1].Revision) }, "a = 1 " + mine + " c = 3", "a = 1 " + typed + " c = 3", "", false},
		"words": {"edit_text", func(p *positions) toolstest.Dict {
			return toolstest.Dict{"path": p.path, "cell_id": "c1", "old_text": "three = 3", "new_text": "three = mine"}
		}, "a = 1 " + mine + " c = 3", "a = 1 " + typed + " c = 3", "", true},
		"words that are left": {
			"edit_text", func(p *positions) toolstest.Dict {
				return toolstest.Dict{"path": p.path, "cell_id": "c1", "old_text": "three", "new_text": "three + x"}
			}, "a = 1 " + strings.Replace(fourLines, "three", "three + x", 1) + " c = 3", "a = 1 " + strings.Replace(strings.Replace(fourLines, "three", "three + x", 1), "= 1", "= 1 # typed", 1) + " c = 3",
			"a = 1 " + strings.Replace(strings.Replace(fourLines, "three", "three + x + x", 1), "= 1", "= 1 # typed", 1) + " c = 3", false,
		},
		"an insertion": {"insert_nb_cells", func(*positions) toolstest.Dict {
			return toolstest.Dict{"exec": false, "position": 2, "cells": cells{{"content": "new"}}}
		}, "a = 1 " + fourLines + " new c = 3", "a = 1 " + strings.Replace(fourLines, "= 1", "= 1 # typed", 1) + " new c = 3", "a = 1 " + strings.Replace(fourLines, "= 1", "= 1 # typed", 1) + " new" + " new c = 3", false},
		"a deletion by id":            {"delete_nb_cells", func(*positions) toolstest.Dict { return toolstest.Dict{"ranges": cells{{"id": "c0"}}} }, fourLines + " c = 3", strings.Replace(fourLines, "= 1", "= 1 # typed", 1) + " c = 3", "", true},
		"a deletion by index":         {"delete_nb_cells", func(*positions) toolstest.Dict { return toolstest.Dict{"ranges": cells{{"start": 0}}} }, fourLines + " c = 3", strings.Replace(fourLines, "= 1", "= 1 # typed", 1) + " c = 3", "", true},
		"a deletion of several cells": {"delete_nb_cells", func(*positions) toolstest.Dict { return toolstest.Dict{"ranges": cells{{"id": "c0"}, {"id": "c2"}}} }, fourLines, strings.Replace(fourLines, "= 1", "= 1 # typed", 1), "", true},
		"a whole notebook": {"overwrite_document", func(*positions) toolstest.Dict {
			return toolstest.Dict{"content": toolstest.Book("c0:a = 1", "c1:"+mine, "c2:c = 3")}
		}, "a = 1 " + mine + " c = 3", "a = 1 " + typed + " c = 3", "", false},
		"a notebook with a new cell": {"overwrite_document", func(*positions) toolstest.Dict {
			return toolstest.Dict{"content": toolstest.Book("c0:a = 1", "new:new", "c1:"+mine)}
		}, "a = 1 new " + mine, "a = 1 new " + typed, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := newFourLines(toolstest.New(t))
				args := c.args(p)
				is := func(want, when string) {
					t.Helper()
					if all, _ := p.sources(); all != want {
						t.Errorf("%s the cells are %q, want %q", when, all, want)
					}
				}
				if text, failed := p.call(c.tool, args); failed {
					t.Fatal(text)
				}
				is(c.does, "after the first call")
				p.puts("= 1", "= 1 # typed")
				is(c.typed, "after the typing")
				if c.then == "" {
					c.then = c.typed
				}
				text, failed := p.call(c.tool, args)
				if failed != c.failed {
					t.Errorf("the second call: %s", text)
				}
				is(c.then, "after the second call")
				if !failed && c.then == c.typed {
					p.puts("# typed", "# typed on")
					p.call(c.tool, args)
					is(strings.Replace(c.typed, "# typed", "# typed on", 1), "after the third call")
				}
			})
		})
	}
}

// A repeated call does not undo a person's change of the words that it changed, nor remove a cell that they have added.
func TestRepeatedOverAnotherChange(t *testing.T) {
	mine := strings.Replace(fourLines, "= 3", "= mine", 1)
	book := toolstest.Dict{"content": toolstest.Book("c0:a = 1", "c1:"+mine, "c2:c = 3")}
	for name, c := range map[string]struct {
		tool string
		args toolstest.Dict
	}{
		"modify_nb_cells":          {"modify_nb_cells", source(mine)},
		"modify_nb_cells by force": {"modify_nb_cells", toolstest.With(source(mine), "force", true)},
		"overwrite_document":       {"overwrite_document", book},
		"edit_text":                {"edit_text", toolstest.Dict{"cell_id": "c1", "old_text": "= 3", "new_text": "= mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := newFourLines(toolstest.New(t))
				args := toolstest.With(c.args, "path", p.path)
				if text, failed := p.call(c.tool, args); failed {
					t.Fatal(text)
				}
				p.puts("= mine", "= theirs")
				p.person(func(e *ydoc.Editor) error {
					_, err := e.Insert(1, ydoc.NewCell{ID: "theirs", Type: ydoc.Code, Source: "added"})
					return err
				})
				text, failed := p.call(c.tool, args)
				if all, _ := p.sources(); all != "a = 1 added "+strings.Replace(fourLines, "= 3", "= theirs", 1)+" c = 3" {
					t.Errorf("answered %s; the cells are %q", text, all)
				}
				if (c.tool == "edit_text" || c.tool == "overwrite_document") && !failed {
					t.Errorf("answered %s", text)
				}
			})
		})
	}
}
