package awareness_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/internal/fuzzkit"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// realUpdates are the awareness updates of the recorded session, and some odd ones.
func realUpdates(tb testing.TB) [][]byte {
	tb.Helper()
	b, err := os.ReadFile("testdata/updates.json")
	if err != nil {
		tb.Fatal(err)
	}
	var seeds [][]byte
	if err := json.Unmarshal(b, &seeds); err != nil {
		tb.Fatal(err)
	}
	recorded := fuzzkit.Payloads(tb, wire.Awareness)
	if len(recorded) < 20 {
		tb.Fatalf("only %d awareness updates are in the recorded session", len(recorded))
	}
	return append(seeds, recorded...)
}

// FuzzAwareness applies any bytes to a table: an invalid update must not change it, and an accepted one encodes to
// the same states.
func FuzzAwareness(f *testing.F) {
	for _, s := range realUpdates(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, update []byte) {
		fuzzkit.Watch(t, update, func(tb testing.TB) { checkUpdate(tb, update) })
	})
}

// TestMutants is a short, reproducible run of [FuzzAwareness].
func TestMutants(t *testing.T) {
	seeds := realUpdates(t)
	r := rand.New(rand.NewPCG(5, 6))
	const mutants = 8_000
	accepted := 0
	for range mutants {
		telling := fuzzkit.Binary
		if r.IntN(2) == 0 {
			telling = fuzzkit.JSON
		}
		u := fuzzkit.Mutate(r, seeds[r.IntN(len(seeds))], seeds[r.IntN(len(seeds))], telling)
		fuzzkit.Watch(t, u, func(tb testing.TB) {
			if checkUpdate(tb, u) {
				accepted++
			}
		})
	}
	t.Logf("%d of %d mutants are accepted", accepted, mutants)
	if accepted < mutants/100 {
		t.Errorf("%d of %d mutants are accepted: the mutations test little", accepted, mutants)
	}
}

// checkUpdate applies an update to a table and reports whether it was accepted.
func checkUpdate(tb testing.TB, update []byte) (accepted bool) {
	tab := awareness.NewTable(1)
	if _, err := tab.SetLocal("here"); err != nil {
		tb.Fatal(err)
	}
	states, err := awareness.ParseUpdate(update, wire.DefaultLimits)
	if _, applied := tab.Apply(update, start); (applied == nil) != (err == nil) {
		tb.Fatalf("ParseUpdate says %v, Apply says %v", err, applied)
	}
	if string(tab.Local().Raw) != `"here"` {
		tb.Fatalf("our own state became %s", tab.Local().Raw)
	}
	if err != nil {
		if len(tab.Peers()) > 0 {
			tb.Fatalf("a refused update left %v", tab.Peers())
		}
		return false
	}
	again, err := awareness.ParseUpdate(awareness.EncodeUpdate(states), wire.DefaultLimits)
	must.NoError(tb, err)
	must.Eq(tb, states, again)
	for _, s := range tab.Peers() {
		s.User()
		s.Cursors()
		s.Current()
		s.Autosave()
	}
	return true
}
