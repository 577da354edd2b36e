package ydoc

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// If two agents move a cell at once, it exists once afterwards, with all text that they and others wrote into either
// copy, or into the original before.
func TestACellThatTwoMoveIsThereOnce(t *testing.T) {
	for name, c := range map[string]struct {
		want  string
		early bool // before they move it, or afterwards
		do    func(t *testing.T, r *room, first, second, typist *peer)
	}{
		"untouched": {"a = 42", false, func(*testing.T, *room, *peer, *peer, *peer) {}},
		"a key unknown to both": {"a = 42!", true, func(t *testing.T, r *room, _, _, typist *peer) {
			typist.typeIn(t, "a", 6, "!")
			r.risen(typist)
		}},
		"a key known to one": {"a = 42!", true, func(t *testing.T, r *room, _, second, typist *peer) {
			typist.typeIn(t, "a", 6, "!")
			r.risen(typist)
			r.sunk(second)
		}},
		"both edit their copies": {"b = 42!", false, func(t *testing.T, _ *room, first, second, _ *peer) {
			edit(t, first.Notebook, func(e *Editor) error { return e.SetSource("a", "b = 42") })
			edit(t, second.Notebook, func(e *Editor) error { return e.SetSource("a", "a = 42!") })
		}},
		"both delete in their copies": {"= 4", false, func(t *testing.T, _ *room, first, second, _ *peer) {
			edit(t, first.Notebook, func(e *Editor) error { return e.SetSource("a", "= 42") })
			edit(t, second.Notebook, func(e *Editor) error { return e.SetSource("a", "a = 4") })
		}},
	} {
		for _, swap := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", the other first: ", swap), func(t *testing.T) {
				r := newRoom(t, 3, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
				first, second, typist := r.peers[0], r.peers[1], r.peers[2]
				if c.early {
					c.do(t, r, first, second, typist)
				}
				move(t, first, "a", 2)
				move(t, second, "a", 1)
				if !c.early {
					c.do(t, r, first, second, typist)
				}
				if swap {
					first, second = second, first
				}
				r.risen(first)
				r.risen(second)
				r.settle()
				r.shows(t, 3, "a", c.want)
			})
		}
	}
}

// inTab is a notebook replica in a tab: it carries nothing over and inserts nothing.
type inTab struct{ *Notebook }

func (n inTab) changed(c *crdt.Change) { n.touched(c) }

// newTab makes a replica for a tab.
func newTab(o Options) *Notebook {
	n := NewNotebookWith(o)
	n.Doc = newDoc(o, inTab{n})
	n.cells, n.meta = n.replica.Root(rootCells, crdt.KindArray), n.replica.Root(rootMeta, crdt.KindMap)
	return n
}

