package reading_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/reading"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/session/toes"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// fourLines is a cell of which people and clients change different lines.
const fourLines = "one = 1\ntwo = 2\nthree = 3\nfour = 4"

// newFourLines is a notebook with that cell between two others, which the client has read.
func newFourLines(r *toolstest.Rig) *positions {
	p := &positions{Rig: r, path: r.Server.Notebook(r.T, "a = 1", fourLines, "c = 3")}
	p.Read(p.path)
	return p
}

// puts has a person replace words of the second cell.
func (p *positions) puts(old, now string) {
	p.T.Helper()
	p.person(func(e *ydoc.Editor) error {
		c, _ := e.Cell("c1")
		return e.SetSource("c1", strings.Replace(c.Source, old, now, 1))
	})
}

// source is a call that gives the second cell a whole new source.
func source(content string) toolstest.Dict {
	return toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c1"}, "content": content}}}
}

// changes gives the second cell a whole new source.
func (p *positions) changes(content string) (text string, failed bool) {
	p.T.Helper()
	return p.call("modify_nb_cells", source(content))
}

// is checks the source of the second cell.
func (p *positions) is(want, when string) {
	p.T.Helper()
	if now := p.cell("c1"); now != want {
		p.T.Errorf("%s: the cell is %q, want %q", when, now, want)
	}
}

// another is the same notebook as another client has it.
func (p *positions) another() *positions {
	p.T.Helper()
	r := *p.Rig
	r.Client = r.Connect(tools.Config{Work: r.Work, Version: "test", Toolsets: tools.ToolsetNames(), Answers: tools.JSONAnswers})
	p.T.Cleanup(func() {
		if err := r.Client.Close(); err != nil {
			p.T.Error(err)
		}
	})
	return &positions{Rig: &r, path: p.path}
}

// Two clients write from different texts of one cell: the second one that changes a line is refused, each may repeat its
// call, and the person's lines stay.
func TestTwoClientsWithTwoBases(t *testing.T) {
	for _, first := range []string{"A", "B"} {
		t.Run(first+" is first", func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				a := newFourLines(toolstest.New(t))
				a.puts("1", "1 # typed")
				b := a.another()
				b.Read(b.path)
				a.puts("2", "2 # also typed")
				const typed = "one = 1 # typed\ntwo = 2 # also typed\n"
				fromA := strings.Replace(fourLines, "= 3", "= 33 + 1", 1)
				fromB := strings.Replace(strings.Replace(fourLines, "= 3", "= 44 - 2", 1), "1", "1 # typed", 1)
				sent, lost := fromA, fromB
				winner, loser, want := a, b, typed+"three = 33 + 1\nfour = 4"
				if first == "B" {
					winner, loser, want = b, a, typed+"three = 44 - 2\nfour = 4"
					sent, lost = fromB, fromA
				}
				if text, failed := winner.changes(sent); failed {
					t.Error(text)
				}
				a.is(want, "after the first")
				text, failed := loser.changes(lost)
				if !failed || !strings.Contains(text, "nothing was changed") || !strings.Contains(text, "| one = 1 # typed\n| two = 2 # also typed") {
					t.Errorf("the second is answered %s", text)
				}
				for range 2 {
					if text, failed := winner.changes(sent); failed {
						t.Errorf("the first repeats: %s", text)
					}
					a.is(want, "the first repeats")
					if text, failed := loser.changes(lost); !failed || strings.Contains(text, "\n| ") {
						t.Errorf("the second repeats: %s", text)
					}
					a.is(want, "the second repeats")
				}
				if text, failed := loser.changes(want + " # B"); failed {
					t.Error(text)
				}
				a.is(want+" # B", "the second goes on")
			})
		})
	}
}

// large is a source of 5 MB, which begins with a name.
func large(name string) string {
	return name + " = 1\n" + strings.Repeat("# one line of some length\n", 5_000_000/26)
}

