package chatdoc

import (
	"fmt"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/roomstate"
)

// State entries reach all clients and are not messages; unchanged ones are not sent again.
func TestStateEntries(t *testing.T) {
	a, b := New(), New()
	sent := 0
	a.OnUpdate(func(u []byte) {
		sent++
		must.NoError(t, b.Apply(u))
	})
	must.NoError(t, a.SetState(map[string]any{"nbduet:x:1": map[string]any{"at": "now"}, "nbduet:y": true}))
	told := 0
	defer b.Follow(func(Batch) { told++ })()
	must.NoError(t, a.SetState(map[string]any{"nbduet:y": true}))
	must.NoError(t, a.SetState(map[string]any{"nbduet:none": nil}))
	got := b.StateEntries("nbduet:x:")
	must.MapLen(t, 1, got)
	test.Eq(t, "map[at:now]", fmt.Sprint(got["nbduet:x:1"]))
	test.Eq(t, 1, sent)
	test.Eq(t, 1, told)
	must.NoError(t, a.SetState(map[string]any{"nbduet:x:1": nil}))
	got = b.StateEntries("nbduet:")
	must.MapLen(t, 1, got)
	test.Eq(t, 1, told)
	test.SliceEmpty(t, b.Messages())
	many := map[string]any{}
	for i := range roomstate.Most {
		many[fmt.Sprintf("nbduet:%d", i)] = i
	}
	for name, entries := range map[string]map[string]any{
		"the server's": {"path": "x"}, "no JSON": {"nbduet:f": func() {}}, "no UTF-8": {"nbduet:\xff": 1}, "too many": many,
	} {
		err := a.SetState(entries)
		test.ErrorIs(t, err, crdt.ErrInvalid, test.Sprint(name))
		test.MapLen(t, 1, a.StateEntries("nbduet:"), test.Sprint(name))
	}
}
