package ydoc

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// If an agent is killed right after moving a cell that another has moved at once, the other removes its copy after a
// while, and keeps its text.
func TestACopyOfOneWhoHasGoneGoes(t *testing.T) {
	for _, gone := range []bool{true, false} {
		for name, c := range map[string]struct {
			want string
			do   func(r *room, first, second, typist *peer)
		}{
			"untouched": {"a = 42", func(*room, *peer, *peer, *peer) {}},
			"both are edited": {"_a = 42!", func(r *room, first, second, _ *peer) {
				first.typeIn(r.t, "a", 0, "_")
				second.typeIn(r.t, "a", 6, "!")
			}},
			"a deletion in what stays": {"a = 2!", func(r *room, first, second, _ *peer) {
				first.cut(r.t, "a", 4, 5)
				second.typeIn(r.t, "a", 6, "!")
			}},
			"a tab's key in what goes": {"a = 42?", func(r *room, _, second, typist *peer) {
				r.risen(second)
				r.sunk(typist)
				typist.typeIn(r.t, "a", 6, "?")
				r.risen(typist)
			}},
			"and moved on": {"a = 42!", func(r *room, first, second, _ *peer) {
				second.typeIn(r.t, "a", 6, "!")
				r.risen(second)
				r.sunk(first)
				move(r.t, first, "a", 0)
			}},
		} {
			t.Run(fmt.Sprint(name, ", has gone: ", gone), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRoom(t, 3, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
					first, second, typist := r.peers[0], r.peers[1], r.peers[2]
					move(t, first, "a", 2)
					move(t, second, "a", 1)
					c.do(r, first, second, typist)
					r.risen(first)
					r.risen(second)
					if gone {
						r.peers = []*peer{first, typist}
						r.settle()
						if n := r.server.Len(); n != 4 {
							t.Fatalf("%d cells, want 4", n)
						}
					}
					for _, wait := range []time.Duration{10 * time.Second, 10 * time.Second, 0} {
						time.Sleep(wait)
						typist.typeIn(t, "b", 0, "#")
						r.settle()
					}
					r.shows(t, 3, "a", c.want)
				})
			})
		}
	}
}

// If it returns after all, it removes its own copy as usual: the cell exists once.
func TestACopyOfOneWhoComesBackGoesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 3, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
		first, second, typist := r.peers[0], r.peers[1], r.peers[2]
		move(t, first, "a", 2)
		move(t, second, "a", 1)
		r.risen(first)
		r.risen(second)
		second.typeIn(t, "b", 0, "!") // not delivered yet
		r.peers = []*peer{first, typist}
		r.hub.OnUpdate(func(u []byte) {
			apply(t, r.server.Doc, u)
			for _, p := range []*peer{first, second, typist} {
				p.down = append(p.down, u)
			}
		})
		r.settle()
		time.Sleep(20 * time.Second)
		typist.typeIn(t, "b", 0, "#")
		r.settle()
		if n := r.server.Len(); n != 3 {
			t.Fatalf("%d cells, want 3", n)
		}
		r.peers = []*peer{first, second, typist}
		r.settle()
		if n := r.server.Len(); n != 3 {
			t.Errorf("%d cells, want 3", n)
		}
		if got := source(r.server, "a"); got != "a = 42" {
			t.Errorf("%q, want %q", got, "a = 42")
		}
	})
}
