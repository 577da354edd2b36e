package ydoc

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// hostile builds an update of n characters of client 2, the i-th of which stands left of the unit right(i) of client 1's
// text, as if at its beginning.
func hostile(n int, right func(i int) int) []byte {
	u := wire.AppendUint(nil, 1)
	u = wire.AppendUint(u, uint64(n))
	u = wire.AppendUint(wire.AppendUint(u, 2), 0)
	for i := range n {
		u = append(u, refString|flagRightOrigin)
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
		x := NewTextWith(Options{ClientID: 1})
		if err := x.Edit("fill", func(e *TextEditor) error { return e.Insert(0, strings.Repeat("a", 20_000)) }); err != nil {
			t.Fatal(err)
		}
		err := x.Apply(hostile(c.n, c.right))
		if errors.Is(err, ErrBroken) != c.broken || c.broken && !errors.Is(err, errTooCostly) || !c.broken && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPlacesDoNotDependOnTheOrder integrates concurrent insertions at the same places in several orders, which must
// lead to one text.
func TestPlacesDoNotDependOnTheOrder(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		base := NewTextWith(Options{ClientID: 100})
		if err := base.Edit("fill", func(e *TextEditor) error { return e.Insert(0, "abc") }); err != nil {
			t.Fatal(err)
		}
		start := diff(t, base.Doc, nil)
		var updates [][]byte
		for client := range uint64(6) {
			x := NewTextWith(Options{ClientID: client*37%11 + 1})
			apply(t, x.Doc, start)
			if len(updates) > 0 && r.IntN(2) == 0 {
				apply(t, x.Doc, updates[r.IntN(len(updates))])
			}
			for range 4 {
				pos := r.IntN(x.Len() + 1)
				if err := x.Edit("x", func(e *TextEditor) error { return e.Insert(pos, string('A'+rune(client))) }); err != nil {
					t.Fatal(err)
				}
			}
			updates = append(updates, diff(t, x.Doc, nil))
		}
		want := ""
		for range 6 { // in any order the same
			x := NewText()
			for _, i := range r.Perm(len(updates)) {
				apply(t, x.Doc, updates[i])
			}
			if want == "" {
				want = x.String()
			}
			if x.String() != want {
				t.Fatalf("seed %d: %q and %q", seed, x.String(), want)
			}
		}
	}
}
