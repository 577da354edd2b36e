package wire_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestRecordedFrames(t *testing.T) {
	want := map[string]wire.Frame{
		"frame SYNC1 of an empty doc":                   {Kind: wire.SyncStep1, Payload: []byte{0}},
		"frame SYNC2 of an empty doc (nothing to give)": {Kind: wire.SyncStep2, Payload: []byte{0, 0}},
		"frame RAW save id 7":                           {Kind: wire.Raw, Raw: "save", Payload: []byte{7}},
		"frame AWARENESS leave (null)":                  {Kind: wire.Awareness, Payload: b(1, 1, 2, "null")},
	}
	build := map[string]func(wire.Frame) []byte{
		"frame SYNC1 of an empty doc":                   func(f wire.Frame) []byte { return wire.AppendSyncStep1(nil, f.Payload) },
		"frame SYNC2 of an empty doc (nothing to give)": func(f wire.Frame) []byte { return wire.AppendSyncStep2(nil, f.Payload) },
		"frame RAW save id 7":                           func(wire.Frame) []byte { return wire.AppendSave(nil, 7) },
		"frame AWARENESS leave (null)":                  func(f wire.Frame) []byte { return wire.AppendAwareness(nil, f.Payload) },
	}
	for _, v := range vectors(t) {
		w, ok := want[v.Name]
		if !ok {
			continue
		}
		delete(want, v.Name)
		raw := unhex(t, v.Hex)
		f, err := wire.ParseFrame(raw, wire.DefaultLimits)
		must.NoError(t, err, must.Sprint(v.Name))
		test.Eq(t, w.Kind, f.Kind, test.Sprint(v.Name))
		test.Eq(t, w.Raw, f.Raw, test.Sprint(v.Name))
		test.True(t, bytes.Equal(f.Payload, w.Payload), test.Sprint(v.Name))
		if got := build[v.Name](f); !bytes.Equal(got, raw) {
			t.Errorf("%s: built as %x, recorded as %x", v.Name, got, raw)
		}
	}
	if len(want) > 0 {
		t.Errorf("not recorded: %v", want)
	}
}

func TestUpdateFrame(t *testing.T) {
	u := bytes.Repeat([]byte{7}, 300)
	raw := wire.AppendUpdate([]byte("before"), u)[len("before"):]
	f, err := wire.ParseFrame(raw, wire.DefaultLimits)
	must.NoError(t, err)
	test.Eq(t, wire.Update, f.Kind)
	test.True(t, bytes.Equal(f.Payload, u))
	test.True(t, bytes.Equal(raw[:4], []byte{0, 2, 0xac, 2}))
}

func TestUnknownFramesAreNoError(t *testing.T) {
	for _, raw := range [][]byte{{3}, {125, 1, 2, 3}, {0, 3, 0}, {0, 99}, b(1 << 40)} {
		f, err := wire.ParseFrame(raw, wire.DefaultLimits)
		must.NoError(t, err, must.Sprint(raw))
		test.Eq(t, wire.Unknown, f.Kind, test.Sprint(raw))
	}
}

func TestFramesRefused(t *testing.T) {
	lim := wire.DefaultLimits
	lim.UpdateBytes, lim.AwarenessBytes, lim.RawBytes, lim.Clients = 3, 3, 3, 1
	for name, c := range map[string]struct {
		frame []byte
		want  wire.Reason
	}{
		"empty":                    {nil, wire.ReasonTruncated},
		"sync without a type":      {b(0), wire.ReasonTruncated},
		"a cut payload":            {b(0, 2, 3, byte(1)), wire.ReasonTruncated},
		"no payload":               {b(1), wire.ReasonTruncated},
		"bytes after an update":    {b(0, 2, "ab", byte(1)), wire.ReasonTrailing},
		"bytes after awareness":    {b(1, "ab", byte(1)), wire.ReasonTrailing},
		"a large update":           {b(0, 2, "abcd"), wire.ReasonLimit},
		"a large answer":           {b(0, 1, "abcd"), wire.ReasonLimit},
		"a large state vector":     {b(0, 0, strings.Repeat("x", 25)), wire.ReasonLimit},
		"a large awareness update": {b(1, "abcd"), wire.ReasonLimit},
		"a large text":             {b(2, "abcd"), wire.ReasonLimit},
		"a text that is no UTF-8":  {b(2, "\xff"), wire.ReasonText},
		"a type beyond 53 bits":    {b(uint64(1 << 60)), wire.ReasonOverflow},
	} {
		var fault *wire.FormatError
		f, err := wire.ParseFrame(c.frame, lim)
		must.True(t, errors.As(err, &fault), must.Sprint(name))
		test.Eq(t, c.want, fault.Reason, test.Sprint(name))
		test.Eq(t, wire.Unknown, f.Kind, test.Sprint(name))
	}
}

func TestRawMessages(t *testing.T) {
	for name, c := range map[string]struct {
		frame []byte
		want  wire.RawMessage
	}{
		"saved":      {wire.AppendRaw(nil, `{"type":"save","responseTo":7,"status":"success"}`), wire.RawMessage{Type: wire.RawSave, ResponseTo: 7, Status: wire.Saved}},
		"conflict":   {wire.AppendRaw(nil, `{"type":"conflict"}`), wire.RawMessage{Type: wire.RawConflict}},
		"a request":  {wire.AppendSave(nil, 300), wire.RawMessage{Type: wire.RawSave, Request: true, ResponseTo: 300}},
		"other JSON": {wire.AppendRaw(nil, `{"type":"x","more":[1]}`), wire.RawMessage{Type: "x"}},
		"other word": {wire.AppendRaw(nil, `hello`), wire.RawMessage{Type: "hello", Request: true}},
		"no word":    {wire.AppendRaw(nil, ``), wire.RawMessage{Request: true}},
	} {
		f, err := wire.ParseFrame(c.frame, wire.DefaultLimits)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m, err := wire.ParseRaw(f)
		must.NoError(t, err, must.Sprint(name))
		test.EqOp(t, c.want, m, test.Sprint(name))
	}
	for name, f := range map[string]wire.Frame{
		"another kind":         {Kind: wire.Update},
		"a request without id": {Kind: wire.Raw, Raw: "save"},
		"invalid JSON":         {Kind: wire.Raw, Raw: `{"type":`},
		"an invalid type":      {Kind: wire.Raw, Raw: `{"type":7}`},
		"a negative id":        {Kind: wire.Raw, Raw: `{"type":"save","responseTo":-1}`},
	} {
		var fault *wire.FormatError
		if m, err := wire.ParseRaw(f); !errors.As(err, &fault) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}
