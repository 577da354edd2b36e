package ydoc

import (
	"fmt"
	"testing"
)

// Where two agents move a cell at once, it is there once afterwards, with what either and others wrote into either copy
// or into the cell itself before.
func TestACellThatTwoMoveIsThereOnce(t *testing.T) {
	for name, c := range map[string]struct {
		want  string
		early bool // before they move it, or else afterwards
		do    func(t *testing.T, r *room, first, second, typist *peer)
	}{
		"untouched": {"a = 42", false, func(*testing.T, *room, *peer, *peer, *peer) {}},
		"a key that neither knew of": {"a = 42!", true, func(t *testing.T, r *room, _, _, typist *peer) {
			typist.typeIn(t, "a", 6, "!")
			r.risen(typist)
		}},
		"a key that one knew of": {"a = 42!", true, func(t *testing.T, r *room, _, second, typist *peer) {
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
				if n := r.server.Len(); n != 3 {
					t.Fatalf("%d cells, want 3", n)
				}
				if got := source(r.server, "a"); got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		}
	}
}