// A base of 5 MB is a base. When others have made the program forget it, a whole source is refused, and nothing is lost.
func TestLargeBases(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		p := &positions{Rig: toolstest.New(t)}
		p.path = p.Server.Notebook(t, "a = 1", "b = 2", "c = 3", "d = 4", "e = 5")
		doc, err := p.Work.Open(t.Context(), jupyter.MustPath(p.path))
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Release()
		client := doc.As("client")
		changes := func(id, content string, force bool) error {
			_, err := client.Rewrite(t.Context(), []reading.Change{{Cell: id, Source: content, Force: force}})
			return err
		}
		writes := func(id, content string) {
			t.Helper()
			if err := changes(id, content, true); err != nil {
				t.Fatal(err)
			}
		}
		types := func(key string) {
			t.Helper()
			p.puts("\n", key+"\n")
		}
		is := func(want, when string) {
			t.Helper()
			if now := p.cell("c1"); now != want {
				t.Errorf("%s: the cell has %d characters and begins with %.40q; want %d and %.40q", when, len(now), now, len(want), want)
			}
		}
		was := large("b")
		writes("c1", was)
		types(" # typed")
		for range 2 {
			if err := changes("c1", was+"last = 1", false); err != nil {
				t.Error(err)
			}
			is("b = 1 # typed"+was[5:]+"last = 1", "merged")
		}
		for i, id := range []string{"c2", "c3", "c4"} {
			writes(id, large(fmt.Sprint("other", i)))
		}
		now := p.cell("c1")
		for range 2 {
			err := changes("c1", was+"last = 2", false)
			if err == nil {
				t.Fatal("not refused")
			}
			for _, want := range []string{"nothing was changed", "changed by somebody else since you read it", "b = 1 # typed", "Read it, then give its revision"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %v", want, err)
				}
			}
			if len(err.Error()) > 1000 || strings.Contains(err.Error(), "not known any more") {
				t.Error(err)
			}
			is(now, "forgotten")
		}
		c, _ := doc.Notebook().Cell("c1")
		client.Show(c)
		if err := changes("c1", now+"\nlast = 2", false); err != nil {
			t.Error(err)
		}
		is(now+"\nlast = 2", "read again")
	})
}

// restored has a person delete the second cell, which another undoes: the same cell is there as another object.
func (p *positions) restored(meanwhile func()) {
	p.T.Helper()
	ada := sessiontest.PersonIn(p.T, p.Srv, p.path)
	defer ada.Leave()
	c, _ := ada.Notebook.Cell("c1")
	at, _ := ada.Notebook.Index("c1")
	edits := func(fn func(e *ydoc.Editor) error) {
		p.T.Helper()
		if err := ada.Notebook.Edit("undo", fn); err != nil {
			p.T.Fatal(err)
		}
		sessiontest.Eventually(p.T, "the room has it", func() bool {
			_, cells := p.Room(p.path)
			return len(cells) == ada.Notebook.Len()
		})
	}
	edits(func(e *ydoc.Editor) error { return e.Delete("c1") })
	meanwhile()
	edits(func(e *ydoc.Editor) error {
		_, err := e.Insert(at, ydoc.NewCell{ID: "c1", Type: ydoc.Code, Source: c.Source})
		return err
	})
}

