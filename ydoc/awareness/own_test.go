package awareness_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// put puts a state and applies the resulting announcement to another table.
func put(t *testing.T, tab, other *awareness.Table, client uint64, state any) []uint64 {
	t.Helper()
	if err := tab.Put(client, state); err != nil {
		t.Fatal(err)
	}
	return hear(t, other, tab.Unsent())
}

func hear(t *testing.T, other *awareness.Table, update []byte) []uint64 {
	t.Helper()
	if update == nil {
		return nil
	}
	changed, err := other.Apply(update, start)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// A table with several own entries announces the changed ones, renews all in one update, and says goodbye for one or
// all.
func TestSeveralOwnEntries(t *testing.T) {
	tab, other := awareness.NewTable(1), awareness.NewTable(2)
	put(t, tab, other, 1, "root")
	put(t, tab, other, 11, "a")
	if err := tab.Put(12, "b"); err != nil {
		t.Fatal(err)
	}
	if changed := put(t, tab, other, 13, "c"); !slices.Equal(changed, []uint64{12, 13}) {
		t.Errorf("announced are %v", changed)
	}
	if got := present(other); got != `1="root" 11="a" 12="b" 13="c"` {
		t.Errorf("others see %s", got)
	}
	if u := tab.Unsent(); u != nil {
		t.Errorf("announced again: %q", u)
	}
	renewed, err := awareness.ParseUpdate(tab.Renew(), wire.DefaultLimits)
	must.NoError(t, err)
	test.SliceLen(t, 4, renewed)
	if len(tab.Peers()) != 0 {
		t.Errorf("our own are among the peers: %v", present(tab))
	}
	hear(t, tab, awareness.EncodeUpdate(renewed)) // an echo
	u := tab.Unsent()
	must.Nil(t, u, must.Sprint("an echo was taken for another"))
	test.SliceEmpty(t, tab.Peers(), test.Sprint("an echo was taken for another"))

	echo := awareness.EncodeUpdate(renewed)
	put(t, tab, other, 12, nil)
	if got := present(other); got != `1="root" 11="a" 13="c"` {
		t.Errorf("after one has left, others see %s", got)
	}
	hear(t, tab, echo)
	if got := present(tab); got != "" {
		t.Errorf("a late echo brought back who has left, as a stranger: %s", got)
	}
	if changed := put(t, tab, other, 99, nil); changed != nil {
		t.Errorf("who was never there left: %v", changed)
	}

	hear(t, other, tab.Goodbye())
	if got := present(other); got != "" {
		t.Errorf("after the goodbye others see %s", got)
	}
	hear(t, tab, echo)
	if got := present(tab); got != "" {
		t.Errorf("after the goodbye an echo made strangers: %s", got)
	}
}

// Each own entry is defended, once a second.
func TestSeveralOwnEntriesAreDefended(t *testing.T) {
	tab, other := awareness.NewTable(1), awareness.NewTable(2)
	put(t, tab, other, 1, "root")
	put(t, tab, other, 11, "a")
	put(t, tab, other, 12, "b")
	lie := awareness.EncodeUpdate([]awareness.State{entry(11, 40, ""), entry(12, 50, `"x"`)})
	hear(t, other, lie)
	changed, err := tab.Apply(lie, start)
	must.NoError(t, err)
	test.SliceEqOp(t, []uint64{11, 12}, changed)
	hear(t, other, tab.Unsent())
	if got := present(other); got != `1="root" 11="a" 12="b"` {
		t.Errorf("after the defence others see %s", got)
	}
	again := awareness.EncodeUpdate([]awareness.State{entry(11, 60, "")})
	changed, _ = tab.Apply(again, start.Add(time.Second/2))
	must.SliceEmpty(t, changed, must.Sprint("defended twice within a second"))
	test.Nil(t, tab.Unsent(), test.Sprint("defended twice within a second"))
}

func TestStatus(t *testing.T) {
	tab, other := awareness.NewTable(1), awareness.NewTable(2)
	put(t, tab, other, 5, map[string]any{"status": awareness.Status{Text: "editing", Cell: "c1", Since: 7}, "replica": 9})
	put(t, tab, other, 6, map[string]any{"status": map[string]any{"text": strings.Repeat("x", 500)}, "replica": "x", "for": map[string]any{"name": "Ada"}})
	put(t, tab, other, 7, map[string]any{"status": "busy", "for": 1})
	put(t, tab, other, 8, map[string]any{"status": map[string]any{"text": strings.Repeat("x", 5000)}})
	p := other.Peers()
	s := p[0].Status()
	test.EqOp(t, awareness.Status{Text: "editing", Cell: "c1", Since: 7}, s)
	test.Eq(t, 9, p[0].Replica())
	s = p[1].Status()
	must.LessEq(t, 120, len(s.Text))
	test.Eq(t, 6, p[1].Replica())
	u, ok := p[1].For()
	must.True(t, ok)
	test.Eq(t, "Ada", u.Name)
	_, ok = p[2].For()
	test.False(t, ok, test.Sprint("what is no status was taken for one"))
	test.Eq(t, "", p[2].Status().Text, test.Sprint("what is no status was taken for one"))
	test.Eq(t, "", p[3].Status().Text, test.Sprint("what is no status was taken for one"))
}

func TestColors(t *testing.T) {
	all := awareness.Colors("Claude")
	test.Eq(t, awareness.Color("Claude"), all[0])
	test.SliceLen(t, 12, all)
	if slices.Sort(all); len(slices.Compact(all)) != 12 {
		t.Errorf("%v", all)
	}
}
