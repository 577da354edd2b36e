package ydoc

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// newTwinRoom makes a room of an agent and a tab that appended copies of two cells with other text long ago.
func newTwinRoom(t *testing.T) (r *room, agent, tab *peer) {
	t.Helper()
	r = newRoomWith(t, 2, 1,
		NewCell{ID: "a", Type: Code, Source: "a = 42"},
		NewCell{ID: "b", Type: Code, Source: "b = 42"},
		NewCell{ID: "c", Type: Code, Source: "c = 42"})
	agent, tab = r.peers[0], r.peers[1]
	tab.append(t, NewCell{ID: "a", Type: Code, Source: "a = 43"}, NewCell{ID: "b", Type: Code, Source: "b = 43"})
	r.settle()
	time.Sleep(time.Minute)
	return r, agent, tab
}

// append writes cells at the end unchecked, with ids that other cells have.
func (p *peer) append(t *testing.T, cells ...NewCell) {
	t.Helper()
	must.NoError(t, p.do("append", func() error {
		return p.write(func(x tx) {
			for _, c := range cells {
				x.newCell(p.cells, p.cells.Len(), c)
			}
		})
	}))
}

func sources(n *Notebook) (all []string) {
	for _, c := range n.Cells() {
		all = append(all, c.Source)
	}
	return all
}

// Each of several cells with one nbformat id has a unique identity.
func TestTwinsHaveIdentities(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, r *room, ids []string)
		want []string
	}{
		"nothing": {
			func(*testing.T, *room, []string) {},
			[]string{"a = 42", "b = 42", "c = 42", "a = 43", "b = 43"},
		},
		"the first is edited": {
			func(t *testing.T, r *room, ids []string) {
				agent := r.peers[0]
				edit(t, agent.Notebook, func(e *Editor) error { return e.SetSource(ids[1], "b") })
			},
			[]string{"a = 42", "b", "c = 42", "a = 43", "b = 43"},
		},
		"the second is edited": {
			func(t *testing.T, r *room, ids []string) {
				agent := r.peers[0]
				edit(t, agent.Notebook, func(e *Editor) error { return e.SetSource(ids[4], "b") })
			},
			[]string{"a = 42", "b = 42", "c = 42", "a = 43", "b"},
		},
		"the second are deleted": {
			func(t *testing.T, r *room, ids []string) {
				agent := r.peers[0]
				edit(t, agent.Notebook, func(e *Editor) error { return e.Delete(ids[3], ids[4]) })
			},
			[]string{"a = 42", "b = 42", "c = 42"},
		},
		"the first is deleted and the second moved": {
			func(t *testing.T, r *room, ids []string) {
				agent := r.peers[0]
				edit(t, agent.Notebook, func(e *Editor) error { return e.Delete(ids[0]) })
				edit(t, agent.Notebook, func(e *Editor) error { return e.Move(ids[3], 0) })
			},
			[]string{"a = 43", "b = 42", "c = 42", "b = 43"},
		},
		"the second gets another type and is edited": {
			func(t *testing.T, r *room, ids []string) {
				agent := r.peers[0]
				edit(t, agent.Notebook, func(e *Editor) error { return e.SetType(ids[3], Markdown) })
				edit(t, agent.Notebook, func(e *Editor) error { return e.SetSource(ids[3], "text") })
			},
			[]string{"a = 42", "b = 42", "c = 42", "text", "b = 43"},
		},
		"a tab moves the second, which is edited": {
			func(t *testing.T, r *room, _ []string) {
				agent, tab := r.peers[0], r.peers[1]
				tab.movedInTab(t, tab.IDs()[3], 0)
				r.settle()
				first := agent.IDs()[0]
				edit(t, agent.Notebook, func(e *Editor) error { return e.SetSource(first, "a") })
			},
			[]string{"a", "a = 42", "b = 42", "c = 42", "b = 43"},
		},
		"a deletion of the second is undone": {
			func(t *testing.T, r *room, ids []string) {
				agent := r.peers[0]
				edit(t, agent.Notebook, func(e *Editor) error { return e.Delete(ids[3]) })
				u := undo(t, agent.Notebook)
				test.Eq(t, []string{agent.IDs()[3]}, u.Cells)
			},
			[]string{"a = 42", "b = 42", "c = 42", "a = 43", "b = 43"},
		},
		"the tab deletes the first while the agent edits it": {
			func(t *testing.T, r *room, ids []string) {
				agent, tab := r.peers[0], r.peers[1]
				edit(t, agent.Notebook, func(e *Editor) error { return e.SetSource(ids[0], "a = 42!!") })
				tab.cutCell(t, 0)
			},
			[]string{"b = 42", "c = 42", "a = 43", "b = 43"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, agent, _ := newTwinRoom(t)
				ids := agent.IDs()
				must.Eq(t, []string{"a", "b", "c"}, ids[:3])
				must.Eq(t, []string{"a", "b"}, nbIDs(agent.Notebook)[3:])
				c.do(t, r, ids)
				r.settle()
				test.Eq(t, c.want, sources(r.server))
				test.Eq(t, c.want, sources(agent.Notebook))
			})
		})
	}
}

// cutCell deletes the cell at an index as a tab does.
func (p *peer) cutCell(t *testing.T, at int) {
	t.Helper()
	must.NoError(t, p.do("delete", func() error {
		return p.write(func(x tx) { x.Remove(p.cells, at, 1) })
	}))
}

// A twin does not take over the identity of a deleted cell.
func TestIdentityIsNotTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, agent, tab := newTwinRoom(t)
		ids := agent.IDs()
		tab.cutCell(t, 0)
		r.settle()
		_, there := agent.Cell(ids[0])
		test.False(t, there)
		second, there := agent.Cell(ids[3])
		test.True(t, there)
		test.Eq(t, "a = 43", second.Source)
		err := agent.Edit("insert", func(e *Editor) error {
			_, err := e.Insert(0, NewCell{ID: "a", Type: Code})
			return err
		})
		test.ErrorContains(t, err, "already exists")
	})
}

// A copy inserted before the cell itself is deleted is that cell.
func TestIdentityOfAMovedCell(t *testing.T) {
	r := newRoomWith(t, 2, 1, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code})
	agent, tab := r.peers[0], r.peers[1]
	tab.append(t, NewCell{ID: "a", Type: Code, Source: "a = 42"})
	r.settle()
	test.NotEq(t, "a", agent.IDs()[2])
	tab.cutCell(t, 0)
	r.settle()
	test.Eq(t, []string{"b", "a"}, agent.IDs())
}

// A cell that an agent moved stays when a tab appends a cell with its id.
func TestATwinIsNoRivalOfAMovedCell(t *testing.T) {
	for name, source := range map[string]string{"other text": "a = 43", "the same text": "a = 42"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoomWith(t, 2, 1, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code, Source: "b"})
				agent, tab := r.peers[0], r.peers[1]
				move(t, agent, "a", 1)
				r.settle()
				time.Sleep(time.Minute)
				tab.append(t, NewCell{ID: "a", Type: Code, Source: source})
				r.settle()
				test.Eq(t, []string{"b", "a = 42", source}, sources(r.server))
			})
		})
	}
}
