package crdt

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// The changes that a state's content lacks are named; a deletion of missing content hides nothing and is not a gap.
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
	err = replica.Apply(rest)
	must.True(t, errors.As(err, &gap))
	test.ErrorIs(t, err, ErrPending)
	test.Eq(t, "changes of client 7 up to number 1 are missing", gap.Gap())
	whole, err := source.Diff(nil)
	if err != nil {
		t.Fatal(err)
	}
	err = replica.Apply(whole)
	must.NoError(t, err, must.Sprint("with the rest"))
	test.Eq(t, 0, replica.Held(), test.Sprint("with the rest"))
	source.Transact(func(x *Tx) { x.RemoveText(list, 0, 1) })
	deletion, err := source.Diff(wire.EncodeStateVector(map[uint64]uint64{7: 3}))
	if err != nil {
		t.Fatal(err)
	}
	err = New(Options{}).Apply(deletion)
	test.ErrorIs(t, err, ErrPending, test.Sprint("a deletion"))
	test.False(t, errors.As(err, &gap), test.Sprint("a deletion"))
}
