package wire_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// mutate changes some bytes of u: it flips, sets, inserts, deletes, copies and splices, with a liking for the values
// that mean something in the format.
func mutate(r *rand.Rand, u, other []byte) []byte {
	m := append([]byte(nil), u...)
	telling := []byte{0, 1, 2, 5, 10, 0x7f, 0x80, 0xff, 117, 118, 119, 125, 0x21, 0x84, 0x87, 0xc4}
	for range 1 + r.IntN(4) {
		if len(m) == 0 {
			return m
		}
		i := r.IntN(len(m))
		switch r.IntN(7) {
		case 0:
			m[i] ^= 1 << r.IntN(8)
		case 1:
			m[i] = telling[r.IntN(len(telling))]
		case 2:
			m = append(m[:i], append([]byte{telling[r.IntN(len(telling))]}, m[i:]...)...)
		case 3:
			m = append(m[:i], m[min(i+1+r.IntN(3), len(m)):]...)
		case 4:
			m[i]++
		case 5:
			j := i + r.IntN(min(len(m)-i, 24)+1)
			m = append(m[:j], append(append([]byte(nil), m[i:j]...), m[j:]...)...)
		case 6:
			if len(other) > 0 {
				j := r.IntN(len(other))
				m = append(m[:i], other[j:]...)
			}
		}
	}
	return m
}

// TestMutants checks a few hundred thousand damaged updates. An accepted update ends where it ends: no part of it and
// nothing longer is accepted.
func TestMutants(t *testing.T) {
	seeds := realUpdates(t)
	r := rand.New(rand.NewPCG(1, 2))
	const mutants = 300_000
	accepted := 0
	var worst time.Duration
	for range mutants {
		u := mutate(r, seeds[r.IntN(len(seeds))], seeds[r.IntN(len(seeds))])
		began := time.Now()
		err := wire.CheckUpdate(u, wire.DefaultLimits)
		worst = max(worst, time.Since(began))
		if err != nil {
			continue
		}
		accepted++
		if wire.CheckUpdate(append(u, 0), wire.DefaultLimits) == nil {
			t.Fatalf("%x is accepted, and with a byte more", u)
		}
		if n := r.IntN(len(u)); wire.CheckUpdate(u[:n], wire.DefaultLimits) == nil {
			t.Fatalf("%x is accepted, and its first %d bytes too", u, n)
		}
	}
	t.Logf("%d mutants, %d accepted, the slowest took %v", mutants, accepted, worst)
	if accepted < mutants/100 || accepted > mutants/2 {
		t.Errorf("%d of %d mutants are accepted: the mutations test little", accepted, mutants)
	}
}

func TestTruncationsAreRefused(t *testing.T) {
	for i, u := range realUpdates(t) {
		for n := range u {
			if wire.CheckUpdate(u[:n], wire.DefaultLimits) == nil {
				t.Errorf("update %d cut to %d of %d bytes is accepted", i, n, len(u))
			}
		}
	}
}