// A cell that was deleted and restored by undo is the cell that the client has read, by its id and by its index.
func TestUndoneDeletion(t *testing.T) {
	for name, c := range map[string]struct {
		typed     bool // before the deletion
		meanwhile bool // the client calls while the cell is not there
		typedThen bool // after it was restored
	}{
		"as it was read":        {},
		"typed before":          {typed: true},
		"called meanwhile":      {meanwhile: true},
		"typed after":           {typedThen: true},
		"typed, called, typed":  {true, true, true},
		"typed before and then": {typed: true, typedThen: true},
	} {
		for way, where := range map[string]toolstest.Dict{"id": {"id": "c1"}, "index": {"start": 1}} {
			t.Run(name+"/by "+way, func(t *testing.T) {
				jupytertest.Beside(t, func(t *testing.T) {
					p := newFourLines(toolstest.New(t))
					mine := strings.Replace(fourLines, "4", "44", 1)
					set := toolstest.Dict{"exec": false, "wait": 0, "modifications": []toolstest.Dict{{"range": where, "content": mine}}}
					want := mine
					if c.typed {
						p.puts("1", "1 # typed")
						want = strings.Replace(want, "1", "1 # typed", 1)
					}
					p.restored(func() {
						if !c.meanwhile {
							return
						}
						if text, failed := p.call("modify_nb_cells", set); !failed {
							t.Errorf("while it is not there: %s", text)
						}
						if all, _ := p.sources(); all != "a = 1 c = 3" {
							t.Errorf("while it is not there: the cells are %q", all)
						}
					})
					if c.typedThen {
						p.puts("2", "2 # then")
						want = strings.Replace(want, "2", "2 # then", 1)
					}
					text, failed := p.call("modify_nb_cells", set)
					if failed { // an index of the answer before, which did not have the cell
						if !c.meanwhile || way == "id" {
							t.Error(text)
						}
						set["modifications"].([]toolstest.Dict)[0]["range"] = toolstest.Dict{"id": "c1"}
						text, failed = p.call("modify_nb_cells", set)
					}
					if failed {
						t.Error(text)
					}
					p.is(want, name)
					if all, _ := p.sources(); all != "a = 1 "+want+" c = 3" {
						t.Errorf("the cells are %q", all)
					}
				})
			})
		}
		t.Run(name+"/deleted", func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := newFourLines(toolstest.New(t))
				if c.typed {
					p.puts("1", "1 # typed")
				}
				p.restored(func() {})
				if c.typedThen {
					p.puts("2", "2 # then")
				}
				text, failed := p.call("delete_nb_cells", toolstest.Dict{"wait": 0, "ranges": []toolstest.Dict{{"start": 1}}})
				if failed != (c.typed || c.typedThen) || failed != (p.cell("c1") != "") {
					t.Errorf("answered %s; the cell is %q", text, p.cell("c1"))
				}
			})
		})
	}
}

// ada is a person with the notebook open, who is known.
func (p *positions) ada() *sessiontest.Person {
	p.T.Helper()
	ada := sessiontest.PersonIn(p.T, p.Srv, p.path)
	ada.Show(map[string]any{"user": map[string]any{"username": "ada", "name": "Ada"}})
	time.Sleep(2 * time.Second)
	return ada
}

// sets has a person in a tab give a cell a source, in one change, and waits until the room has it.
func (p *positions) sets(tab *sessiontest.Person, id, content string) {
	p.T.Helper()
	if err := tab.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource(id, content) }); err != nil {
		p.T.Fatal(err)
	}
	sessiontest.Eventually(p.T, "the room has it", func() bool { return p.cell(id) == content })
}

// A text that was replaced throughout a cell by "find and replace" is not typing: a change is merged or refused as a
// conflict, at once, and nothing that was put in is lost.
func TestReplacedThroughout(t *testing.T) {
	long := "one = 1\n" + strings.Repeat("frame = frame.dropna(frame)\n", 6) + "last = 9"
	for name, now := range map[string]string{
		"a longer text":     strings.ReplaceAll(long, "frame", "customers_of_the_shop"),
		"a shorter text":    strings.ReplaceAll(long, "frame", "f"),
		"nothing":           strings.ReplaceAll(long, "frame.", ""),
		"all lines":         "one = 1\n" + strings.Repeat("other = other + 1\n", 8) + "last = 9",
		"the whole of it":   strings.Repeat("x = x + 1\n", 10),
		"two places of one": strings.ReplaceAll(long, "(frame)", "(axis)"),
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, edit := range []string{"= 9", "= frame.dropna"} {
					p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1", long)}
					tab := p.ada()
					p.Read(p.path)
					p.sets(tab, "c1", now)
					mine := strings.Replace(long, edit, edit+"_mine", 1)
					text, failed := p.call("modify_nb_cells", toolstest.With(source(mine), "wait", 0))
					after := p.cell("c1")
					switch {
					case strings.Contains(text, toes.CodeBusy):
						t.Errorf("%q: %s", edit, text)
					case failed && (after != now || !strings.Contains(text, "nothing was changed")):
						t.Errorf("%q: answered %s; the cell is %q", edit, text, after)
					case !failed && strings.Replace(after, "_mine", "", 1) != now:
						t.Errorf("%q: the cell is %q, want %q and the change", edit, after, now)
					}
					if changed := strings.Contains(now, edit); edit == "= 9" && failed == changed {
						t.Errorf("%q: failed %t: %s", edit, failed, text)
					}
					tab.Leave()
				}
			})
		})
	}
}

