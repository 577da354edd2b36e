package ydoc

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// savedAs makes a peer act like a server during a save: it gives a cell another id.
func (p *peer) savedAs(t *testing.T, at int, id string) {
	t.Helper()
	err := p.do("save", func() error {
		p.arrange()
		cell := p.order[at].typ
		return p.write(func(x tx) { x.Set(cell, keyID, id) })
	})
	if err != nil {
		t.Fatal(err)
	}
}

// newSavedRoom makes a room whose last peer is a server.
func newSavedRoom(t *testing.T, peers int) (*room, *peer) {
	r := newRoom(t, peers, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
	server := r.peers[peers-1]
	if err := server.do("start", func() error {
		return server.write(func(x tx) { x.Set(server.state, "path", "a.ipynb") })
	}); err != nil {
		t.Fatal(err)
	}
	r.settle()
	return r, server
}

// If the server renames a cell because it was moved during a save, the mover restores the id, unless another cell has
// it.
func TestAMovedCellKeepsItsID(t *testing.T) {
	for name, c := range map[string]struct {
		want []string
		do   func(t *testing.T, r *room, mover, other, server *peer)
	}{
		"alone": {[]string{"b", "a", "c"}, func(t *testing.T, _ *room, _, _, server *peer) {
			server.savedAs(t, 1, "new")
		}},
		"twice": {[]string{"b", "a", "c"}, func(t *testing.T, r *room, _, _, server *peer) {
			server.savedAs(t, 1, "new")
			r.settle()
			server.savedAs(t, 1, "newer")
		}},
		"twice at once": {[]string{"b", "a", "c"}, func(t *testing.T, _ *room, _, _, server *peer) {
			server.savedAs(t, 1, "new")
			server.savedAs(t, 1, "newer")
		}},
		"and moved on": {[]string{"b", "c", "a"}, func(t *testing.T, r *room, mover, _, server *peer) {
			server.savedAs(t, 1, "new")
			r.risen(server)
			move(t, mover, "a", 2)
		}},
		"and moved on by another": {[]string{"b", "c", "a"}, func(t *testing.T, r *room, _, other, server *peer) {
			server.savedAs(t, 1, "new")
			r.risen(server)
			r.sunk(other)
			move(t, other, "a", 2)
			r.risen(other)
		}},
		"another's cell": {[]string{"b", "a", "new"}, func(t *testing.T, _ *room, _, _, server *peer) {
			server.savedAs(t, 2, "new")
		}},
		"there twice": {[]string{"b", "new", "a"}, func(t *testing.T, r *room, _, other, server *peer) {
			other.savedAs(t, 2, "a")
			r.settle()
			server.savedAs(t, 1, "new")
		}},
		"given by another": {[]string{"b", "new", "c"}, func(t *testing.T, _ *room, _, other, _ *peer) {
			other.savedAs(t, 1, "new")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r, server := newSavedRoom(t, 3)
			mover, other := r.peers[0], r.peers[1]
			move(t, mover, "a", 1)
			r.settle()
			c.do(t, r, mover, other, server)
			r.settle()
			got := nbIDs(r.server)
			if len(got) != len(c.want) {
				t.Fatalf("%q, want %q", got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Fatalf("%q, want %q", got, c.want)
				}
			}
		})
	}
}

// The server may rename either of two copies of one cell before one of them goes. The remaining copy has the cell's
// id.
func TestACellThatTwoMoveKeepsItsID(t *testing.T) {
	for _, swap := range []bool{false, true} {
		for renamed, when := range []string{"before either learns about the other", "before either learns about the other", "when one has gone"} {
			t.Run(when, func(t *testing.T) {
				r, server := newSavedRoom(t, 3)
				first, second := r.peers[0], r.peers[1]
				if swap {
					first, second = second, first
				}
				move(t, first, "a", 1)
				move(t, second, "a", 2)
				r.risen(first)
				r.risen(second)
				r.sunk(server)
				var at []int
				for i, id := range nbIDs(server.Notebook) {
					if id == "a" {
						at = append(at, i)
					}
				}
				if len(at) != 2 {
					t.Fatalf("%d copies, want 2", len(at))
				}
				server.savedAs(t, at[renamed%2], "new")
				if renamed == 2 {
					r.sunk(first)
					r.sunk(second)
				}
				r.risen(server)
				r.settle()
				move(t, r.peers[0], "b", 2) // the next change
				r.settle()
				if n := r.server.Len(); n != 3 {
					t.Fatalf("%d cells, want 3", n)
				}
				if got := source(r.server, "a"); got != "a = 42" {
					t.Errorf("%q, want %q: %q", got, "a = 42", nbIDs(r.server))
				}
			})
		}
	}
}

// After a minute a cell keeps the id that the server gave it.
func TestACellGetsUsedToItsID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, server := newSavedRoom(t, 3)
		move(t, r.peers[0], "a", 1)
		r.settle()
		r.peers[1].savedAs(t, 2, "a")
		r.settle()
		server.savedAs(t, 1, "new")
		r.settle()
		time.Sleep(renamedFor + time.Second)
		edit(t, r.peers[1].Notebook, func(e *Editor) error { return e.Delete("c") })
		r.settle()
		got := nbIDs(r.server)
		must.SliceLen(t, 2, got)
		test.Eq(t, "new", got[1])
	})
}
