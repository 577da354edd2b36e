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

// hostileFrames is the number of hostile frames that a room must survive.
const hostileFrames = 10000

// hostile makes hostile frames from valid ones.
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
	case 1: // corrupted
		for range 1 + h.rng.IntN(4) {
			b[h.rng.IntN(len(b))] = byte(h.rng.Uint32())
		}
		return b
	case 2: // noise
		return h.bytes(h.rng.IntN(100))
	case 3: // with a wrong type
		return append([]byte{byte(h.rng.IntN(5)), byte(h.rng.IntN(5))}, b[:h.rng.IntN(len(b))]...)
	case 4: // with a wrong length
		return append([]byte{0, byte(h.rng.IntN(3)), 0xff, 0xff, 0xff, 0xff, byte(h.rng.IntN(16))}, b[1:]...)
	case 5: // requests everything
		return wire.AppendSyncStep1(nil, []byte{0})
	case 6: // longer than any valid frame, occasionally
		if i%400 == 6 {
			return wire.AppendUpdate(nil, h.bytes(4<<20))
		}
		return wire.AppendAwareness(nil, h.bytes(1000))
	}
	// A state vector with edits that do not exist.
	sv := map[uint64]uint64{}
	for range h.rng.IntN(50) {
		sv[h.rng.Uint64N(1<<53)] = h.rng.Uint64N(1 << 40)
	}
	return wire.AppendSyncStep1(nil, wire.EncodeStateVector(sv))
}

// Whatever a room sends, the process survives, does not grow, and stays in the room; the document does not change,
// and valid frames sent right afterwards are applied.
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
			// A mutant that is a valid edit, or ends the room, is not part of this test.
			if f, err := wire.ParseFrame(b, wire.DefaultLimits); err == nil {
				if f.Kind == wire.Raw || f.Kind == wire.SyncStep2 || f.Kind == wire.Update && wire.CheckUpdate(f.Payload, wire.DefaultLimits) == nil {
					continue
				}
			}
			s.Fake.Rooms.Send(path, b)
			if sent++; sent%100 == 0 {
				synctest.Wait() // or our own queue grows
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

// heap returns the number of bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