// movedInTab moves a cell as a tab does, without marking the copy.
func (p *peer) movedInTab(t *testing.T, id string, to int) {
	t.Helper()
	err := p.do("move", func() error {
		p.arrange()
		at := p.index[id]
		e := p.order[at]
		e.refresh(p.Notebook)
		return p.write(func(x tx) {
			x.Remove(p.cells, at, 1)
			x.newCell(p.cells, to, NewCell{ID: id, Type: e.cell.Type, Source: e.cell.Source})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// If an agent and a tab move a cell at once, the agent's copy goes, because the tab removes neither.
func TestAnAgentsCopyYieldsToATabs(t *testing.T) {
	for name, c := range map[string]struct {
		want string
		do   func(t *testing.T, r *room, agent, tab, typist *peer) // before they move it
		edit func(t *testing.T, agent, tab *peer)                  // afterwards
	}{
		"untouched": {want: "a = 42"},
		"a key unknown to both": {want: "a = 42!", do: func(t *testing.T, r *room, _, _, typist *peer) {
			typist.typeIn(t, "a", 6, "!")
			r.risen(typist)
		}},
		"a key known to the tab": {want: "a = 42!", do: func(t *testing.T, r *room, _, tab, typist *peer) {
			typist.typeIn(t, "a", 6, "!")
			r.risen(typist)
			r.sunk(tab)
		}},
		"a key known to the agent": {want: "a = 42!", do: func(t *testing.T, r *room, agent, _, typist *peer) {
			typist.typeIn(t, "a", 6, "!")
			r.risen(typist)
			r.sunk(agent)
		}},
		"both edit their copies": {want: "b = 42!", edit: func(t *testing.T, agent, tab *peer) {
			edit(t, agent.Notebook, func(e *Editor) error { return e.SetSource("a", "b = 42") })
			tab.typeIn(t, "a", 6, "!")
		}},
		"both delete in their copies": {want: "= 4", edit: func(t *testing.T, agent, tab *peer) {
			edit(t, agent.Notebook, func(e *Editor) error { return e.SetSource("a", "= 42") })
			tab.cut(t, "a", 5, 6)
		}},
	} {
		for _, first := range []bool{false, true} {
			for _, ids := range []bool{false, true} {
				t.Run(fmt.Sprint(name, ", the tab first: ", first, ", its id is lower: ", ids), func(t *testing.T) {
					r := newRoom(t, 3, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
					agent, tab, typist := r.peers[0], r.peers[1], r.peers[2]
					if ids {
						agent, tab = tab, agent
					}
					if c.do != nil {
						c.do(t, r, agent, tab, typist)
					}
					move(t, agent, "a", 2)
					tab.movedInTab(t, "a", 1)
					if c.edit != nil {
						c.edit(t, agent, tab)
					}
					if first {
						r.risen(tab)
					}
					r.risen(agent)
					r.settle()
					if n := r.server.Len(); n != 3 {
						t.Fatalf("%d cells, want 3", n)
					}
					if at := r.at(agent, "a"); at != 1 {
						t.Errorf("it stands at %d, want 1, where the tab has put it", at)
					}
					if got := source(r.server, "a"); got != c.want {
						t.Errorf("%q, want %q", got, c.want)
					}
				})
			}
		}
	}
}

// A tab that moves a cell without an agent's text, passed on just before, removes it: the agent puts it into the
// tab's copy. Older text missing there was deleted.
func TestATabsCopyGetsWhatItLacks(t *testing.T) {
	for name, c := range map[string]struct {
		wait time.Duration
		want string
		do   func(t *testing.T, r *room, agent, typist *peer)
	}{
		"inserted": {0, "a = 42 + 1", func(t *testing.T, _ *room, agent, _ *peer) { agent.typeIn(t, "a", 6, " + 1") }},
		"in places": {0, "aa = 4_2!", func(t *testing.T, _ *room, agent, _ *peer) {
			agent.typeIn(t, "a", 6, "!")
			agent.typeIn(t, "a", 5, "_")
			agent.typeIn(t, "a", 0, "a")
		}},
		"one behind the other": {0, "a = 42xyz", func(t *testing.T, r *room, agent, _ *peer) {
			for i, key := range []string{"x", "y", "z"} {
				agent.typeIn(t, "a", 6+i, key)
				r.risen(agent)
				r.sunk(agent)
			}
		}},
		"carried over": {0, "a = 42?", func(t *testing.T, r *room, agent, typist *peer) {
			typist.typeIn(t, "a", 6, "?")
			r.risen(typist)
			move(t, agent, "a", 2)
			r.risen(agent)
			r.sunk(r.peers[2])
		}},
		"deleted again": {0, "a = 42", func(t *testing.T, _ *room, agent, _ *peer) {
			agent.typeIn(t, "a", 6, "!")
			agent.cut(t, "a", 6, 7)
		}},
		"long ago": {2 * time.Minute, "a = 42", func(t *testing.T, _ *room, agent, _ *peer) { agent.typeIn(t, "a", 6, " + 1") }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoomWith(t, 3, 2, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
				agent, typist, tab := r.peers[0], r.peers[1], r.peers[2]
				c.do(t, r, agent, typist)
				tab.movedInTab(t, "a", 1)
				r.risen(agent)
				r.sunk(agent)
				time.Sleep(c.wait)
				agent.typeIn(t, "b", 0, "#")
				r.risen(agent)
				r.sunk(agent)
				r.risen(tab)
				r.settle()
				r.shows(t, 3, "a", c.want)
			})
		})
	}
}

// A cell that only has the same id removes nothing.
func TestACellOfTheSameIDIsNoRival(t *testing.T) {
	r := newRoom(t, 2, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code})
	agent, tab := r.peers[0], r.peers[1]
	move(t, agent, "a", 1)
	if err := tab.do("insert", func() error {
		return tab.write(func(x tx) { x.newCell(tab.cells, 0, NewCell{ID: "a", Type: Code, Source: "else"}) })
	}); err != nil {
		t.Fatal(err)
	}
	r.risen(tab)
	r.settle()
	if n := r.server.Len(); n != 3 {
		t.Errorf("%d cells, want 3", n)
	}
}

// The copy that stays may have been moved on when the other yields to it. Text put into it then comes too late for
// the server, and late edits of the removed copy belong into the latest copy.
func TestACopyMayYieldToOneThatWasMovedOn(t *testing.T) {
	for name, c := range map[string]struct {
		want string
		do   func(t *testing.T, r *room, second, typist *peer)
	}{
		"its own key": {"a = 42!", func(t *testing.T, r *room, second, _ *peer) {
			second.typeIn(t, "a", 6, "!")
			r.risen(second)
		}},
		"its own key over another": {"a = 43", func(t *testing.T, r *room, second, _ *peer) {
			edit(t, second.Notebook, func(e *Editor) error { return e.SetSource("a", "a = 43") })
			r.risen(second)
		}},
		"a tab's key": {"a = 42?", func(t *testing.T, r *room, _, typist *peer) {
			r.sunk(typist)
			typist.typeIn(t, "a", 6, "?")
			r.risen(typist)
		}},
		"a tab's deletion": {"a = 4", func(t *testing.T, r *room, _, typist *peer) {
			r.sunk(typist)
			typist.cut(t, "a", 5, 6)
			r.risen(typist)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, 3, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
			first, second, typist := r.peers[0], r.peers[1], r.peers[2]
			move(t, second, "a", 1)
			move(t, first, "a", 2)
			r.risen(second)
			c.do(t, r, second, typist)
			r.risen(first)
			move(t, first, "a", 0)
			r.risen(first)
			r.settle()
			r.shows(t, 3, "a", c.want)
		})
	}
}

// If a cell was moved twice, either of its copies may be the rival of another's concurrent move, and both look the
// same: the yielding replica must know which, or it inserts text that the other carries over itself.
func TestARivalSaysWhatItIsACopyOf(t *testing.T) {
	for name, known := range map[string]bool{"of the first": false, "of the second": true} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, 2, NewCell{ID: "a", Type: Code, Source: "a"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
			first, second := r.peers[0], r.peers[1]
			move(t, second, "a", 1)
			r.risen(second)
			r.sunk(second)
			if known {
				r.sunk(first)
			}
			second.typeIn(t, "a", 1, "!")
			move(t, second, "a", 2)
			r.risen(second)
			r.sunk(second)
			move(t, first, "a", (r.at(first, "a")+1)%3)
			r.risen(first)
			r.settle()
			r.shows(t, 3, "a", "a!")
		})
	}
}

// The same if the two copies have different originals of these, and a tab's text is known to one replica only: the
// other replica carries it over.
func TestARivalOfTheCellBeforeTwoMoves(t *testing.T) {
	for _, swap := range []bool{false, true} {
		for _, before := range []bool{false, true} { // the cell is itself the second's copy
			for _, heard := range []bool{false, true} { // the second has received its first move back before the next
				t.Run(fmt.Sprint("the other first: ", swap, ", a copy: ", before, ", heard: ", heard), func(t *testing.T) {
					r := newRoom(t, 3, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
					first, second, typist := r.peers[0], r.peers[1], r.peers[2]
					if swap {
						first, second = second, first
					}
					if before {
						move(t, second, "a", 2)
						r.settle()
						move(t, second, "a", 0)
						r.settle()
					}
					typist.typeIn(t, "a", 2, "?")
					r.risen(typist)
					r.sunk(second)
					move(t, second, "a", 1)
					r.risen(second)
					if heard {
						r.sunk(second)
					}
					move(t, second, "a", 2)
					r.risen(second)
					move(t, first, "a", 1)
					r.risen(first)
					r.settle()
					if n := r.server.Len(); n != 3 {
						t.Fatalf("%d cells, want 3", n)
					}
					if got, want := source(r.server, "a"), "a ?= 42"; got != want {
						t.Errorf("%q, want %q", got, want)
					}
				})
			}
		}
	}
}

// shows checks the server's number of cells, and the source of one of them.
func (r *room) shows(t *testing.T, cells int, id, want string) {
	t.Helper()
	if n := r.server.Len(); n != cells {
		t.Fatalf("%d cells, want %d", n, cells)
	}
	if got := source(r.server, id); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func (r *room) at(p *peer, id string) int {
	r.t.Helper()
	i, ok := p.Index(id)
	if !ok {
		r.t.Fatalf("there is no cell %s", id)
	}
	return i
}
