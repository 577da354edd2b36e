package wire_test

import (
	"bytes"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/internal/fuzzkit"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// fuzz runs a check on any bytes, starting from seeds, and bounds the time and memory of each.
func fuzz(f *testing.F, seeds [][]byte, check func(tb testing.TB, b []byte) bool) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		fuzzkit.Watch(t, b, func(tb testing.TB) { check(tb, b) })
	})
}

// FuzzCheckUpdate looks for input that makes the check panic, or is accepted although a longer or shorter input is,
// too.
func FuzzCheckUpdate(f *testing.F) {
	fuzz(f, append(realUpdates(f), []byte{0x80, 0x80, 0x80, 0x80, 0x40}), func(tb testing.TB, u []byte) bool {
		if wire.CheckUpdate(u, wire.DefaultLimits) != nil {
			return false
		}
		if wire.CheckUpdate(append(bytes.Clone(u), 0), wire.DefaultLimits) == nil || wire.CheckUpdate(u[:len(u)-1], wire.DefaultLimits) == nil {
			tb.Fatal("accepted, and a byte longer or shorter too")
		}
		return true
	})
}

// FuzzStateVector checks that an accepted state vector means the same when encoded again.
func FuzzStateVector(f *testing.F) { fuzz(f, realStateVectors(f), checkStateVector) }

func checkStateVector(tb testing.TB, raw []byte) (accepted bool) {
	sv, err := wire.ParseStateVector(raw, wire.DefaultLimits)
	if checked := wire.CheckStateVector(raw, wire.DefaultLimits); (checked == nil) != (err == nil) {
		tb.Fatalf("checked: %v, parsed: %v", checked, err)
	}
	if err != nil {
		return false
	}
	again, err := wire.ParseStateVector(wire.EncodeStateVector(sv), wire.DefaultLimits)
	must.NoError(tb, err)
	must.MapLen(tb, len(sv), again)
	for client, clock := range sv {
		c, ok := again[client]
		must.True(tb, ok, must.Sprint(sv, again))
		must.Eq(tb, clock, c, must.Sprint(sv, again))
	}
	return true
}

// FuzzFrame checks that an accepted frame means the same when built again.
func FuzzFrame(f *testing.F) { fuzz(f, realFrames(f), checkFrame) }

func checkFrame(tb testing.TB, raw []byte) (accepted bool) {
	fr, err := wire.ParseFrame(raw, wire.DefaultLimits)
	if err != nil {
		return false
	}
	var built []byte
	switch fr.Kind {
	case wire.SyncStep1:
		built = wire.AppendSyncStep1(nil, fr.Payload)
	case wire.SyncStep2:
		built = wire.AppendSyncStep2(nil, fr.Payload)
	case wire.Update:
		built = wire.AppendUpdate(nil, fr.Payload)
	case wire.Awareness:
		built = wire.AppendAwareness(nil, fr.Payload)
	case wire.Raw:
		built = append(wire.AppendRaw(nil, fr.Raw), fr.Payload...)
		_, _ = wire.ParseRaw(fr)
	default:
		return false
	}
	again, err := wire.ParseFrame(built, wire.DefaultLimits)
	must.NoError(tb, err)
	must.Eq(tb, fr.Kind, again.Kind)
	must.Eq(tb, fr.Raw, again.Raw)
	must.True(tb, bytes.Equal(again.Payload, fr.Payload))
	return true
}
