package fuzzkit_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/internal/fuzzkit"
	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder records a watch's verdict on an input.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Errorf(format string, a ...any) { r.said += fmt.Sprintf(format, a...) }

var sink []byte

func TestWatchNoticesMemory(t *testing.T) {
	for size, fault := range map[int]bool{1 << 20: false, fuzzkit.MaxAllocated + 1<<20: true} {
		r := &recorder{TB: t}
		fuzzkit.Watch(r, []byte("input"), func(testing.TB) { sink = make([]byte, size) })
		if (r.said != "") != fault {
			t.Errorf("%d bytes: %q", size, r.said)
		}
	}
	sink = nil
}

func TestMutationsVaryAndRepeat(t *testing.T) {
	seed := []byte("a seed of some length")
	all := map[string]bool{}
	for i := range uint64(1000) {
		m := fuzzkit.Mutate(rand.New(rand.NewPCG(i, 1)), seed, seed, fuzzkit.JSON)
		again := fuzzkit.Mutate(rand.New(rand.NewPCG(i, 1)), seed, seed, fuzzkit.JSON)
		if !bytes.Equal(m, again) {
			t.Fatalf("seed %d: %q and %q", i, m, again)
		}
		all[string(m)] = true
	}
	must.GreaterEq(t, 900, len(all))
	test.Eq(t, "a seed of some length", string(seed))
}

func TestSessionHasEveryKindOfMessage(t *testing.T) {
	counts := map[string]map[wire.FrameKind]int{}
	for _, m := range fuzzkit.Session(t) {
		f, err := wire.ParseFrame(m.Frame, wire.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		who := m.Room + " " + m.From
		if counts[who] == nil {
			counts[who] = map[wire.FrameKind]int{}
		}
		counts[who][f.Kind]++
	}
	for _, who := range []string{"notebook tab", "notebook server"} {
		for _, kind := range []wire.FrameKind{wire.SyncStep1, wire.SyncStep2, wire.Update, wire.Awareness, wire.Raw} {
			if counts[who][kind] == 0 {
				t.Errorf("%s: no message of kind %v", who, kind)
			}
		}
	}
	if len(counts) != 4 {
		t.Errorf("%v", counts)
	}
}