// ofTen are calls that change, delete or move ten cells, and what becomes of a cell with some keys typed at its end; "" where
// it goes.
var ofTen = map[string]struct {
	args    func() toolstest.Dict
	becomes func(source string) string
	// waits: it goes through once the person pauses. Else it is refused then, because the client has not read what they typed.
	waits bool
}{
	"modify_nb_cells": {func() toolstest.Dict {
		return toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0, "end": 10}, "content": "x = 2\n# end"}}}
	}, func(source string) string { return strings.Replace(source, "x = 1", "x = 2", 1) }, true},
	"overwrite_document": {func() toolstest.Dict {
		var cells []string
		for i := range 10 {
			cells = append(cells, fmt.Sprintf("c%d:x = 2\n# end", i))
		}
		return toolstest.Dict{"content": toolstest.Book(cells...)}
	}, func(source string) string { return strings.Replace(source, "x = 1", "x = 2", 1) }, true},
	"delete_nb_cells": {func() toolstest.Dict {
		return toolstest.Dict{"ranges": []toolstest.Dict{{"start": 0, "end": 10}}}
	}, func(string) string { return "" }, false},
	"move_nb_cells": {func() toolstest.Dict {
		return toolstest.Dict{"ranges": []toolstest.Dict{{"start": 0, "end": 10}}, "position": 11}
	}, func(source string) string { return source }, true},
}

// While a person types in one cell, a call that changes ten changes none of them; by force it changes all, and keeps the keys.
func TestTypingInOneOfTen(t *testing.T) {
	for _, tool := range slices.Sorted(maps.Keys(ofTen)) {
		c := ofTen[tool]
		for _, manners := range []toolstest.Dict{{"wait": 0}, {}, {"force": true}} {
			t.Run(fmt.Sprint(tool, manners), func(t *testing.T) {
				jupytertest.Beside(t, func(t *testing.T) {
					r := toolstest.New(t)
					const was = "x = 1\n# end"
					p := &positions{Rig: r, path: r.Server.Notebook(t, append(slices.Repeat([]string{was}, 10), "behind")...)}
					tab := p.ada()
					p.Read(p.path)
					args := c.args()
					if tool == "overwrite_document" {
						args["content"] = strings.Replace(args["content"].(string), "\n]}", "]}", 1)
						args["content"] = strings.TrimSuffix(args["content"].(string), "]}") + `,{"id":"c10","cell_type":"code","source":"behind","metadata":{},"outputs":[],"execution_count":null}]}`
					}
					maps.Copy(args, manners)
					typed := was
					p.sets(tab, "c4", typed+"k")
					typed += "k"
					var wg sync.WaitGroup
					wg.Go(func() {
						for range 5 {
							time.Sleep(300 * time.Millisecond)
							if err := tab.Notebook.Edit("type", func(e *ydoc.Editor) error {
								c, ok := e.Cell("c4")
								if !ok {
									return nil
								}
								return e.SetSource("c4", c.Source+"k")
							}); err != nil {
								t.Error(err)
							}
						}
						_, cells := p.Room(p.path)
						if manners["force"] != nil || manners["wait"] != nil {
							return
						}
						for i, cell := range cells[:10] {
							if i != 4 && cell.Source != was || cell.ID != fmt.Sprint("c", i) {
								t.Errorf("cell %d is %s, %q while the call waits", i, cell.ID, cell.Source)
							}
						}
					})
					text, failed := p.call(tool, args)
					if says := toes.CodeBusy; manners["wait"] != nil && !strings.Contains(text, says) && c.waits {
						t.Errorf("answered %s, want %q", text, says)
					}
					wg.Wait()
					typed += "kkkkk"
					forced := manners["force"] != nil
					done := forced || manners["wait"] == nil && c.waits
					if failed == done {
						t.Errorf("answered %s", text)
					}
					time.Sleep(time.Second)
					_, cells := p.Room(p.path)
					by := map[string]string{}
					for _, cell := range cells {
						by[cell.ID] = cell.Source
					}
					for i := range 10 {
						id, want := fmt.Sprint("c", i), was
						if i == 4 {
							want = typed
						}
						if done {
							want = c.becomes(want)
						}
						if by[id] != want {
							t.Errorf("%s is %q, want %q", id, by[id], want)
						}
					}
					if len(cells) != len(by) || by["c10"] != "behind" {
						t.Errorf("the cells are %q", by)
					}
				})
			})
		}
	}
}

