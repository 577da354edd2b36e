package changelog

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
)

var two = []ydoc.NewCell{{ID: "a", Type: ydoc.Code, Source: "one\ntwo\nthree"}, {ID: "b", Type: ydoc.Code, Source: "x"}}

func setSource(id, text string) func(e *ydoc.Editor) error {
	return func(e *ydoc.Editor) error { return e.SetSource(id, text) }
}

// A burst of keys is one change, and a burst after a pause belongs to it unless a revision was sealed in between.
func TestBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nb, person, l := pair(t, two...)
		r := l.Seal()
		for i := range len("hello") {
			edits(t, person, setSource("b", "x"+"hello"[:i+1]))
			time.Sleep(300 * time.Millisecond)
		}
		changes := since(t, l, r)
		must.SliceLen(t, 1, changes)
		must.SliceLen(t, 1, l.entries)
		must.SliceLen(t, 1, l.entries[0].edits)
		c := changes[0]
		test.Eq(t, "b", c.Cell)
		test.Eq(t, Edited, c.Kinds)
		must.SliceLen(t, 1, c.Who.Clients)
		test.Eq(t, 2, c.Who.Clients[0])
		test.Eq(t, 5, c.Size)
		test.Eq(t, 0, c.Left)
		test.Eq(t, 1200*time.Millisecond, c.Last.Sub(c.Begun))
		half := l.Seal()
		edits(t, person, setSource("b", "xhello!"))
		changes = since(t, l, half)
		must.SliceLen(t, 1, changes)
		test.Eq(t, 1, changes[0].Size)
		changes = since(t, l, r)
		must.SliceLen(t, 1, changes)
		test.Eq(t, 6, changes[0].Size)
		// The same cell, by another client.
		as(t, l, nb, "me", setSource("b", "xhello!?"))
		changes = since(t, l, r)
		must.SliceLen(t, 2, changes)
		test.True(t, changes[1].Who.Is("me"))
		test.False(t, changes[1].Who.Is("other"))
	})
}

// The author of a deletion is the only other client in the room, or not known.
func TestDeletions(t *testing.T) {
	_, person, l := pair(t, two...)
	r := l.Seal()
	edits(t, person, setSource("a", "one\nthree"))
	edits(t, person, func(e *ydoc.Editor) error { return e.Delete("b") })
	changes := since(t, l, r)
	must.SliceLen(t, 2, changes)
	test.Eq(t, 2, changes[0].Who.Clients[0])
	test.Eq(t, Deleted, changes[1].Kinds)
	test.Eq(t, 2, changes[1].Who.Clients[0])
	test.Eq(t, 1, changes[1].Left)
	l.people = crowd{2: true, 3: true}
	edits(t, person, setSource("a", "one"))
	changes = since(t, l, r)
	must.SliceLen(t, 3, changes)
	test.True(t, changes[2].Who.Unknown)
}

// A run is one change however long it takes, and clearing outputs at its begin is not a change.
func TestRunsAndClears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nb, person, l := pair(t, two...)
		r := l.Seal()
		one := 1
		as(t, l, nb, "me", func(e *ydoc.Editor) error { return e.StartRun("a") })
		for range 100 {
			time.Sleep(5 * time.Second)
			as(t, l, nb, "me", func(e *ydoc.Editor) error { return e.AppendStream("a", "stdout", "x\n") })
		}
		as(t, l, nb, "me", func(e *ydoc.Editor) error { return e.FinishRun("a", &one) })
		changes := since(t, l, r)
		must.SliceLen(t, 1, changes)
		test.Eq(t, Run, changes[0].Kinds)
		test.True(t, changes[0].Who.Is("me"))
		test.LessEq(t, 20, len(l.entries))
		r = l.Seal()
		edits(t, person, func(e *ydoc.Editor) error { return e.ClearOutputs("a") })
		changes = since(t, l, r)
		must.SliceLen(t, 1, changes)
		test.Eq(t, Cleared, changes[0].Kinds)
	})
}

