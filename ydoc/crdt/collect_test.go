package crdt

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestStretchesAreMergedApart: typing over an old letter touches two distant places of its client's list, and must
// not cost everything in between.
func TestStretchesAreMergedApart(t *testing.T) {
	for name, c := range map[string]struct{ list, want []span }{
		"one":       {[]span{{5, 6}}, []span{{5, 6}}},
		"far apart": {[]span{{90_000, 90_001}, {5, 6}}, []span{{5, 6}, {90_000, 90_001}}},
		"touching":  {[]span{{6, 9}, {5, 6}, {7, 8}, {12, 13}}, []span{{5, 9}, {12, 13}}},
	} {
		if got := joinStretches(slices.Clone(c.list)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	var many []span
	for i := range maxStretches + 1 {
		many = append(many, span{10 * i, 10*i + 1})
	}
	if got := joinStretches(slices.Clone(many)); !slices.Equal(got, []span{{0, 10*maxStretches + 1}}) {
		t.Errorf("many: %v", got)
	}
	if got := joinStretches(slices.Clone(many[1:])); len(got) != maxStretches {
		t.Errorf("as many as are kept apart: %v", got)
	}
}

// TestNeighboursAreMergedWhereverTheyAre: typing, deleting and retyping in random places leaves the same structs as
// in a fresh replica of the state.
func TestNeighboursAreMergedWhereverTheyAre(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		all := sheets(2)
		a, b := all[0], all[1]
		a.OnUpdate(func(u []byte) { b.take(t, u) })
		for range 300 {
			a.edit(t, func(x *Tx) { writeText(x, a.text, r) })
		}
		fresh := newSheet(Options{})
		fresh.take(t, a.whole(t))
		if got, want := b.Bloat(), fresh.Bloat(); got != want {
			t.Fatalf("seed %d: a peer has %+v, a fresh replica %+v", seed, got, want)
		}
	}
}