// Force right behind a refusal goes through, also of a cell that is too long for the refusal to show, and replaces what was
// refused; what was typed elsewhere since then stays.
func TestForceBehindARefusal(t *testing.T) {
	long := strings.Repeat("# a line of a long cell\n", 300)
	for _, more := range []string{"", long} {
		for _, of := range []string{"unread", "conflict", "conflict with a revision", "busy"} {
			for _, tool := range []string{"modify_nb_cells", "overwrite_cell_source", "notebook_edit_cell", "delete_nb_cells", "overwrite_document"} {
				t.Run(fmt.Sprintf("%s/%s/%d characters", of, tool, len(more)), func(t *testing.T) {
					jupytertest.Beside(t, func(t *testing.T) {
						r := toolstest.New(t)
						was := fourLines + "\n" + more + "end = 1"
						p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1", was, "c = 3")}
						p.opens(tool)
						tab := p.ada()
						var args toolstest.Dict
						mine := strings.Replace(was, "= 2", "= mine", 1)
						switch tool {
						case "modify_nb_cells":
							args = source(mine)
						case "overwrite_cell_source":
							args = toolstest.Dict{"cell_id": "c1", "cell_source": mine}
						case "notebook_edit_cell":
							args = toolstest.Dict{"cell_id": "c1", "source": mine}
						case "delete_nb_cells":
							args = toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c1"}}}
						case "overwrite_document":
							args = toolstest.Dict{"content": toolstest.Book("c0:a = 1", "c1:"+mine, "c2:c = 3")}
						}
						args["wait"] = 0
						if of != "unread" {
							p.reads(toolstest.Dict{"maxCellData": 100_000})
						}
						if of == "conflict with a revision" {
							rev, _ := p.Room(p.path)
							args = withRevision(args, desk.Revision(rev))
						}
						typed := was
						switch of {
						case "unread":
							typed = strings.Replace(typed, "= 1", "= 1 + unread", 1)
						case "conflict", "conflict with a revision":
							typed = strings.Replace(typed, "= 2", "= typed", 1)
						case "busy":
							typed = strings.Replace(typed, "= 3", "= 3 # k", 1)
						}
						p.sets(tab, "c1", typed)
						if of != "busy" {
							time.Sleep(2 * toes.Quiet)
						}
						text, failed := p.call(tool, args)
						if !failed || tool != "delete_nb_cells" && strings.Contains(text, toes.CodeBusy) != (of == "busy") || p.cell("c1") != typed {
							t.Errorf("not refused: %s", text)
						}
						later := strings.Replace(typed, "= 4", "= 4 # later", 1)
						p.sets(tab, "c1", later)
						text, failed = p.call(tool, toolstest.With(args, "force", true))
						now := p.cell("c1")
						switch {
						case failed:
							t.Errorf("by force: %s", text)
						case tool == "delete_nb_cells":
							if now != "" {
								t.Errorf("the cell is %q", now)
							}
						case !strings.Contains(now, "= mine\n") || strings.Contains(now, "unread") || strings.Contains(now, "typed"):
							t.Errorf("the cell is %q", now)
						case of == "busy" && now != strings.Replace(later, "= 2", "= mine", 1), more == "" && !strings.Contains(now, "# later"):
							t.Errorf("what was typed is gone: the cell is %q", now)
						}
						if p.cell("c0") != "a = 1" || p.cell("c2") != "c = 3" {
							t.Error("other cells were changed")
						}
					})
				})
			}
		}
	}
}