// A revision of another notebook is not known, even between two known ones; nor is a dropped one.
func TestUnknownRevisions(t *testing.T) {
	nb, person, l := pair(t, two...)
	other := ydoc.NewNotebook()
	first := l.Seal()
	edits(t, person, setSource("a", "two"))
	between := other.Revision()
	if err := other.Edit("insert", func(e *ydoc.Editor) error { _, err := e.Insert(0, two...); return err }); err != nil {
		t.Fatal(err)
	}
	theirs := other.Revision()
	l.Seal()
	edits(t, person, setSource("a", "three"))
	for _, r := range []ydoc.Revision{between, theirs, 0, ydoc.Foreign, nb.Revision() + 1} {
		if _, ok := l.Since(r); ok {
			t.Errorf("%s is known", r)
		}
	}
	if c, _ := nb.Cell("a"); len(since(t, l, c.Revision)) != 0 {
		t.Error("something has changed since the last change")
	}
	for i := range 2 * maxEntries {
		l.Seal()
		edits(t, person, setSource("b", fmt.Sprint(i)))
	}
	_, ok := l.Since(first)
	test.False(t, ok)
	test.LessEq(t, maxEntries, len(l.entries))
}

// When the server reloads the file, earlier revisions are no longer known.
func TestReload(t *testing.T) {
	nb, person, l := pair(t, two...)
	edits(t, person, setSource("a", "two"))
	r := l.Seal()
	l.mu.Lock()
	l.reloads-- // as if the replica had counted one
	l.mu.Unlock()
	edits(t, person, setSource("a", "three"))
	if _, ok := l.Since(r); ok {
		t.Error("a revision of before is known")
	}
	if changes := since(t, l, nb.Revision()); len(changes) != 0 {
		t.Errorf("%+v", changes)
	}
}

// A change with a very large text is kept without it, and so are earlier changes of its cell.
func TestLargeText(t *testing.T) {
	_, person, l := pair(t, two...)
	r := l.Seal()
	edits(t, person, setSource("a", "small"))
	edits(t, person, setSource("b", "y"))
	l.Seal()
	edits(t, person, setSource("a", strings.Repeat("0123456789", 100_000)))
	big := l.Seal()
	changes := since(t, l, r)
	must.SliceLen(t, 2, changes)
	test.True(t, changes[0].Gone)
	test.Eq(t, 1_000_005, changes[0].Size)
	test.Eq(t, "", changes[0].Diff)
	test.False(t, changes[1].Gone)
	test.NotEq(t, "", changes[1].Diff)
	test.LessEq(t, 10_000, l.bytes)
	edits(t, person, setSource("a", "!"+strings.Repeat("0123456789", 100_000)))
	changes = since(t, l, big)
	must.SliceLen(t, 1, changes)
	test.False(t, changes[0].Gone)
	test.Eq(t, 1, changes[0].Size)
	edits(t, person, func(e *ydoc.Editor) error { return e.Delete("a") })
	changes = since(t, l, r)
	must.SliceLen(t, 3, changes)
	test.True(t, changes[0].Gone)
	test.True(t, changes[2].Gone)
}

// The bounds hold, and the kept changes reproduce the present notebook.
func TestBounds(t *testing.T) {
	nb, person, l := pair(t, two...)
	then := map[ydoc.Revision]book{}
	for i := range 300 {
		then[l.Seal()] = bookOf(nb)
		edits(t, person, setSource([]string{"a", "b"}[i%2], strings.Repeat(fmt.Sprint(i, "\n"), 1000)))
		must.LessEq(t, maxBytes, l.bytes)
		must.LessEq(t, maxEntries, len(l.entries))
	}
	known := 0
	for r, b := range then {
		if told, ok := l.Since(r); ok {
			known++
			err := b.replay(told.Changes(told.Len(), nil))
			must.NoError(t, err)
			must.True(t, b.equal(bookOf(nb)))
		}
	}
	if sum := 0; known < 10 {
		t.Errorf("%d are known", known)
	} else {
		for _, e := range l.entries {
			sum += e.bytes()
		}
		if sum != l.bytes {
			t.Errorf("%d bytes are counted as %d", sum, l.bytes)
		}
	}
}

// A client's own changes are left out on request, and the changes of others before and after them stay apart.
func TestLeaveOut(t *testing.T) {
	nb, person, l := pair(t, two...)
	r := l.Seal()
	edits(t, person, setSource("b", "xy"))
	as(t, l, nb, "me", setSource("b", "mine"))
	edits(t, person, setSource("b", "mine!"))
	told, _ := l.Since(r)
	changes := told.Changes(told.Len(), func(w Who) bool { return w.Is("me") })
	must.SliceLen(t, 2, changes)
	test.StrContains(t, changes[0].Diff, "+xy")
	test.StrContains(t, changes[1].Diff, "-mine")
}
