package ydoc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// room is a server that passes on the updates of its replica, in order, with queues in both directions for each peer.
type room struct {
	t      *testing.T
	hub    *crdt.Replica
	server *Notebook // reads the hub's updates
	peers  []*peer
}

// peer is one replica in a room, with its undelivered updates.
type peer struct {
	*Notebook
	up, down [][]byte
}

func newRoom(t *testing.T, peers int, cells ...NewCell) *room {
	return newRoomWith(t, peers, 0, cells...)
}

// newRoomWith is newRoom, with tabs as the last of the peers.
func newRoomWith(t *testing.T, peers, tabs int, cells ...NewCell) *room {
	r := &room{t: t, hub: crdt.New(crdt.Options{ClientID: 101, Relay: true}), server: NewNotebookWith(Options{ClientID: 102})}
	r.hub.Root(rootCells, crdt.KindArray)
	r.hub.Root(rootMeta, crdt.KindMap)
	r.hub.Root(rootState, crdt.KindMap)
	r.hub.OnUpdate(func(u []byte) {
		apply(t, r.server.Doc, u)
		for _, p := range r.peers {
			p.down = append(p.down, u)
		}
	})
	first := NewNotebookWith(Options{ClientID: 100})
	insert(t, first, 0, cells...)
	start := diff(t, first.Doc, nil)
	r.take(start)
	for i := range peers {
		make := NewNotebookWith
		if i >= peers-tabs {
			make = newTab
		}
		p := &peer{Notebook: make(Options{ClientID: uint64(i + 1)})}
		recorded(t, 64, p.Notebook)
		apply(t, p.Doc, start)
		p.OnUpdate(func(u []byte) { p.up = append(p.up, u) })
		r.peers = append(r.peers, p)
	}
	return r
}

func (r *room) take(u []byte) {
	if err := r.hub.Apply(u); err != nil {
		r.t.Fatal(err)
	}
}

// rise delivers one update of a peer to the server, sink one of the server's to the peer.
func (r *room) rise(p *peer) bool {
	if len(p.up) == 0 {
		return false
	}
	u := p.up[0]
	p.up = p.up[1:]
	r.take(u)
	return true
}

func (r *room) sink(p *peer) bool {
	if len(p.down) == 0 {
		return false
	}
	u := p.down[0]
	p.down = p.down[1:]
	apply(r.t, p.Doc, u)
	return true
}

// settle delivers everything.
func (r *room) settle() {
	for more := true; more; {
		more = false
		for _, p := range r.peers {
			for r.rise(p) || r.sink(p) {
				more = true
			}
		}
	}
	for i, p := range r.peers {
		if want, got := r.server.Cells(), p.Cells(); len(want) != len(got) {
			r.t.Fatalf("peer %d has %d cells, the server %d", i+1, len(got), len(want))
		}
		sameCells(r.t, r.server, p.Notebook)
	}
}

func (p *peer) typeIn(t *testing.T, id string, at int, text string) {
	t.Helper()
	edit(t, p.Notebook, func(e *Editor) error {
		c, _ := e.Cell(id)
		return e.SetSource(id, c.Source[:at]+text+c.Source[at:])
	})
}

func (p *peer) cut(t *testing.T, id string, from, to int) {
	t.Helper()
	edit(t, p.Notebook, func(e *Editor) error {
		c, _ := e.Cell(id)
		return e.SetSource(id, c.Source[:from]+c.Source[to:])
	})
}

func source(n *Notebook, id string) string {
	c, _ := n.Cell(id)
	return c.Source
}

