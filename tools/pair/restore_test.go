package pair_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// eight are the sources of a notebook.
func eight() (sources []string) {
	for i := range 8 {
		sources = append(sources, fmt.Sprintf("x%d = %d", i, i))
	}
	return sources
}

// clears deletes all cells of a person's notebook.
func clears(t *testing.T, p *sessiontest.Person) {
	t.Helper()
	must.NoError(t, p.Notebook.Edit("clear", func(e *ydoc.Editor) error {
		for e.Len() > 0 {
			id, _ := e.IDAt(0)
			if err := e.Delete(id); err != nil {
				return err
			}
		}
		return nil
	}))
	p.Reaches()
	settle()
}

// doubles sends all cells again, as a tab does that returns with another history.
func doubles(t *testing.T, p *sessiontest.Person) {
	t.Helper()
	other := ydoc.NewNotebook()
	must.NoError(t, other.Edit("load", func(e *ydoc.Editor) error {
		for i, c := range p.Notebook.Cells() {
			if _, err := e.Insert(i, ydoc.NewCell{ID: c.ID, Type: c.Type, Source: c.Source}); err != nil {
				return err
			}
		}
		return nil
	}))
	u, err := other.Diff(nil)
	must.NoError(t, err)
	p.Send(wire.AppendUpdate(nil, u))
	p.Reaches()
	settle()
}

// returns is a person's tab that returns with another history, whose name is known.
func returns(t *testing.T, p *sessiontest.Person) {
	t.Helper()
	user := map[string]any{"username": "Bob", "name": "Bob", "display_name": "Bob"}
	p.Show(map[string]any{"user": user})
	doubles(t, p)
}

// book returns the ids and sources of the room.
func (d *duo) book() string {
	d.t.Helper()
	_, cells := d.Room(d.path)
	var out []string
	for _, c := range cells {
		out = append(out, c.ID+" "+c.Source)
	}
	return strings.Join(out, "\n")
}

// A notebook that a room empties or doubles is suspect: it is not edited until it is restored.
func TestRestoresWhatARoomLost(t *testing.T) {
	for name, breaks := range map[string]func(*testing.T, *sessiontest.Person){"emptied": clears, "doubled": doubles, "doubled by Bob": returns} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				d := newDuo(t, eight()...)
				d.Read(d.path)
				d.Good("modify_nb_cells", d.in(change(0, "x0 = 'written'", "")), nil)
				before := d.book()
				ada := d.person("Ada") // is there, and does nothing; her tab adds a cell to an empty notebook
				ada.Reaches()
				breaks(t, sessiontest.PersonIn(t, d.Srv, d.path))
				broken := d.book()
				must.NotEq(t, before, broken)
				refused := []string{"notebook_suspect", "the notebook ", " cells", "no person is seen", "nothing was written", "restore_notebook", "@Duet go on"}
				d.Bad("insert_nb_cells", d.in(dict{"position": 0, "exec": false, "cells": []dict{{"content": "y"}}}), refused...)
				holds(t, d.says("read_nb_cells", nil), "the notebook ", "no person is seen", "restore_notebook")
				d.Bad("undo_agent", d.in(nil), "notebook_suspect")
				test.Eq(t, broken, d.book())
				shown := func() bool {
					for _, p := range ada.Seen.Peers() {
						if strings.Contains(string(p.Raw), "the notebook ") {
							return true
						}
					}
					return false
				}
				sessiontest.Eventually(t, "the people see it in the agent's status", shown)
				d.Bad("restore_notebook", d.in(dict{"revision": "12zz"}), "is not kept", "nothing was changed")
				test.Eq(t, broken, d.book())
				var out pair.RestoreResult
				d.Good("restore_notebook", d.in(dict{"revision": "before"}), &out)
				test.Eq(t, before, d.book())
				test.Eq(t, name == "emptied", len(out.Back) == 8)
				test.Eq(t, name != "emptied", out.Removed == 8)
				d.Good("modify_nb_cells", d.in(change(1, "y = 1", "")), nil)
				sessiontest.Eventually(t, "the status is the usual one", func() bool { return !shown() })
				d.Bad("restore_notebook", d.in(dict{"revision": "before"}), "has not lost or doubled its cells", "nothing was changed")
				// It is one step.
				d.Good("undo_agent", d.in(dict{"count": 2}), nil)
				test.NotEq(t, before, d.book())
			})
		})
	}
}

