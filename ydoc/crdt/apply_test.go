package crdt

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestRefusedUpdatesChangeNothing(t *testing.T) {
	s := newSheet(Options{})
	s.put(t, 0, "text")
	sv, full := s.vector(t), s.whole(t)
	inputs := [][]byte{nil, {}, {1}, {0x80, 0x80, 0x80, 0x80, 0x40}, slices.Concat(full, []byte{0})}
	for i := range full {
		inputs = append(inputs, full[:i])
	}
	var format *wire.FormatError
	for _, in := range inputs {
		if err := s.Apply(in); !errors.As(err, &format) {
			t.Fatalf("%x: %v", in, err)
		}
	}
	if _, err := s.Diff([]byte{0x05}); !errors.As(err, &format) {
		t.Errorf("state vector: %v", err)
	}
	test.True(t, bytes.Equal(s.vector(t), sv), test.Sprint("the document changed"))
	test.NoError(t, s.Err(), test.Sprint("the document changed"))
}

func TestUpdatesOutOfOrderAreHeldBack(t *testing.T) {
	all := sheets(3)
	a, b, c := all[0], all[1], all[2]
	var updates [][]byte
	a.OnUpdate(func(u []byte) { updates = append(updates, u) })
	a.put(t, 0, "1")
	a.put(t, 1, "23")
	a.edit(t, func(x *Tx) { x.RemoveText(a.text, 1, 1) })
	// Backwards: the deletion arrives before the deleted content.
	for _, u := range []int{2, 1} {
		if err := b.Apply(updates[u]); !errors.Is(err, ErrPending) {
			t.Fatalf("update %d: %v", u, err)
		}
	}
	test.Eq(t, 0, b.text.Len())
	test.Eq(t, 2, b.Held())
	b.take(t, updates[0])
	test.Eq(t, 0, b.Held(), test.Sprint("the states differ"))
	test.Eq(t, b.content(t), a.content(t), test.Sprint("the states differ"))
	test.True(t, bytes.Equal(a.vector(t), b.vector(t)), test.Sprint("the states differ"))
	// A whole state completes it as well.
	if err := c.Apply(updates[2]); !errors.Is(err, ErrPending) {
		t.Fatal(err)
	}
	c.take(t, a.whole(t))
	if a.content(t) != c.content(t) {
		t.Error("the states differ")
	}
}

func TestHeldUpdatesAreBounded(t *testing.T) {
	a := newSheet(Options{ClientID: 1})
	b := newSheet(Options{ClientID: 2, Limits: Limits{HeldUpdates: 3, HeldBytes: 200}})
	var updates [][]byte
	a.put(t, 0, "not sent")
	a.OnUpdate(func(u []byte) { updates = append(updates, u) })
	for range 5 {
		a.put(t, 0, "text")
	}
	for _, u := range updates[1:] {
		_ = b.Apply(u)
	}
	if b.Held() != 3 {
		t.Errorf("%d held", b.Held())
	}
	a.put(t, 0, strings.Repeat("x", 300))
	err := b.Apply(updates[5])
	test.ErrorIs(t, err, ErrPending)
	test.Eq(t, 3, b.Held())
}

func TestForeignUseOfOurClientIDBreaksTheDocument(t *testing.T) {
	a, b := newSheet(Options{ClientID: 7}), newSheet(Options{ClientID: 7})
	a.put(t, 0, "x")
	if err := b.Apply(a.whole(t)); !errors.Is(err, ErrBroken) {
		t.Error(err)
	}
}
