package tools_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/target"
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

// newUnread makes a notebook that a client has opened, knowing its first lines at most.
func newUnread(t *testing.T, tool string) *positions {
	r := toolstest.New(t)
	p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b", "c = 3\n# c")}
	p.opens(tool)
	return p
}

// opens makes the preparing calls of a client before it calls a tool, without reading.
func (p *positions) opens(tool string) {
	p.T.Helper()
	switch {
	case strings.HasPrefix(tool, "notebook_"):
		p.session = p.Create(toolstest.Dict{"notebook_path": p.path}).ID
	case strings.Contains(tool, "_cell") && !strings.Contains(tool, "_nb_"):
		p.Call("use_notebook", toolstest.Dict{"notebook_name": p.path, "notebook_path": p.path})
	}
}

// A client cannot destroy text that it has not read: neither a cell that it was never shown, by index or by id, nor text
// typed since it read the cell. The refusal shows the cell and its revision, with which the call succeeds; the same call
// again is refused again, in one line.
func TestUnreadIsNotDestroyed(t *testing.T) {
	for name, c := range destroying {
		for way, args := range map[string]toolstest.Dict{"by index": c.byIndex, "by id": c.byID} {
			if args == nil {
				continue
			}
			t.Run(name+"/"+way, func(t *testing.T) {
				jupytertest.Beside(t, func(t *testing.T) {
					p := newUnread(t, name)
					says := []string{"nothing was changed", "never shown to you", "| # b"}
					// Datalayer's own read returns an overview.
					if way == "by index" && !strings.Contains(name, "_cell_source") && name != "delete_cell" {
						says = []string{"you were shown none of this notebook", "a = 1", "c = 3", "nothing was done", "| # b"}
					}
					p.refuses(name, args, says...)
					if all, _ := p.sources(); all != "a = 1\n# a b = 2\n# b c = 3\n# c" {
						t.Fatalf("the cells are %q", all)
					}
					if says[0] != "nothing was changed" { // the index does not mean the cell that the refusal showed
						p.refuses(name, args, "refused again")
						args = c.byID
					}
					p.refusedAgain(name, args, "# b")
				})
			})
		}
		t.Run(name+"/typed since", func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := newUnread(t, name)
				p.Read(p.path)
				p.person(func(e *ydoc.Editor) error { return e.SetSource("c1", "b = 2\n# b, and typed") })
				if !c.deletes {
					p.call(name, c.byID)
					if all, _ := p.sources(); !strings.Contains(all, "typed") {
						t.Errorf("what was typed is gone: %q", all)
					}
					return
				}
				p.refuses(name, c.byID, "nothing was changed", "+# b, and typed", "| # b, and typed")
				p.person(func(e *ydoc.Editor) error { return e.SetSource("c1", "b = 2\n# b, and typed more") })
				p.refuses(name, c.byID, "+# b, and typed more")
				p.refusedAgain(name, c.byID, "typed")
			})
		})
		t.Run(name+"/by force", func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := newUnread(t, name)
				text, failed := p.call(name, toolstest.With(c.byID, "force", true))
				all, _ := p.sources()
				test.False(t, failed, test.Sprint(text))
				test.StrNotContains(t, all, "# b", test.Sprint(text))
			})
		})
		t.Run(name+"/a long cell", func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := newUnread(t, name)
				p.person(func(e *ydoc.Editor) error { return e.SetSource("c1", strings.Repeat("# b\n", 2000)) })
				for range 2 {
					p.refuses(name, c.byID, "never shown to you", "Read it, then give its revision; or force true")
				}
			})
		})
	}
}

// refusedAgain repeats a refused call twice, which must keep a text, and then with the revision of the refusal.
func (p *positions) refusedAgain(name string, args toolstest.Dict, kept string) {
	p.T.Helper()
	for range 2 {
		p.refuses(name, args, "nothing was changed", "just refused")
	}
	text, _ := p.call(name, args)
	if all, _ := p.sources(); !strings.Contains(all, kept) {
		p.T.Fatalf("%s: refused, and the cells are %q", name, all)
	}
	last := saidRevision.FindAllStringSubmatch(text, -1)
	if text, failed := p.call(name, withRevision(args, last[len(last)-1][1])); failed {
		p.T.Errorf("with the revision of the refusal: %s", text)
	}
	if all, _ := p.sources(); strings.Contains(all, kept) {
		p.T.Errorf("with the revision of the refusal: the cells are %q", all)
	}
}

// saidRevision matches a revision in a refusal.
var saidRevision = regexp.MustCompile(`revision(?: is)? "(\w+)"`)

// refuses checks that a tool refuses a call, and the text of the refusal.
func (p *positions) refuses(name string, args toolstest.Dict, says ...string) {
	p.T.Helper()
	text, failed := p.call(name, args)
	for _, s := range says {
		test.True(p.T, failed)
		test.StrContains(p.T, text, s)
	}
}