// Deletions by people or the agent are not suspect, and neither are those of a few cells.
func TestPeopleMayDelete(t *testing.T) {
	for name, does := range map[string]func(*testing.T, *duo){
		"select all, delete": func(t *testing.T, d *duo) {
			ada := d.person("Ada")
			time.Sleep(time.Second)
			ada.Show(dict{"user": user("Ada", "Ada"), "activeCellId": "c3"})
			ada.Reaches()
			clears(t, ada)
		},
		"half of it, without a name": func(t *testing.T, d *duo) {
			d.person("Ada").Reaches()
			half := sessiontest.PersonIn(t, d.Srv, d.path)
			must.NoError(t, half.Notebook.Edit("delete", func(e *ydoc.Editor) error {
				for range 5 {
					id, _ := e.IDAt(0)
					if err := e.Delete(id); err != nil {
						return err
					}
				}
				return nil
			}))
			half.Reaches()
			settle()
		},
		"four": func(t *testing.T, d *duo) {
			some := sessiontest.PersonIn(t, d.Srv, d.path)
			must.NoError(t, some.Notebook.Edit("delete", func(e *ydoc.Editor) error {
				for range 4 {
					id, _ := e.IDAt(0)
					if err := e.Delete(id); err != nil {
						return err
					}
				}
				return nil
			}))
			some.Reaches()
			settle()
		},
		"the agent": func(_ *testing.T, d *duo) {
			d.Good("delete_nb_cells", d.in(dict{"ranges": []dict{{"start": 0, "end": 7}}}), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				d := newDuo(t, eight()...)
				d.Read(d.path)
				time.Sleep(20 * time.Second)
				does(t, d)
				d.Read(d.path)
				d.Good("insert_nb_cells", d.in(dict{"position": 0, "exec": false, "cells": []dict{{"content": "y"}}}), nil)
			})
		})
	}
}

// A person says that a suspect notebook is right as it is; the chat beside it was told.
func TestGoOnWithASuspectNotebook(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		tb := newTable(t, eight()...)
		ada := tb.talks("ada", "Ada")
		tb.joins()
		clears(t, sessiontest.PersonIn(t, tb.Srv, tb.path))
		says := ada.hears("I have stopped in " + tb.path)
		test.StrContains(t, says.Body, "the notebook lost 8 of its 8 cells")
		insert := tb.in(dict{"position": 0, "exec": false, "cells": []dict{{"content": "y"}}})
		tb.Bad("insert_nb_cells", insert, "notebook_suspect")
		ada.text("@Duet go on")
		ada.hears("Going on with " + tb.path)
		tb.Good("insert_nb_cells", insert, nil)
		test.Eq(t, 1, ada.count("I have stopped"))
	})
}

// A notebook returns to an earlier revision, also after it was closed; cells that are new since stay.
func TestRestoresARevision(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "x = 1", "y = 2", "z = 3")
		read := d.Read(d.path)
		time.Sleep(time.Hour)
		d.Good("modify_nb_cells", d.in(change(0, "x = 10", "")), nil)
		d.Good("delete_nb_cells", d.in(dict{"ranges": []dict{{"id": read.Cells[1].ID}}}), nil)
		d.Good("move_nb_cells", d.in(dict{"ranges": []dict{{"id": read.Cells[2].ID}}, "position": 0}), nil)
		d.Good("insert_nb_cells", d.in(dict{"position": 0, "exec": false, "cells": []dict{{"content": "new"}}}), nil)
		var out pair.RestoreResult
		d.Good("restore_notebook", d.in(dict{"revision": read.Revision}), &out)
		_, cells := d.Room(d.path)
		var sources []string
		for _, c := range cells {
			sources = append(sources, c.Source)
		}
		test.SliceContainsAll(t, sources, []string{"new", "x = 1", "y = 2", "z = 3"})
		test.Eq(t, "x = 1\ny = 2\nz = 3", strings.ReplaceAll(strings.Trim(strings.ReplaceAll(strings.Join(sources, "\n"), "new", ""), "\n"), "\n\n", "\n"))
		test.SliceEqOp(t, []string{read.Cells[1].ID}, out.Back)
		holds(t, d.says("restore_notebook", dict{"revision": read.Revision}), "Successfully restored", "0 cells back")
		d.Bad("restore_notebook", d.in(dict{"revision": "soon"}), "soon")
	})
}
