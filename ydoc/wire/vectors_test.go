package wire_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/ydoc/internal/fuzzkit"
	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vector is one recorded message or document, made by yjs 13.6.33 or pycrdt 0.14.13.
type vector struct {
	Name        string   `json:"name"`
	Hex         string   `json:"hex"`
	Full        string   `json:"full"`
	StateVector string   `json:"stateVector"`
	Updates     []string `json:"updates"`
}

func vectors(tb testing.TB) []vector {
	tb.Helper()
	var all []vector
	for _, name := range []string{"testdata/yjs.json", "testdata/pycrdt.json"} {
		b, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		var vs []vector
		if err := json.Unmarshal(b, &vs); err != nil {
			tb.Fatal(err)
		}
		all = append(all, vs...)
	}
	return all
}

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// realUpdates are the updates of the recorded documents and session, single transactions and whole states.
func realUpdates(tb testing.TB) [][]byte {
	tb.Helper()
	var us [][]byte
	for _, v := range vectors(tb) {
		if v.Full != "" {
			us = append(us, unhex(tb, v.Full))
		}
		for _, u := range v.Updates {
			us = append(us, unhex(tb, u))
		}
	}
	us = append(us, fuzzkit.Payloads(tb, wire.SyncStep2, wire.Update)...)
	if len(us) < 100 {
		tb.Fatalf("%d recorded updates, at least 100 expected", len(us))
	}
	return us
}

// realStateVectors are the state vectors of the recorded documents and session.
func realStateVectors(tb testing.TB) [][]byte {
	tb.Helper()
	svs := fuzzkit.Payloads(tb, wire.SyncStep1)
	for _, v := range vectors(tb) {
		if v.StateVector != "" {
			svs = append(svs, unhex(tb, v.StateVector))
		}
	}
	return append(svs, b(2, wire.MaxInt, 1, 3412345678, wire.MaxInt))
}

// realFrames are all messages of the recorded session, and single ones made by yjs and pycrdt.
func realFrames(tb testing.TB) [][]byte {
	tb.Helper()
	fs := [][]byte{
		wire.AppendRaw(nil, `{"type":"save","responseTo":7,"status":"success"}`),
		wire.AppendUpdate(nil, []byte{0, 0}),
	}
	for _, m := range fuzzkit.Session(tb) {
		fs = append(fs, m.Frame)
	}
	for _, v := range vectors(tb) {
		if v.Hex != "" {
			fs = append(fs, unhex(tb, v.Hex))
		}
	}
	return fs
}
