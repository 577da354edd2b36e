package wire_test

import (
	"bytes"
	"testing"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// FuzzCheckUpdate looks for input that makes the check panic, or that is accepted together with a longer or shorter one.
func FuzzCheckUpdate(f *testing.F) {
	for _, u := range realUpdates(f) {
		f.Add(u)
	}
	f.Add([]byte{0x80, 0x80, 0x80, 0x80, 0x40})
	f.Fuzz(func(t *testing.T, u []byte) {
		if wire.CheckUpdate(u, wire.DefaultLimits) != nil {
			return
		}
		if wire.CheckUpdate(append(bytes.Clone(u), 0), wire.DefaultLimits) == nil || wire.CheckUpdate(u[:len(u)-1], wire.DefaultLimits) == nil {
			t.Fatal("accepted, and a byte longer or shorter too")
		}
	})
}

// FuzzStateVector checks that an accepted state vector means the same when encoded again.
func FuzzStateVector(f *testing.F) {
	for _, v := range vectors(f) {
		if v.StateVector != "" {
			f.Add(unhex(f, v.StateVector))
		}
	}
	f.Add(b(2, wire.MaxInt, 1, 3412345678, wire.MaxInt))
	f.Fuzz(func(t *testing.T, raw []byte) {
		sv, err := wire.ParseStateVector(raw, wire.DefaultLimits)
		if checked := wire.CheckStateVector(raw, wire.DefaultLimits); (checked == nil) != (err == nil) {
			t.Fatalf("checked: %v, parsed: %v", checked, err)
		}
		if err != nil {
			return
		}
		again, err := wire.ParseStateVector(wire.EncodeStateVector(sv), wire.DefaultLimits)
		if err != nil || len(again) != len(sv) {
			t.Fatalf("%v became %v (%v)", sv, again, err)
		}
		for client, clock := range sv {
			if c, ok := again[client]; !ok || c != clock {
				t.Fatalf("%v became %v", sv, again)
			}
		}
	})
}

// FuzzFrame checks that an accepted frame means the same when built again.
func FuzzFrame(f *testing.F) {
	for _, v := range vectors(f) {
		if v.Hex != "" {
			f.Add(unhex(f, v.Hex))
		}
	}
	f.Add(wire.AppendRaw(nil, `{"type":"save","responseTo":7,"status":"success"}`))
	f.Add(wire.AppendUpdate(nil, []byte{0, 0}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		fr, err := wire.ParseFrame(raw, wire.DefaultLimits)
		if err != nil {
			return
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
			return
		}
		again, err := wire.ParseFrame(built, wire.DefaultLimits)
		if err != nil || again.Kind != fr.Kind || again.Raw != fr.Raw || !bytes.Equal(again.Payload, fr.Payload) {
			t.Fatalf("%+v became %+v (%v)", fr, again, err)
		}
	})
}
