package crdt

import (
	"bytes"
	"testing"

	"github.com/shoenig/test"
)

// A relaying replica passes on the new part of an update, and nothing if nothing was new.
func TestRelayPassesOnWhatIsNew(t *testing.T) {
	a, c := newSheet(Options{ClientID: 1}), newSheet(Options{ClientID: 3})
	hub := newSheet(Options{ClientID: 2, Relay: true})
	var out [][]byte
	hub.OnUpdate(func(u []byte) { out = append(out, u) })
	a.put(t, 0, "one")
	first := a.whole(t)
	hub.take(t, first)
	a.put(t, 3, " two")
	a.edit(t, func(x *Tx) { x.RemoveText(a.text, 0, 1) })
	hub.take(t, a.whole(t))
	hub.take(t, first) // known
	hub.put(t, 0, "zero ")
	if len(out) != 3 {
		t.Fatalf("%d updates were passed on, want 3", len(out))
	}
	for _, u := range out {
		c.take(t, u)
	}
	if got, want := c.text.Characters(), "zero ne two"; got != want {
		t.Errorf("the third has %q, want %q", got, want)
	}
	if !bytes.Equal(c.whole(t), hub.whole(t)) {
		t.Error("the third and the hub differ")
	}
}

// Two replicas that write the same content as client 0 produce the same history.
func TestClientZero(t *testing.T) {
	write := func() []byte {
		s := newSheet(Options{ClientZero: true})
		s.edit(t, func(x *Tx) {
			x.InsertText(s.text, 0, "text")
			x.InsertValue(s.list, 0, map[string]any{"a": 1.0})
			x.InsertValue(s.list, 0, "first")
		})
		if s.ClientID() != 0 {
			t.Errorf("writes as %d", s.ClientID())
		}
		return s.whole(t)
	}
	one, two := write(), write()
	if !bytes.Equal(one, two) {
		t.Errorf("the histories differ:\n%x\n%x", one, two)
	}
	r := newSheet(Options{})
	r.take(t, one)
	r.take(t, two)
	got := r.text.Characters()
	test.Eq(t, "text", got)
	test.Eq(t, 2, r.list.Len())
	test.EqOp[any](t, "first", r.list.List()[0])
}
