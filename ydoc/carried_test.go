package ydoc

import (
	"fmt"
	"testing"
)

// overtake makes the server's state answer arrive before earlier changes, which can happen because a server answers
// at once and passes changes on in a separate task.
func (r *room) overtake(p *peer) {
	r.t.Helper()
	u, err := r.hub.Diff(stateVector(r.t, p.Doc))
	if err != nil {
		r.t.Fatal(err)
	}
	apply(r.t, p.Doc, u)
}

// risen delivers all updates of a peer to the server.
func (r *room) risen(p *peer) {
	for r.rise(p) {
	}
}

// sunk delivers all updates from the server to a peer.
func (r *room) sunk(p *peer) {
	for r.sink(p) {
	}
}

func move(t *testing.T, p *peer, id string, to int) {
	t.Helper()
	edit(t, p.Notebook, func(e *Editor) error { return e.Move(id, to) })
}

// changedSources are changes of the cell source "a = 42".
var changedSources = map[string]string{
	"replaced":        "a = 44",
	"deleted":         "a = 4",
	"inserted":        "a = 422",
	"at both ends":    "b = 43",
	"all but a space": "x y",
	"emptied":         "",
}

// Late edits of a cell are carried over by the client that moved it. If another client moves the copy before they
// reach the server, the server drops them: insertions and deletions are then repeated in the next copy.
func TestCarriedEditsFollowTheNextMove(t *testing.T) {
	for name, want := range changedSources {
		for _, where := range []int{1, 0} {
			t.Run(name, func(t *testing.T) {
				r := newRoom(t, 3, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
				first, second, typist := r.peers[0], r.peers[1], r.peers[2]
				edit(t, typist.Notebook, func(e *Editor) error { return e.SetSource("a", want) })
				r.risen(typist)
				move(t, first, "a", 2)
				r.risen(first)
				r.sunk(second)
				move(t, second, "a", where)
				r.risen(second)
				r.settle()
				if got := source(r.server, "a"); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			})
		}
	}
}

// An agent's edit that the server drops after a move is repeated in the copy, also if it only deletes, or deletes in
// one cell and inserts in another.
func TestDroppedDeletionsAreMadeInTheCopy(t *testing.T) {
	for name, want := range changedSources {
		for _, other := range []string{"", "more"} {
			t.Run(name, func(t *testing.T) {
				r := newRoom(t, 2, NewCell{ID: "a", Type: Code, Source: "a = 42"}, NewCell{ID: "b", Type: Code})
				mover, agent := r.peers[0], r.peers[1]
				move(t, mover, "a", 1)
				edit(t, agent.Notebook, func(e *Editor) error {
					if err := e.SetSource("b", other); err != nil {
						return err
					}
					return e.SetSource("a", want)
				})
				r.risen(mover)
				r.settle()
				if got := source(r.server, "a"); got != want {
					t.Errorf("%q, want %q", got, want)
				}
				if got := source(r.server, "b"); got != other {
					t.Errorf("the other cell is %q, want %q", got, other)
				}
			})
		}
	}
}

// A deletion that the server had before the move is not repeated: neither if the mover had it, nor if the mover
// carries it over.
func TestDeletionsBeforeAMoveAreMadeOnce(t *testing.T) {
	for name, known := range map[string]bool{"known to the mover": true, "carried over": false} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, 2, NewCell{ID: "a", Type: Code, Source: "aaaa"}, NewCell{ID: "b", Type: Code})
			mover, agent := r.peers[0], r.peers[1]
			agent.cut(t, "a", 1, 2)
			r.risen(agent)
			if known {
				r.sunk(mover)
			}
			move(t, mover, "a", 1)
			r.risen(mover)
			r.settle()
			if got := source(r.server, "a"); got != "aaa" {
				t.Errorf("%q, want %q", got, "aaa")
			}
		})
	}
}

