package ydoc

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc/roomstate"
)

// Entries of the state map reach others, and are no content.
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
	if name := objectValue(got["nbduet:x:1"])["name"]; len(got) != 1 || name != "Ada" {
		t.Errorf("%v", got)
	}
	if c, err := sub.Take(); err != nil || !c.State || len(c.Cells) > 0 || c.Order || c.Metadata || b.Revision() != rev || a.State() != (State{}) || told != 0 {
		t.Errorf("%+v, %v, told %d", c, err, told)
	}
	sent := 0
	a.OnUpdate(func(u []byte) { sent++; apply(t, b.Doc, u) })
	if err := a.SetState(map[string]any{"nbduet:y": true, "nbduet:none": nil}); err != nil || sent != 0 {
		t.Errorf("what changes nothing was sent: %v", err)
	}
	if err := a.SetState(map[string]any{"nbduet:x:1": nil}); err != nil {
		t.Fatal(err)
	}
	if keys := slices.Sorted(maps.Keys(b.StateEntries("nbduet:"))); !slices.Equal(keys, []string{"nbduet:y"}) {
		t.Errorf("%q", keys)
	}
}

// What is the server's and the tabs' is not written, and neither is what is no JSON, or too much.
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
		if err := n.SetState(entries); !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrTooLarge) || len(n.StateEntries("")) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
