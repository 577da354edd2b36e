package chatdoc

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/roomstate"
)

// What is put into the state is everybody's, and is no message; what is there already is not sent again.
func TestStateEntries(t *testing.T) {
	a, b := New(), New()
	sent := 0
	a.OnUpdate(func(u []byte) {
		sent++
		must(t, b.Apply(u))
	})
	must(t, a.SetState(map[string]any{"nbduet:x:1": map[string]any{"at": "now"}, "nbduet:y": true}))
	told := 0
	defer b.Follow(func(Batch) { told++ })()
	must(t, a.SetState(map[string]any{"nbduet:y": true}))
	must(t, a.SetState(map[string]any{"nbduet:none": nil}))
	if got := b.StateEntries("nbduet:x:"); len(got) != 1 || fmt.Sprint(got["nbduet:x:1"]) != "map[at:now]" || sent != 1 || told != 1 {
		t.Errorf("%v, %d updates, told %d times", got, sent, told)
	}
	must(t, a.SetState(map[string]any{"nbduet:x:1": nil}))
	if got := b.StateEntries("nbduet:"); len(got) != 1 || told != 1 || len(b.Messages()) != 0 {
		t.Errorf("%v, told %d times", got, told)
	}
	many := map[string]any{}
	for i := range roomstate.Most {
		many[fmt.Sprintf("nbduet:%d", i)] = i
	}
	for name, entries := range map[string]map[string]any{
		"the server's": {"path": "x"}, "no JSON": {"nbduet:f": func() {}}, "no UTF-8": {"nbduet:\xff": 1}, "too many": many,
	} {
		if err := a.SetState(entries); !errors.Is(err, crdt.ErrInvalid) || len(a.StateEntries("nbduet:")) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
