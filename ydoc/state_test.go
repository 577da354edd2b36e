package ydoc

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/roomstate"
)

// Entries of the state map reach others, and are not content.
func TestStateEntries(t *testing.T) {
	a, b := pair(t)
	insert(t, a, 0, NewCell{ID: "a", Type: Code, Source: "1"})
	rev, sub := b.Revision(), b.Subscribe()
	defer sub.Close()
	told := 0
	defer b.Follow(func(Batch) bool { told++; return false })()
	told = 0
	word := map[string]any{"name": "Ada", "since": 12.5}
	if err := a.SetState(map[string]any{"nbduet:x:1": word, "nbduet:y": true}); err != nil {
		t.Fatal(err)
	}
	got := b.StateEntries("nbduet:x:")
	name := objectValue(got["nbduet:x:1"])["name"]
	must.MapLen(t, 1, got)
	test.EqOp[any](t, "Ada", name)
	c, err := sub.Take()
	must.NoError(t, err)
	test.True(t, c.State)
	must.LessEq(t, 0, len(c.Cells))
	test.False(t, c.Order)
	test.False(t, c.Metadata)
	test.Eq(t, rev, b.Revision())
	test.EqOp(t, State{}, a.State())
	test.Eq(t, 0, told)
	sent := 0
	a.OnUpdate(func(u []byte) { sent++; apply(t, b.Doc, u) })
	err = a.SetState(map[string]any{"nbduet:y": true, "nbduet:none": nil})
	must.NoError(t, err, must.Sprint("what changes nothing was sent"))
	test.Eq(t, 0, sent, test.Sprint("what changes nothing was sent"))
	if err := a.SetState(map[string]any{"nbduet:x:1": nil}); err != nil {
		t.Fatal(err)
	}
	if keys := slices.Sorted(maps.Keys(b.StateEntries("nbduet:"))); !slices.Equal(keys, []string{"nbduet:y"}) {
		t.Errorf("%q", keys)
	}
}

// Keys of the server and the tabs are refused, and so are values that are not JSON or too large.
func TestStateEntriesThatAreRefused(t *testing.T) {
	n := NewNotebook()
	many := map[string]any{}
	for i := range roomstate.Most + 1 {
		many["nbduet:"+strings.Repeat("x", i%50)+string(rune('a'+i%26))+strings.Repeat("y", i/50)] = true
	}
	for name, entries := range map[string]map[string]any{
		"not ours":  {"nbduet:a": 1, "dirty": true},
		"no JSON":   {"nbduet:a": make(chan int)},
		"not UTF-8": {"nbduet:\xff": true},
		"too many":  many,
	} {
		err := n.SetState(entries)
		test.False(t, !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrTooLarge), test.Sprint(name))
		test.LessEq(t, 0, len(n.StateEntries("")), test.Sprint(name))
	}
}
