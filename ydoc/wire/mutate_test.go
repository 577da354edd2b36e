package wire_test

import (
	"math/rand/v2"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/ydoc/internal/fuzzkit"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// TestMutants checks a hundred thousand damaged updates. The end of an accepted update is unique: no shorter or
// longer one is accepted.
func TestMutants(t *testing.T) {
	seeds := realUpdates(t)
	r := rand.New(rand.NewPCG(1, 2))
	const mutants = 100_000
	accepted := 0
	for range mutants {
		u := fuzzkit.Mutate(r, seeds[r.IntN(len(seeds))], seeds[r.IntN(len(seeds))], fuzzkit.Binary)
		var err error
		fuzzkit.Watch(t, u, func(testing.TB) { err = wire.CheckUpdate(u, wire.DefaultLimits) })
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
	t.Logf("%d mutants, %d accepted", mutants, accepted)
	test.GreaterEq(t, mutants/100, accepted)
	test.LessEq(t, mutants/2, accepted)
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

// TestMutantsOfStateVectorsAndFrames is a short, reproducible run of the other fuzz targets.
func TestMutantsOfStateVectorsAndFrames(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, c := range map[string]struct {
		seeds [][]byte
		check func(tb testing.TB, b []byte) bool
	}{
		"state vector": {realStateVectors(t), checkStateVector},
		"frame":        {realFrames(t), checkFrame},
	} {
		const mutants = 30_000
		accepted := 0
		for range mutants {
			b := fuzzkit.Mutate(r, c.seeds[r.IntN(len(c.seeds))], c.seeds[r.IntN(len(c.seeds))], fuzzkit.Binary)
			fuzzkit.Watch(t, b, func(tb testing.TB) {
				if c.check(tb, b) {
					accepted++
				}
			})
		}
		t.Logf("%s: %d of %d mutants are accepted", name, accepted, mutants)
		test.GreaterEq(t, mutants/100, accepted, test.Sprint(name))
		test.NotEq(t, mutants, accepted, test.Sprint(name))
	}
}
