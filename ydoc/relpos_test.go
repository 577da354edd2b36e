package ydoc

import (
	"encoding/json"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

func TestRelativePositionsAreYjs(t *testing.T) {
	v := yjsVector(t)
	n := NewNotebook()
	apply(t, n.Doc, unhex(t, v.Full))
	end := textdiff.UTF16Len(v.Source)
	for off, want := range map[int]json.RawMessage{3: v.RelposIdx3, end: v.RelposEnd} {
		p, err := n.RelativePosition("c1", off)
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, "position", p, want)
		id, got, ok := n.ResolvePosition(want)
		test.Eq(t, "c1", id)
		test.Eq(t, off, got)
		test.True(t, ok)
	}
	// All four keys, also if they are null.
	p, _ := n.RelativePosition("c1", end)
	if string(p) != `{"type":{"client":1,"clock":3},"tname":null,"item":null,"assoc":0}` {
		t.Errorf("%s", p)
	}
	for _, off := range []int{-1, end + 1, 4} { // 4 is inside the emoji
		if _, err := n.RelativePosition("c1", off); err == nil {
			t.Errorf("position %d was made", off)
		}
	}
}

func TestPositionsStayWhereTheyAre(t *testing.T) {
	a, b := pair(t)
	insert(t, a, 0, NewCell{ID: "c", Type: Code, Source: "one two three"}, NewCell{ID: "d", Type: Code})
	two, err := b.RelativePosition("c", 4)
	if err != nil {
		t.Fatal(err)
	}
	at := func(want int) {
		t.Helper()
		id, off, ok := b.ResolvePosition(two)
		test.Eq(t, "c", id)
		test.Eq(t, want, off)
		test.True(t, ok)
	}
	at(4)
	edit(t, a, func(e *Editor) error { return e.SetSource("c", "zero 😀 one two three") })
	at(12)
	edit(t, a, func(e *Editor) error { return e.SetSource("c", "one three") })
	at(4)
	edit(t, a, func(e *Editor) error { return e.Move("c", 1) })
	if _, _, ok := b.ResolvePosition(two); ok {
		t.Error("a position in a replaced cell resolves")
	}
	for _, bad := range []string{
		"", "{}", "null", "[]", `{"item":{"client":9,"clock":0}}`, `{"item":{"client":1,"clock":99999}}`,
		`{"item":{"client":1,"clock":1}}`, `{"type":{"client":1,"clock":0}}`, `{"tname":"cells"}`, `{"tname":"x"}`,
		`{"item":{"client":-1,"clock":0}}`, `{"item":{"client":18446744073709551615,"clock":18446744073709551615}}`,
	} {
		if _, _, ok := b.ResolvePosition(json.RawMessage(bad)); ok {
			t.Errorf("%s resolves", bad)
		}
	}
}

func TestTextPositions(t *testing.T) {
	x := NewText()
	if err := x.Edit("fill", func(e *TextEditor) error { return e.Replace(0, 0, "ab") }); err != nil {
		t.Fatal(err)
	}
	p, err := x.RelativePosition(1)
	if err != nil {
		t.Fatal(err)
	}
	end, _ := x.RelativePosition(2)
	if string(end) != `{"type":null,"tname":"source","item":null,"assoc":0}` {
		t.Errorf("%s", end)
	}
	if err := x.Edit("more", func(e *TextEditor) error { return e.Replace(0, 0, "xx") }); err != nil {
		t.Fatal(err)
	}
	off, ok := x.ResolvePosition(p)
	test.Eq(t, 3, off)
	test.True(t, ok)
	off, ok = x.ResolvePosition(end)
	test.Eq(t, 4, off)
	test.True(t, ok)
}
