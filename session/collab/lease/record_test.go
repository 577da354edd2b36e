package lease

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/session/collab/mentions"
)

// Any client can write into the state: malformed entries are ignored, and written claims are read again.
func TestRecordsIn(t *testing.T) {
	own := record{"abc", "nbduet-1", time.Now().UTC().Truncate(time.Second), "7", true, true}
	got := recordsIn(map[string]any{
		own.key():          own.value(),
		prefix + "abc:odd": map[string]any{"at": 7, "replica": []any{}, "final": "yes", "answered": nil},
		prefix + "abc":     own.value(),
		prefix + ":x":      own.value(),
		prefix + "abc:":    own.value(),
		prefix + "abc:x:y": own.value(),
		prefix + "abc:" + strings.Repeat("x", 65): own.value(),
		prefix + "abc:z": true,
	})
	slices.SortFunc(got, func(a, b record) int { return strings.Compare(a.process, b.process) })
	if want := []record{own, {of: "abc", process: "odd"}}; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// Of two undecided claims one comes first, and it is not always that of the same process.
func TestOrder(t *testing.T) {
	first := 0
	for i := range 100 {
		of := subject(mentions.Mention{Mark: string(rune('a' + i))})
		a, b := record{of: of, process: "a"}, record{of: of, process: "b"}
		if a.before(b) == b.before(a) {
			t.Errorf("%s: neither, or both", of)
		}
		if a.before(b) {
			first++
		}
	}
	test.GreaterEq(t, 20, first)
	test.LessEq(t, 80, first)
	test.Eq(t, "", subject(mentions.Mention{}))
	test.NotEq(t, subject(mentions.Mention{Message: "1.2"}), subject(mentions.Mention{Mark: "1.2"}))
}

// Old claims of this process, and of processes known to have left, are removed.
func TestSpent(t *testing.T) {
	now := time.Now()
	old, lately := now.Add(-2*keptFor), now.Add(-keptFor/2)
	all := []record{
		{"1", "us", old, "1", true, true},
		{"2", "us", lately, "1", true, false},
		{"3", "gone", old, "2", true, true},
		{"4", "gone", lately, "2", true, true},
		{"5", "here", old, "3", true, true},
		{"6", "shown", old, "9", true, false},
	}
	here := present{map[string]bool{"3": true}, []string{"shown-1"}, true}
	removed := func(want ...string) {
		t.Helper()
		if got := slices.Sorted(maps.Keys(spent(all, "us", here, now))); !slices.Equal(got, want) {
			t.Errorf("removed %q", got)
		}
	}
	removed(all[0].key(), all[2].key())
	here.known = false
	removed(all[0].key())
	test.True(t, here.stands(record{process: "show"}), test.Sprint("who may be there unknown"))
	test.False(t, here.alone(), test.Sprint("who may be there unknown"))
	here.known = true
	test.False(t, here.stands(record{process: "show"}), test.Sprint("who is there"))
	test.True(t, here.stands(record{process: "gone", Answered: true}), test.Sprint("who is there"))
}
