package ydoc

import (
	"errors"
	"slices"
	"testing"

	crdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestRefusedUpdatesChangeNothing(t *testing.T) {
	n := NewNotebook()
	insert(t, n, 0, NewCell{ID: "c", Type: Code, Source: "1"})
	sv := stateVector(t, n.Doc)
	full := diff(t, n.Doc, nil)
	inputs := [][]byte{nil, {}, {1}, {0x80, 0x80, 0x80, 0x80, 0x40}, slices.Concat(full, []byte{0})}
	for i := range full {
		inputs = append(inputs, full[:i])
	}
	var format *wire.FormatError
	for _, in := range inputs {
		if err := n.Apply(in); !errors.As(err, &format) {
			t.Fatalf("%x: %v", in, err)
		}
	}
	if _, err := n.Diff([]byte{0x05}); !errors.As(err, &format) {
		t.Errorf("state vector: %v", err)
	}
	if !slices.Equal(stateVector(t, n.Doc), sv) || n.Err() != nil {
		t.Error("the document changed")
	}
}

func TestUpdatesOutOfOrderAreHeldBack(t *testing.T) {
	a, b := NewNotebookWith(Options{ClientID: 1}), NewNotebookWith(Options{ClientID: 2})
	var updates [][]byte
	a.OnUpdate(func(u []byte) { updates = append(updates, u) })
	insert(t, a, 0, NewCell{ID: "a", Type: Code, Source: "1"}, NewCell{ID: "b", Type: Markdown})
	edit(t, a, func(e *Editor) error { return e.SetSource("a", "12") })
	edit(t, a, func(e *Editor) error { return e.Delete("b") })
	// Backwards: the deletion comes before what it deletes.
	for _, u := range []int{2, 1} {
		if err := b.Apply(updates[u]); !errors.Is(err, ErrPending) {
			t.Fatalf("update %d: %v", u, err)
		}
	}
	if b.Len() != 0 || b.Held() != 2 {
		t.Errorf("%d cells, %d held", b.Len(), b.Held())
	}
	apply(t, b.Doc, updates[0])
	sameCells(t, a, b)
	if b.Held() != 0 || !slices.Equal(stateVector(t, a.Doc), stateVector(t, b.Doc)) {
		t.Error("the states differ")
	}
	// A whole state repairs as well.
	c := NewNotebook()
	if err := c.Apply(updates[2]); !errors.Is(err, ErrPending) {
		t.Fatal(err)
	}
	apply(t, c.Doc, diff(t, a.Doc, nil))
	sameCells(t, a, c)
}

func TestHeldUpdatesAreBounded(t *testing.T) {
	a := NewNotebookWith(Options{ClientID: 1})
	b := NewNotebookWith(Options{ClientID: 2, Limits: Limits{HeldUpdates: 3, HeldBytes: 200}})
	var updates [][]byte
	insert(t, a, 0, NewCell{ID: "a", Type: Code})
	a.OnUpdate(func(u []byte) { updates = append(updates, u) })
	for range 5 {
		edit(t, a, func(e *Editor) error { return e.AppendStream("a", "stdout", "text") })
	}
	for _, u := range updates[1:] {
		_ = b.Apply(u)
	}
	if b.Held() != 3 {
		t.Errorf("%d held", b.Held())
	}
	big := Output{"output_type": "error", "evalue": string(make([]byte, 300))}
	edit(t, a, func(e *Editor) error { return e.AppendOutput("a", big) })
	if err := b.Apply(updates[5]); !errors.Is(err, ErrPending) || b.Held() != 3 {
		t.Errorf("%v, %d held", err, b.Held())
	}
}

func TestPanicBreaksTheDocumentForGood(t *testing.T) {
	n := NewNotebook()
	insert(t, n, 0, NewCell{ID: "c", Type: Code, Source: "1"})
	err := n.do("test", func() error { crdt.Logf("x %d", 1); return nil })
	if !errors.Is(err, ErrBroken) || !errors.Is(n.Err(), ErrBroken) {
		t.Fatalf("%v, %v", err, n.Err())
	}
	if n.Len() != 0 || n.Cells() != nil {
		t.Error("a broken document reads as something")
	}
	if err := n.Edit("x", func(*Editor) error { t.Error("fn ran"); return nil }); !errors.Is(err, ErrBroken) {
		t.Error(err)
	}
	if err := n.Apply([]byte{0, 0}); !errors.Is(err, ErrBroken) {
		t.Error(err)
	}
	if _, err := n.StateVector(); !errors.Is(err, ErrBroken) {
		t.Error(err)
	}
	// The same for a panic in the middle of a transaction, after which the library would stay in it.
	n = NewNotebook()
	if err := n.do("test", func() error { n.transact(func(*tx) { panic("x") }); return nil }); !errors.Is(err, ErrBroken) {
		t.Error(err)
	}
}

func TestForeignUseOfOurClientIDBreaksTheDocument(t *testing.T) {
	a, b := NewNotebookWith(Options{ClientID: 7}), NewNotebookWith(Options{ClientID: 7})
	insert(t, a, 0, NewCell{ID: "c", Type: Code})
	if err := b.Apply(diff(t, a.Doc, nil)); !errors.Is(err, ErrBroken) {
		t.Error(err)
	}
}

func TestDocumentLimits(t *testing.T) {
	a := NewNotebook()
	insert(t, a, 0, NewCell{ID: "c", Type: Code, Source: string(make([]byte, 5000))})
	full := diff(t, a.Doc, nil)
	for name, l := range map[string]Limits{"bytes": {DocumentBytes: 4000}, "structs": {Structs: 5}, "clients": {Clients: 1}} {
		b := NewNotebookWith(Options{Limits: l})
		if name == "clients" {
			other := NewNotebook()
			insert(t, other, 0, NewCell{Type: Raw})
			apply(t, b.Doc, diff(t, other.Doc, nil))
		}
		if err := b.Apply(full); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := a.Edit("big", func(e *Editor) error { return e.SetSource("c", "x") })
	if err != nil {
		t.Fatal(err)
	}
	small := NewNotebookWith(Options{Limits: Limits{TextBytes: 10, Cells: 1, Depth: 3}})
	insert(t, small, 0, NewCell{ID: "c", Type: Code})
	for name, fn := range map[string]func(e *Editor) error{
		"text": func(e *Editor) error { return e.SetSource("c", "12345678901") },
		"stream": func(e *Editor) error {
			_ = e.AppendStream("c", "stdout", "123456")
			return e.AppendStream("c", "stdout", "123456")
		},
		"cells": func(e *Editor) error { _, err := e.Insert(0, NewCell{Type: Code}); return err },
	} {
		if err := small.Edit(name, fn); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := func(e *Editor) error { return e.SetCellMetadata("c", "k", []any{[]any{[]any{1}}}) }
	if err := small.Edit("deep", deep); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}
