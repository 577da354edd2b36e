package crdt

import (
	"errors"
	"testing"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// What a state lacks for its content is named; a deletion of what is missing hides nothing, and is no gap.
func TestGapIsNamed(t *testing.T) {
	source := New(Options{ClientID: 7})
	list := source.Root("list", KindText)
	source.Transact(func(x *Tx) { x.InsertText(list, 0, "abc") })
	rest, err := source.Diff(wire.EncodeStateVector(map[uint64]uint64{7: 2}))
	if err != nil {
		t.Fatal(err)
	}
	replica := New(Options{})
	replica.Root("list", KindText)
	var gap *GapError
	if err := replica.Apply(rest); !errors.As(err, &gap) || !errors.Is(err, ErrPending) || gap.Gap() != "changes of client 7 up to number 1 are missing" {
		t.Errorf("%v", err)
	}
	whole, err := source.Diff(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := replica.Apply(whole); err != nil || replica.Held() != 0 {
		t.Errorf("with the rest: %v", err)
	}
	source.Transact(func(x *Tx) { x.RemoveText(list, 0, 1) })
	deletion, err := source.Diff(wire.EncodeStateVector(map[uint64]uint64{7: 3}))
	if err != nil {
		t.Fatal(err)
	}
	if err := New(Options{}).Apply(deletion); !errors.Is(err, ErrPending) || errors.As(err, &gap) {
		t.Errorf("a deletion: %v", err)
	}
}