// Updates that the server passed on before it had a move reach the mover afterwards: they are carried over to the
// copy, in order, once, with their deletions, and newer content of the copy stays.
func TestLateTextIsCarriedToTheMovedCell(t *testing.T) {
	for name, c := range map[string]struct {
		before, want string
		do           func(t *testing.T, mover, typist *peer)
	}{
		"typed in the middle": {"hello world", "hello, big world", func(t *testing.T, _, p *peer) {
			p.typeIn(t, "a", 5, ",")
			p.typeIn(t, "a", 6, " big")
		}},
		"typed at the start": {"hello", "oh, hello", func(t *testing.T, _, p *peer) {
			p.typeIn(t, "a", 0, "o")
			p.typeIn(t, "a", 1, "h")
			p.typeIn(t, "a", 2, ", ")
		}},
		"typed backwards": {"hello", "cbahello", func(t *testing.T, _, p *peer) {
			p.typeIn(t, "a", 0, "a")
			p.typeIn(t, "a", 0, "b")
			p.typeIn(t, "a", 0, "c")
		}},
		"typed into an empty cell": {"", "xyz", func(t *testing.T, _, p *peer) {
			p.typeIn(t, "a", 0, "x")
			p.typeIn(t, "a", 1, "y")
			p.typeIn(t, "a", 2, "z")
		}},
		"deleted": {"hello world", "hold", func(t *testing.T, _, p *peer) {
			p.cut(t, "a", 1, 7)
			p.cut(t, "a", 2, 3)
		}},
		"typed and deleted again": {"hello", "hello!", func(t *testing.T, _, p *peer) {
			p.typeIn(t, "a", 5, "?")
			p.cut(t, "a", 5, 6)
			p.typeIn(t, "a", 5, "!")
		}},
		"with characters of two units": {"a😀b", "a😀é😀b", func(t *testing.T, _, p *peer) {
			p.typeIn(t, "a", 5, "é")
			p.typeIn(t, "a", 7, "😀")
		}},
		"while the copy is edited": {"one two three", "1 two 2½ 3", func(t *testing.T, mover, p *peer) {
			p.typeIn(t, "a", 7, " 2½")
			edit(t, mover.Notebook, func(e *Editor) error { return e.SetSource("a", "1 two 3") })
		}},
		"and moved again": {"hello", "hello!", func(t *testing.T, mover, p *peer) {
			p.typeIn(t, "a", 5, "!")
			edit(t, mover.Notebook, func(e *Editor) error { return e.Move("a", 1) })
		}},
		"and its type changed": {"hello", "hello!", func(t *testing.T, mover, p *peer) {
			p.typeIn(t, "a", 5, "!")
			edit(t, mover.Notebook, func(e *Editor) error { return e.SetType("a", Markdown) })
		}},
		"and the move undone": {"hello", "hello!", func(t *testing.T, mover, p *peer) {
			p.typeIn(t, "a", 5, "!")
			undo(t, mover.Notebook)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, 2, NewCell{ID: "a", Type: Code, Source: c.before}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
			mover, typist := r.peers[0], r.peers[1]
			edit(t, mover.Notebook, func(e *Editor) error { return e.Move("a", 2) })
			c.do(t, mover, typist)
			for r.rise(typist) { // before the move
			}
			r.settle()
			if got := source(r.server, "a"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// fates count what happened to the typed letters.
type fates struct{ typed, lost, doubled, dropped int }

// TestNoDeliveredKeyIsLost makes an agent move cells while three others type single letters, each its own, with
// random delays on all ways. The server drops letters for a cell that arrive after its move, which cannot be helped;
// of the letters passed on, none is lost or duplicated, and one typist's letters in one cell stay in order.
func TestNoDeliveredKeyIsLost(t *testing.T) {
	var all fates
	for seed := range uint64(100) {
		f := typeAndMove(t, seed)
		all.typed += f.typed
		all.lost += f.lost
		all.doubled += f.doubled
		all.dropped += f.dropped
	}
	t.Logf("%d keys typed, %d dropped by the server, %d of the others lost, %d doubled", all.typed, all.dropped, all.lost, all.doubled)
	test.LessEq(t, 0, all.lost)
	test.LessEq(t, 0, all.doubled)
}

func typeAndMove(t *testing.T, seed uint64) (f fates) {
	rng := rand.New(rand.NewPCG(seed, 0))
	ids := []string{"a", "b", "c"}
	var cells []NewCell
	for _, id := range ids {
		cells = append(cells, NewCell{ID: id, Type: Code, Source: strings.Repeat(".", rng.IntN(4))})
	}
	r := newRoom(t, 4, cells...)
	delivered := map[string]bool{}
	var typed []string
	next := 'Ā'
	for range 120 {
		who := rng.IntN(4)
		p := r.peers[who]
		switch what := rng.IntN(10); {
		case who == 0 && what < 2:
			edit(t, p.Notebook, func(e *Editor) error { return e.Move(ids[rng.IntN(3)], rng.IntN(3)) })
		case who > 0 && what < 4:
			id, key := ids[rng.IntN(3)], string(next)
			next++
			typed = append(typed, key)
			edit(t, p.Notebook, func(e *Editor) error {
				c, _ := e.Cell(id)
				chars := []rune(c.Source)
				return e.SetSource(id, string(slices.Insert(chars, rng.IntN(len(chars)+1), []rune(key)...)))
			})
		case what < 7:
			before := r.server.text()
			r.rise(p)
			for key := range strings.SplitSeq(r.server.text(), "") {
				if !strings.Contains(before, key) {
					delivered[key] = true
				}
			}
		default:
			r.sink(p)
		}
	}
	// Undelivered updates go up one by one, too.
	for more := true; more; {
		more = false
		for _, p := range r.peers {
			before := r.server.text()
			if r.rise(p) {
				more = true
			}
			for key := range strings.SplitSeq(r.server.text(), "") {
				if !strings.Contains(before, key) {
					delivered[key] = true
				}
			}
			more = r.sink(p) || more
		}
	}
	r.settle()
	text := r.server.text()
	for _, key := range typed {
		f.typed++
		switch n := strings.Count(text, key); {
		case n > 1:
			f.doubled++
			t.Errorf("seed %d: %s is there %d times: %s", seed, key, n, text)
		case n == 0 && delivered[key]:
			f.lost++
			t.Errorf("seed %d: %s is lost: %s", seed, key, text)
		case n == 0:
			f.dropped++
		}
	}
	return f
}

// text returns all sources.
func (n *Notebook) text() string {
	var b strings.Builder
	for _, c := range n.Cells() {
		fmt.Fprintln(&b, c.Source)
	}
	return b.String()
}

// A moved text is remembered until the server has the move, and a minute longer.
func TestMovedTextIsForgotten(t *testing.T) {
	for name, c := range map[string]struct {
		told bool
		wait time.Duration
		want string
	}{
		"never announced":       {false, time.Hour, "hello!"},
		"announced":             {true, 50 * time.Second, "hello!"},
		"announced long before": {true, 70 * time.Second, "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t, 2, NewCell{ID: "a", Type: Code, Source: "hello"}, NewCell{ID: "b", Type: Code})
				mover, typist := r.peers[0], r.peers[1]
				typist.typeIn(t, "a", 5, "!")
				late := typist.up[0]
				edit(t, mover.Notebook, func(e *Editor) error { return e.Move("a", 1) })
				if c.told {
					r.rise(mover)
					r.sink(mover)
					mover.typeIn(t, "b", 0, "x") // the time counts from here
				}
				time.Sleep(c.wait)
				mover.typeIn(t, "b", 0, "x")
				apply(t, mover.Doc, late)
				if got := source(mover.Notebook, "a"); got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		})
	}
}

// Text carried over is reported as its author's change, and is not an edit of ours that can be undone.
func TestCarriedTextIsTheTypists(t *testing.T) {
	r := newRoom(t, 2, NewCell{ID: "a", Type: Code, Source: "hello"}, NewCell{ID: "b", Type: Code})
	mover, typist := r.peers[0], r.peers[1]
	typist.typeIn(t, "a", 5, "!")
	edit(t, mover.Notebook, func(e *Editor) error { return e.Move("a", 1) })
	s := mover.Subscribe()
	defer s.Close()
	apply(t, mover.Doc, typist.up[0])
	c, err := s.Take()
	must.NoError(t, err)
	test.True(t, c.Origin.Others)
	test.False(t, c.Origin.Ours)
	test.SliceEqOp(t, []uint64{2}, c.Origin.Clients)
	undo(t, mover.Notebook)
	if got := source(mover.Notebook, "a"); got != "hello!" {
		t.Errorf("after the move was undone %q, want %q", got, "hello!")
	}
}

// An agent's edit may reach the server after another's move, which drops it: the agent itself repeats it in the copy,
// including its deletion.
func TestDroppedEditsAreMadeInTheCopy(t *testing.T) {
	for name, c := range map[string]struct {
		before, want string
		do           func(t *testing.T, p *peer)
	}{
		"inserted": {"hello", "hey, hello", func(t *testing.T, p *peer) {
			p.typeIn(t, "a", 0, "hey")
			p.typeIn(t, "a", 3, ", ")
		}},
		"replaced": {"x = 1\ny = 2", "x = 10\nz = 20", func(t *testing.T, p *peer) {
			edit(t, p.Notebook, func(e *Editor) error { return e.SetSource("a", "x = 10\nz = 20") })
		}},
		"twice": {"one two three", "1 two 3!", func(t *testing.T, p *peer) {
			edit(t, p.Notebook, func(e *Editor) error { return e.SetSource("a", "1 two three") })
			edit(t, p.Notebook, func(e *Editor) error { return e.SetSource("a", "1 two 3!") })
		}},
		"its own replaced": {"a", "a: bd", func(t *testing.T, p *peer) {
			p.typeIn(t, "a", 1, ": bc")
			edit(t, p.Notebook, func(e *Editor) error { return e.SetSource("a", "a: bd") })
		}},
	} {
		for times, want := range map[int]int{1: 2, 2: 0} {
			t.Run(fmt.Sprint(name, ", moved ", times), func(t *testing.T) {
				r := newRoom(t, 3, NewCell{ID: "a", Type: Code, Source: c.before}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
				mover, agent := r.peers[0], r.peers[1]
				edit(t, mover.Notebook, func(e *Editor) error { return e.Move("a", 2) })
				if times == 2 {
					edit(t, mover.Notebook, func(e *Editor) error { return e.Move("a", 0) })
				}
				c.do(t, agent)
				for r.rise(mover) { // before the edits
				}
				r.settle()
				if got := source(r.server, "a"); got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
				if at, _ := r.server.Index("a"); at != want {
					t.Errorf("it stands at %d, want %d", at, want)
				}
			})
		}
	}
}

// Text carried over into the middle of a text is copied with it when that is moved again. It stays if a client that
// has not seen it yet deletes the text before and after it.
func TestCarriedTextStaysWhereTheTextAroundItIsDeleted(t *testing.T) {
	r := newRoom(t, 2, NewCell{ID: "a", Type: Code, Source: "hello"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code})
	mover, typist := r.peers[0], r.peers[1]
	move := func(to int) { edit(t, mover.Notebook, func(e *Editor) error { return e.Move("a", to) }) }
	move(2)
	typist.typeIn(t, "a", 2, "😀")
	r.rise(typist) // before the move
	r.rise(mover)
	for r.sink(typist) { // and has the copy without the typed text
	}
	typist.cut(t, "a", 1, 4)
	move(0)
	for r.sink(mover) { // the typed text
	}
	move(1)
	for r.rise(typist) { // the deletion, before the further moves
	}
	r.settle()
	if got := source(r.server, "a"); got != "h😀o" {
		t.Errorf("%q, want %q", got, "h😀o")
	}
}
