package crdt

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// hostile builds an update of n characters of client 2; the i-th is left of the unit right(i) of client 1's text, as
// if at its beginning.
func hostile(n int, right func(i int) int) []byte {
	u := wire.AppendUint(nil, 1)
	u = wire.AppendUint(u, uint64(n))
	u = wire.AppendUint(wire.AppendUint(u, 2), 0)
	for i := range n {
		u = append(u, wire.RefString|wire.FlagRightOrigin)
		u = wire.AppendUint(wire.AppendUint(u, 1), uint64(right(i)))
		u = wire.AppendVarString(u, "x")
	}
	return wire.AppendUint(u, 0)
}

func TestCostlyUpdatesAreStopped(t *testing.T) {
	defer func(w int) { maxWork = w }(maxWork)
	maxWork = 50_000
	for name, c := range map[string]struct {
		n      int
		right  func(i int) int
		broken bool
	}{
		"a few":               {100, func(i int) int { return i }, false},
		"each past all":       {2_000, func(i int) int { return i }, true},
		"a split at each end": {4_000, func(i int) int { return 19_999 - i }, true},
	} {
		s := newSheet(Options{ClientID: 1})
		s.put(t, 0, strings.Repeat("a", 20_000))
		err := s.Apply(hostile(c.n, c.right))
		test.Eq(t, c.broken, errors.Is(err, ErrBroken), test.Sprint(name))
		test.False(t, c.broken && !errors.Is(err, errTooCostly), test.Sprint(name))
		test.False(t, !c.broken && err != nil, test.Sprint(name))
	}
}

// TestPlacesDoNotDependOnTheOrder integrates concurrent insertions at the same places in several orders, which must
// lead to one text.
func TestPlacesDoNotDependOnTheOrder(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		base := newSheet(Options{ClientID: 100})
		base.put(t, 0, "abc")
		start := base.whole(t)
		var updates [][]byte
		for client := range uint64(6) {
			s := newSheet(Options{ClientID: client*37%11 + 1})
			s.take(t, start)
			if len(updates) > 0 && r.IntN(2) == 0 {
				s.take(t, updates[r.IntN(len(updates))])
			}
			for range 4 {
				s.put(t, r.IntN(s.text.Len()+1), string('A'+rune(client)))
			}
			updates = append(updates, s.whole(t))
		}
		want := ""
		for range 6 { // the same in any order
			s := newSheet(Options{})
			for _, i := range r.Perm(len(updates)) {
				s.take(t, updates[i])
			}
			got := s.content(t)
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("seed %d: %s and %s", seed, got, want)
			}
		}
	}
}
