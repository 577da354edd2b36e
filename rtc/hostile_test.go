package rtc_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// hostileFrames is how many frames of the worst kind a room has to stand.
const hostileFrames = 10000

// hostile makes frames of bad will out of good ones.
type hostile struct {
	src  *rand.ChaCha8
	rng  *rand.Rand // on src
	good [][]byte   // one of each kind
}

func (h *hostile) bytes(n int) []byte {
	b := make([]byte, n)
	_, _ = h.src.Read(b) // never fails
	return b
}

func (h *hostile) frame(i int) []byte {
	b := bytes.Clone(h.good[h.rng.IntN(len(h.good))])
	switch i % 8 {
	case 0: // truncated
		return b[:h.rng.IntN(len(b))]
	case 1: // spoilt
		for range 1 + h.rng.IntN(4) {
			b[h.rng.IntN(len(b))] = byte(h.rng.Uint32())
		}
		return b
	case 2: // noise
		return h.bytes(h.rng.IntN(100))
	case 3: // of another type than it says
		return append([]byte{byte(h.rng.IntN(5)), byte(h.rng.IntN(5))}, b[:h.rng.IntN(len(b))]...)
	case 4: // longer than it is
		return append([]byte{0, byte(h.rng.IntN(3)), 0xff, 0xff, 0xff, 0xff, byte(h.rng.IntN(16))}, b[1:]...)
	case 5: // asks for everything
		return wire.AppendSyncStep1(nil, []byte{0})
	case 6: // longer than any frame need be, one in a while
		if i%400 == 6 {
			return wire.AppendUpdate(nil, h.bytes(4<<20))
		}
		return wire.AppendAwareness(nil, h.bytes(1000))
	}
	// A state vector that claims to have what nobody has written.
	sv := map[uint64]uint64{}
	for range h.rng.IntN(50) {
		sv[h.rng.Uint64N(1<<53)] = h.rng.Uint64N(1 << 40)
	}
	return wire.AppendSyncStep1(nil, wire.EncodeStateVector(sv))
}

// Whatever a room sends, the process lives, does not grow, and stays in the room; the document stays as it is, and what
// comes right afterwards is taken.
func TestHostileFrames(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		r, nb := join(t, client(t, s), path)
		_, other := join(t, client(t, s), path)
		full, ok := s.Fake.Rooms.Snapshot(path)
		sv, err := nb.StateVector()
		must.NoError(t, err)
		must.True(t, ok)
		src := rand.NewChaCha8([32]byte{1})
		h := &hostile{src: src, rng: rand.New(src), good: [][]byte{
			wire.AppendUpdate(nil, full), wire.AppendSyncStep1(nil, sv), wire.AppendAwareness(nil, []byte{1, 5, 1, 2, '{', '}'}),
			wire.AppendRaw(nil, `{"type":"save","responseTo":7,"status":"success"}`),
		}}
		before := heap()
		for sent, i := 0, 0; sent < hostileFrames; i++ {
			b := h.frame(i)
			// A mutant that is a valid edit, or the end of the room, is not what this is about.
			if f, err := wire.ParseFrame(b, wire.DefaultLimits); err == nil {
				if f.Kind == wire.Raw || f.Kind == wire.SyncStep2 || f.Kind == wire.Update && wire.CheckUpdate(f.Payload, wire.DefaultLimits) == nil {
					continue
				}
			}
			s.Fake.Rooms.Send(path, b)
			if sent++; sent%100 == 0 {
				synctest.Wait() // or it is our own queue that grows
			}
		}
		insert(t, other, 1, "after all")
		eventually(t, "the edit after them arrives", func() bool { return sources(nb) == "x = 1|after all" })
		if r.State() != rtc.Synced {
			t.Errorf("state is %v, want synced", r.State())
		}
		if n := connections(s, path); n != 2 {
			t.Errorf("%d connections, want the first ones to hold", n)
		}
		if grown := heap() - before; grown > 32<<20 {
			t.Errorf("%d frames have left %d MB behind", hostileFrames, grown>>20)
		}
	})
}

// heap is how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
