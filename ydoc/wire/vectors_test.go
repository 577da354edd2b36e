package wire_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"go.uber.org/goleak"
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

// realUpdates are the updates of the recorded documents, single transactions and whole states.
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
	if len(us) < 9 {
		tb.Fatalf("%d recorded updates, at least 9 expected", len(us))
	}
	return us
}
