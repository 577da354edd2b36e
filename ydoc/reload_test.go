package ydoc

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// A reload is recognised by the server's removals from the state or its writes, not by other writes of the server or
// of others.
func TestReloads(t *testing.T) {
	nb := NewNotebook()
	type peer struct {
		*crdt.Replica
		cells, meta, state *crdt.Type
	}
	newPeer := func() *peer {
		r := crdt.New(crdt.Options{})
		return &peer{r, r.Root(rootCells, crdt.KindArray), r.Root(rootMeta, crdt.KindMap), r.Root(rootState, crdt.KindMap)}
	}
	server, person := newPeer(), newPeer()
	does := func(who *peer, f func(x *crdt.Tx, cells, meta, state *crdt.Type)) {
		t.Helper()
		var update []byte
		who.OnUpdate(func(u []byte) { update = u })
		who.Transact(func(x *crdt.Tx) { f(x, who.cells, who.meta, who.state) })
		who.OnUpdate(nil)
		for _, other := range []interface{ Apply(update []byte) error }{nb, server, person} {
			if err := other.Apply(update); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(x *crdt.Tx, cells, meta, _ *crdt.Type) {
		x.Set(x.InsertType(cells, 0, crdt.KindMap), "id", "a")
		x.Set(x.SetType(meta, "metadata", crdt.KindMap), "k", "v")
	}
	hash := func(x *crdt.Tx, _, _, state *crdt.Type) { x.Set(state, "hash", "1") }
	clean := func(x *crdt.Tx, _, _, state *crdt.Type) { x.Set(state, "dirty", false) }
	for _, step := range []struct {
		name string
		who  *peer
		f    func(x *crdt.Tx, cells, meta, state *crdt.Type)
		want uint64
	}{
		{"loads", server, func(x *crdt.Tx, cells, meta, state *crdt.Type) {
			write(x, cells, meta, state)
			x.Set(state, "path", "a.ipynb")
		}, 0},
		{"a person writes", person, write, 0},
		{"writes into a cell", server, func(x *crdt.Tx, cells, _, _ *crdt.Type) { x.Set(x.InsertType(cells, 0, crdt.KindMap), "id", "b") }, 0},
		{"reloads, not saved yet", server, write, 1},
		{"saves", server, hash, 1},
		{"reloads", server, func(x *crdt.Tx, cells, meta, state *crdt.Type) {
			write(x, cells, meta, state)
			x.Unset(state, "hash")
		}, 2},
		{"and says that it is not dirty", server, clean, 2},
		{"a person writes after the reload", person, write, 2},
		{"saves that", server, clean, 2},
		{"and says the hash", server, hash, 2},
		{"reloads again", server, func(x *crdt.Tx, _, _, state *crdt.Type) { x.Unset(state, "hash") }, 3},
		{"and is clean", server, clean, 3},
		{"takes a cell out", server, func(x *crdt.Tx, cells, _, _ *crdt.Type) { x.Remove(cells, 0, 1) }, 3},
		{"and is clean again", server, clean, 3},
		{"and does not say the hash: it was a reload", person, write, 4},
		{"saves, once more", server, clean, 4},
		{"and says the new hash", server, hash, 4},
	} {
		does(step.who, step.f)
		if got := nb.Reloads(); got != step.want {
			t.Errorf("%s: %d reloads, want %d", step.name, got, step.want)
		}
	}
}

// jupyter-server-documents writes neither path nor hash: its writes and saves are not reloads.
func TestSavesWithoutPathAreNoReloads(t *testing.T) {
	nb, server := NewNotebook(), crdt.New(crdt.Options{})
	cells, state := server.Root(rootCells, crdt.KindArray), server.Root(rootState, crdt.KindMap)
	server.OnUpdate(func(update []byte) { must.NoError(t, nb.Apply(update)) })
	for range 3 {
		server.Transact(func(x *crdt.Tx) { x.Set(x.InsertType(cells, 0, crdt.KindMap), "id", "a") })
		server.Transact(func(x *crdt.Tx) { x.Set(state, "dirty", false) })
	}
	test.Eq(t, 0, nb.Reloads())
}
