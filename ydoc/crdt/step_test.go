package crdt

import (
	"testing"

	"github.com/shoenig/test"
	ycrdt "github.com/skyterra/y-crdt"
)

// TestNothingIsKeptForReleasedSteps: a step's deleted items keep their content until the step is released or undone.
func TestNothingIsKeptForReleasedSteps(t *testing.T) {
	s := newSheet(Options{ClientID: 1})
	s.put(t, 0, "one two 😀")
	record := func(f func(x *Tx)) (step *Step) {
		t.Helper()
		if err := s.Do("record", func() error { step = s.Record(f); return nil }); err != nil {
			t.Fatal(err)
		}
		return step
	}
	kept := func(want int) {
		t.Helper()
		if n := keptUnits(s.Replica); n != want {
			t.Errorf("%d units are kept, want %d", n, want)
		}
	}
	first := record(func(x *Tx) { x.RemoveText(s.text, 0, 4) })
	second := record(func(x *Tx) { x.RemoveText(s.text, 4, 2) })
	test.NotEq(t, first.Empty(), record(func(*Tx) {}).Empty())
	test.Eq(t, 4, second.Bytes())
	kept(6)
	s.Read("release", func() { s.Release(first) })
	kept(2)
	s.Read("revert", func() { s.Release(s.Revert((*Revert).Run, second)) })
	kept(0)
	if got := s.text.Characters(); got != "two 😀" {
		t.Errorf("%q", got)
	}
}

// keptUnits counts the deleted units that still have their content.
func keptUnits(r *Replica) (n int) {
	for _, structs := range r.y.Store.Clients {
		for _, s := range *structs {
			if item, ok := s.(*ycrdt.Item); ok && item.Deleted() {
				if _, gone := item.Content.(*ycrdt.ContentDeleted); !gone {
					n += item.Length
				}
			}
		}
	}
	return n
}