// A client that repeats a call that was made, because it has not heard the answer, takes back nothing that a person has typed
// between the two.
func TestRepeatedAfterATimeout(t *testing.T) {
	type cells = []toolstest.Dict
	mine := strings.Replace(fourLines, "= 3", "= mine", 1)
	typed := strings.Replace(mine, "= 1", "= 1 # typed", 1)
	for name, c := range map[string]struct {
		tool   string
		args   func(p *positions) toolstest.Dict
		does   string // what the sources are after the first call
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

// Forced again after a reading, the same source replaces what the reading has shown.
func TestForcedAfterAReading(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		p := newFourLines(toolstest.New(t))
		p.puts("= 1", "= 1 # typed")
		mine := strings.Replace(fourLines, "= 3", "= mine", 1)
		args := toolstest.With(source(mine), "force", true)
		for range 3 {
			if text, failed := p.call("modify_nb_cells", args); failed {
				t.Error(text)
			}
			p.is(strings.Replace(mine, "= 1", "= 1 # typed", 1), "repeated")
		}
		p.Read(p.path)
		if text, failed := p.call("modify_nb_cells", args); failed {
			t.Error(text)
		}
		p.is(mine, "after a reading")
	})
}

// A repeated call does not take back what a person has made of the words that it changed, nor a cell that they have added.
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

// written has another program change the file of the notebook, of which the room gets the second cell anew.
func (p *positions) written(old, now string) {
	p.T.Helper()
	was := p.cell("c1")
	saved := func() bool {
		return strings.Contains(p.Server.Read(p.T, p.path), mustJSON(p.T, strings.Split(was, "\n")[0]))
	}
	sessiontest.Eventually(p.T, "the file has what the room has", saved)
	time.Sleep(3 * time.Second) // or the server takes it for what it has just saved
	p.Server.Write(p.T, p.path, strings.Replace(p.Server.Read(p.T, p.path), old, now, 1))
	want := strings.Replace(was, old, now, 1)
	sessiontest.Eventually(p.T, "the room has the file", func() bool { return p.cell("c1") == want })
}

// mustJSON is a text as it is inside a JSON string.
func mustJSON(t *testing.T, text string) string {
	t.Helper()
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(b), `"`)
}

// A file that another program has written, and the server has loaded, is not typing, and a change is merged across that.
func TestMergeAcrossAReload(t *testing.T) {
	for _, saved := range []bool{false, true} { // before the file was written
		for _, to := range []string{"= 22", "=", "= 2 # " + strings.Repeat("more ", 20)} {
			t.Run(fmt.Sprintf("saved before %t, %q", saved, to), func(t *testing.T) {
				jupytertest.Test(t, func(t *testing.T) {
					p := newFourLines(toolstest.New(t))
					p.ada()
					was := fourLines
					if saved {
						was = strings.Replace(was, "= 1", "= 11", 1)
						if text, failed := p.changes(was); failed {
							t.Fatal(text)
						}
					}
					p.written("= 2", to)
					began := time.Now()
					mine := strings.Replace(was, "= 4", "= mine", 1)
					want := strings.Replace(mine, "= 2", to, 1)
					for range 2 {
						text, failed := p.call("modify_nb_cells", toolstest.With(source(mine), "wait", 0))
						if failed {
							t.Error(text)
						}
						p.is(want, "after the file was loaded")
					}
					if took := time.Since(began); took > 3*time.Second {
						t.Errorf("it took %v", took)
					}
					text, failed := p.call("delete_nb_cells", toolstest.Dict{"wait": 0, "ranges": []toolstest.Dict{{"id": "c1"}}})
					if !failed || strings.Contains(text, toes.CodeBusy) {
						t.Errorf("a deletion is answered %s", text)
					}
				})
			})
		}
	}
}
