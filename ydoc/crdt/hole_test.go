package crdt

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// life returns what a server stores of one opening of a room: everything except its first change.
func life(t *testing.T, client uint64, before []byte, write func(x *Tx, state, list *Type)) []byte {
	t.Helper()
	r := New(Options{ClientID: client})
	state, list := r.Root("state", KindMap), r.Root("list", KindText)
	if before != nil {
		if err := r.ApplyState(before); err != nil {
			t.Fatal(err)
		}
	}
	r.Transact(func(x *Tx) { x.Set(state, "path", "a.ipynb") })
	r.Transact(func(x *Tx) { write(x, state, list) })
	rest, err := r.Diff(wire.EncodeStateVector(map[uint64]uint64{client: 1}))
	if err != nil {
		t.Fatal(err)
	}
	return rest
}

// A state that lacks a server's first change is complete, as for the server and its tabs, and the server's later
// changes are applied. The missing change is not reported to others.
func TestStateWithoutAServersFirstChange(t *testing.T) {
	const server, later = 1 << 40, 1<<40 + 1
	rest := life(t, server, nil, func(x *Tx, state, list *Type) {
		x.Set(state, "dirty", false)
		x.Set(state, "hash", "1")
		x.InsertText(list, 0, "abc")
	})
	rest = append([]byte(nil), rest...)
	var gap *GapError
	if err := New(Options{ClientID: 7}).Apply(rest); !errors.As(err, &gap) {
		t.Errorf("as a part of a state: %v", err)
	}
	r := New(Options{ClientID: 7})
	state, list := r.Root("state", KindMap), r.Root("list", KindText)
	if err := r.ApplyState(rest); err != nil || r.Held() != 0 {
		t.Fatalf("%v, %d held", err, r.Held())
	}
	test.EqOp[any](t, "1", state.Get("hash"))
	test.NotEqOp[any](t, "a.ipynb", state.Get("path"))
	test.Eq(t, "abc", list.Characters())
	// A second life after the first.
	all, err := r.Diff(nil)
	if err != nil {
		t.Fatal(err)
	}
	again := life(t, later, all, func(x *Tx, state, _ *Type) { x.Set(state, "hash", "2") })
	err = r.ApplyState(again)
	must.NoError(t, err, must.Sprint("its second life"))
	test.EqOp[any](t, "2", state.Get("hash"), test.Sprint("its second life"))
	r.Transact(func(x *Tx) { x.RemoveText(list, 0, 1) })
	// A replica that has the first change keeps it.
	tab := New(Options{ClientID: server})
	tabs := tab.Root("state", KindMap)
	tab.Root("list", KindText)
	tab.Transact(func(x *Tx) { x.Set(tabs, "path", "a.ipynb") })
	sv, err := tab.StateVector()
	if err != nil {
		t.Fatal(err)
	}
	diff, err := r.Diff(sv)
	if err != nil {
		t.Fatal(err)
	}
	other := New(Options{ClientID: 9})
	others, text := other.Root("state", KindMap), other.Root("list", KindText)
	first, err := tab.Diff(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, update := range [][]byte{first, diff} {
		if err := other.Apply(update); err != nil {
			t.Fatal(err)
		}
	}
	test.EqOp[any](t, "a.ipynb", others.Get("path"), test.Sprint("one that has it"))
	test.EqOp[any](t, "2", others.Get("hash"), test.Sprint("one that has it"))
	test.Eq(t, "bc", text.Characters(), test.Sprint("one that has it"))
}

// A gap that hides something stays a gap: a tab's change, more than one change, and changes that others depend on.
func TestStateWithAGapStaysOne(t *testing.T) {
	for name, c := range map[string]struct {
		client uint64
		from   uint64
		write  func(x *Tx, list *Type)
	}{
		"a tab's": {7, 1, func(x *Tx, list *Type) { x.InsertText(list, 0, "a"); x.InsertText(list, 0, "b") }},
		"two": {1 << 40, 2, func(x *Tx, list *Type) {
			x.InsertText(list, 0, "a")
			x.InsertText(list, 0, "b")
			x.InsertText(list, 0, "c")
		}},
		"one built upon":   {1 << 40, 1, func(x *Tx, list *Type) { x.InsertText(list, 0, "abc") }},
		"one built behind": {1 << 40, 1, func(x *Tx, list *Type) { x.InsertText(list, 0, "a"); x.InsertText(list, 0, "b") }},
	} {
		r := New(Options{ClientID: c.client})
		list := r.Root("list", KindText)
		r.Transact(func(x *Tx) { c.write(x, list) })
		rest, err := r.Diff(wire.EncodeStateVector(map[uint64]uint64{c.client: c.from}))
		if err != nil {
			t.Fatal(err)
		}
		replica := New(Options{})
		replica.Root("list", KindText)
		var gap *GapError
		if err := replica.ApplyState(rest); !errors.As(err, &gap) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