// The answer to a mover's state request may overtake earlier changes: it only shows that a key is gone with the cell,
// and the key itself comes later. It is carried over then.
func TestKeysThatAnAnswerOvertookAreCarried(t *testing.T) {
	for name, c := range map[string]struct {
		before, want string
		do           func(t *testing.T, p *peer)
	}{
		"one": {"hello", "hello!", func(t *testing.T, p *peer) { p.typeIn(t, "a", 5, "!") }},
		"in the middle": {"hello", "hexyzllo", func(t *testing.T, p *peer) {
			p.typeIn(t, "a", 2, "x")
			p.typeIn(t, "a", 3, "z")
			p.typeIn(t, "a", 3, "y")
		}},
		"into an empty cell": {"", "xyz", func(t *testing.T, p *peer) {
			p.typeIn(t, "a", 0, "x")
			p.typeIn(t, "a", 1, "z")
			p.typeIn(t, "a", 1, "y")
		}},
		"backwards": {"", "cba", func(t *testing.T, p *peer) {
			p.typeIn(t, "a", 0, "a")
			p.typeIn(t, "a", 0, "b")
			p.typeIn(t, "a", 0, "c")
		}},
		"and deleted again": {"hello", "hello?", func(t *testing.T, p *peer) {
			p.typeIn(t, "a", 5, "!")
			p.cut(t, "a", 5, 6)
			p.typeIn(t, "a", 5, "?")
		}},
		"replaced": {"a = 42", "a = 44", func(t *testing.T, p *peer) {
			edit(t, p.Notebook, func(e *Editor) error { return e.SetSource("a", "a = 44") })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, 2, NewCell{ID: "a", Type: Code, Source: c.before}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
			mover, typist := r.peers[0], r.peers[1]
			c.do(t, typist)
			r.risen(typist)
			move(t, mover, "a", 2)
			r.risen(mover)
			r.overtake(mover)
			r.settle()
			if got := source(r.server, "a"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Text that an agent deletes after a move may not be in the copy yet, if the mover did not have it and carries it
// over later: it is deleted on arrival, also if the copy has been moved on.
func TestDeletionsWaitForWhatTheMoverCarriesOver(t *testing.T) {
	for name, c := range map[string]struct {
		typed, then, want string
		again             bool
	}{
		"all":           {"a = 42 + 1", "a = 42", "a = 42", false},
		"some":          {"a = 42 + 1", "a = 42 1", "a = 42 1", false},
		"replaced":      {"a = 142", "a = 242", "a = 242", false},
		"of two units":  {"a = 😀42", "a = 42", "a = 42", false},
		"and moved on":  {"a = 142", "a = 42", "a = 42", true},
		"into an empty": {"b", "", "", false},
	} {
		for _, where := range []int{2, 0} {
			t.Run(name, func(t *testing.T) {
				before := "a = 42"
				if c.then == "" {
					before = ""
				}
				r := newRoom(t, 3, NewCell{ID: "b", Type: Code}, NewCell{ID: "a", Type: Code, Source: before}, NewCell{ID: "c", Type: Code})
				mover, agent, typist := r.peers[0], r.peers[1], r.peers[2]
				set := func(p *peer, source string) {
					edit(t, p.Notebook, func(e *Editor) error { return e.SetSource("a", source) })
				}
				set(typist, c.typed)
				r.risen(typist)
				r.sunk(agent)
				set(agent, c.then)
				move(t, mover, "a", where)
				r.risen(mover)
				if c.again {
					r.sunk(typist)
					move(t, typist, "a", 1)
					r.risen(typist)
				}
				r.settle()
				if got := source(r.server, "a"); got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		}
	}
}

// The same for its own key: it types a key and deletes it again, and the mover has neither, nor others' text beside
// it.
func TestADeletionOfItsOwnKeyWaits(t *testing.T) {
	for _, swap := range []bool{false, true} {
		for name, do := range map[string]func(r *room, mover, agent *peer){
			"the move arrives first": func(r *room, mover, agent *peer) {
				move(r.t, mover, "a", 2)
				r.risen(mover)
				r.sunk(agent)
				r.risen(agent)
			},
			"the deletion goes first": func(r *room, mover, agent *peer) {
				move(r.t, mover, "a", 2)
				r.risen(mover)
				r.risen(agent)
				r.sunk(agent)
			},
			"and a further edit": func(r *room, mover, agent *peer) {
				move(r.t, mover, "a", 2)
				r.risen(mover)
				r.risen(agent)
				agent.typeIn(r.t, "b", 0, "#")
				r.risen(agent)
				r.sunk(agent)
			},
		} {
			t.Run(fmt.Sprint(name, ", the other first: ", swap), func(t *testing.T) {
				r := newRoom(t, 3, NewCell{ID: "b", Type: Code}, NewCell{ID: "a", Type: Code, Source: "x = 0"}, NewCell{ID: "c", Type: Code})
				mover, agent, typist := r.peers[0], r.peers[1], r.peers[2]
				if swap {
					mover, agent = agent, mover
				}
				move(t, mover, "a", 0)
				r.settle()
				agent.typeIn(t, "a", 5, "!")
				r.risen(agent)
				r.sunk(agent)
				r.sunk(typist)
				typist.typeIn(t, "a", 5, "?")
				typist.typeIn(t, "a", 0, "_")
				r.risen(typist)
				agent.cut(t, "a", 5, 6)
				do(r, mover, agent)
				r.settle()
				if got, want := source(r.server, "a"), "_x = 0?"; got != want {
					t.Errorf("%q, want %q", got, want)
				}
			})
		}
	}
}

// Text that the server dropped after a move comes back as deleted. If the agent has moved the cell with it in the
// meantime, it stays in the copy.
func TestWhatIsDroppedIsNotDeletedInTheNextCopy(t *testing.T) {
	for _, swap := range []bool{false, true} {
		r := newRoom(t, 2, NewCell{ID: "b", Type: Code}, NewCell{ID: "a", Type: Code, Source: "x = 0"}, NewCell{ID: "c", Type: Code})
		mover, agent := r.peers[0], r.peers[1]
		if swap {
			mover, agent = agent, mover
		}
		agent.typeIn(t, "a", 5, "!")
		move(t, mover, "a", 0)
		r.risen(mover)
		r.risen(agent)
		r.sunk(agent) // and puts it into the copy
		move(t, mover, "a", 1)
		r.risen(mover)
		clock := agent.Clock(agent.ClientID()) - 1
		move(t, agent, "a", 2)
		r.rise(agent)
		// The server itself says that the dropped text is deleted (pycrdt does, this one does not).
		last := len(agent.down) - 1
		u := agent.down[last]
		if u[len(u)-1] != 0 {
			t.Fatalf("the echo deletes something: %x", u)
		}
		agent.down[last] = append(u[:len(u)-1:len(u)-1], 1, byte(agent.ClientID()), 1, byte(clock), 1)
		r.risen(agent)
		r.settle()
		if n := r.server.Len(); n != 3 {
			t.Fatalf("%d cells, want 3", n)
		}
		if got, want := source(r.server, "a"), "x = 0!"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