// A cell that a person changed between two reads needs the revision of the second read, or of the refusal.
func TestReadTwiceNeedsTheRevision(t *testing.T) {
	for name, c := range destroying {
		if name == "overwrite_document" {
			continue // like the tools that it consists of
		}
		for _, named := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/with its revision: %v", name, named), func(t *testing.T) {
				jupytertest.Beside(t, func(t *testing.T) {
					p := newUnread(t, name)
					p.Read(p.path)
					p.person(func(e *ydoc.Editor) error { return e.SetSource("c1", "b = 2 # typed\n# b") })
					revision := p.Read(p.path).Cells[1].Revision
					if named {
						if text, failed := p.call(name, withRevision(c.byID, revision)); failed {
							t.Error(text)
						}
					} else {
						p.refuses(name, c.byID, "changed by someone else", "+b = 2 # typed", "| b = 2 # typed", revision)
						p.refusedAgain(name, c.byID, "typed")
					}
					if all, _ := p.sources(); strings.Contains(all, "typed") {
						t.Errorf("the cells are %q", all)
					}
				})
			})
		}
	}
}

// withRevision returns a call by id with the revision of the cell.
func withRevision(args toolstest.Dict, revision string) toolstest.Dict {
	for _, list := range []string{"modifications", "ranges"} {
		if of, ok := args[list].([]toolstest.Dict); ok {
			return toolstest.With(args, list, []toolstest.Dict{toolstest.With(of[0], "revision", revision)})
		}
	}
	return toolstest.With(args, "revision", revision)
}

// A read by one agent of a client does not count for another agent, which writes from its own read; each may name the
// revision that it has read.
func TestAgentsOfOneClient(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
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
		test.True(t, failed, test.Sprint("what a person typed is taken back"))
		test.StrContains(t, text, "b = 2 * n", test.Sprint("what a person typed is taken back"))
		test.StrContains(t, text, second, test.Sprint("what a person typed is taken back"))
		if all, _ := p.sources(); !strings.Contains(all, "b = 2 * n") {
			t.Errorf("the cells are %s", all)
		}
		if text, failed := change("b = 3 * n", second); failed {
			t.Error(text)
		}
	})
}

// Reading a notebook as a resource counts as reading it.
func TestResourcesAreReadings(t *testing.T) {
	for _, form := range []string{"cells", "json", "srcmd"} {
		t.Run(form, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := newUnread(t, "delete_nb_cells")
				s := p.Create(toolstest.Dict{"notebook_path": p.path})
				doc, err := p.Work.Open(t.Context(), jupyter.MustPath(p.path))
				if err != nil {
					t.Fatal(err)
				}
				defer doc.Release()
				if _, err := p.ReadURI(p.Client, target.NotebookAddress(s.ID, doc.FileID(), form)); err != nil {
					t.Fatal(err)
				}
				if text, failed := p.call("delete_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1}}}); failed {
					t.Error(text)
				}
			})
		})
	}
}

// If a client sends an old revision with a text that it made from a later one, shown by a refusal for example, text typed by
// others is not duplicated.
func TestOldRevisionWithALaterText(t *testing.T) {
	t.Run("a cell", func(t *testing.T) {
		jupytertest.Beside(t, func(t *testing.T) {
			p := newFourLines(toolstest.New(t))
			old := p.Read(p.path).Cells[1].Revision
			p.puts("two = 2", "two = 22 # typed\n# and a line")
			typed := p.cell("c1")
			if text, failed := p.changes(strings.Replace(fourLines, "two = 2", "two = 3", 1)); !failed {
				t.Errorf("not refused: %s", text)
			}
			made := strings.Replace(typed, "three = 3", "three = 33", 1)
			if text, failed := p.call("modify_nb_cells", withRevision(source(made), old)); failed {
				t.Error(text)
			}
			p.is(made, "made of what the refusal showed")
			p.puts("four = 4", "four = 44")
			if text, failed := p.call("modify_nb_cells", withRevision(source(strings.Replace(fourLines, "one = 1", "one = 11", 1)), old)); failed {
				t.Error(text)
			}
			p.is(strings.NewReplacer("one = 1", "one = 11", "four = 4", "four = 44").Replace(made), "made of what was there at the revision")
		})
	})
	t.Run("a text", func(t *testing.T) {
		jupytertest.Beside(t, func(t *testing.T) {
			r := toolstest.New(t)
			path := r.TextFile("one\ntwo\nthree\n")
			old := r.Content(path).Revision
			person := sessiontest.PersonInText(t, r.Srv, path)
			if err := person.Text.Edit("type", func(e *ydoc.TextEditor) error { return e.SetText("one\ntwo and more\n# a line\nthree\n") }); err != nil {
				t.Fatal(err)
			}
			sessiontest.Eventually(t, "the text is there", func() bool { return strings.Contains(r.Content(path).Content, "# a line") })
			const made = "one\ntwo and more\n# a line\nthree and four\n"
			r.Good("overwrite_document", toolstest.Dict{"path": path, "content": made, "revision": old, "wait": 30}, nil)
			if got := r.Content(path).Content; got != made {
				t.Errorf("the text is %q", got)
			}
		})
	})
}
