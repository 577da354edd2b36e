package fuzzkit

import (
	_ "embed"
	"encoding/json"
	"testing"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// session.json has every message of a JupyterLab 4.6 tab with jupyter-collaboration 5 in a notebook's room, and the
// first ones in the global awareness room. A person typed (including astral characters), moved the caret, ran cells,
// one of which failed, added, retyped, copied and deleted cells, undid and saved; an agent opened the notebook and
// changed a source at the same time. The tab's messages were encoded by yjs, those to it by yrs or this module.
//
//go:embed session.json
var session []byte

// Message is one message of the recorded session.
type Message struct {
	// From is "tab" or "server".
	From string `json:"from"`
	// Room is "notebook" or "global".
	Room string `json:"room"`
	// Frame is the message.
	Frame []byte `json:"frame"`
}

// Session returns the recorded messages in the order of the tab's sockets.
func Session(tb testing.TB) []Message {
	tb.Helper()
	var ms []Message
	if err := json.Unmarshal(session, &ms); err != nil {
		tb.Fatal(err)
	}
	return ms
}

// Payloads returns the payloads of the recorded messages of the given kinds, in order.
func Payloads(tb testing.TB, kinds ...wire.FrameKind) [][]byte {
	tb.Helper()
	var all [][]byte
	for _, m := range Session(tb) {
		f, err := wire.ParseFrame(m.Frame, wire.DefaultLimits)
		if err != nil {
			tb.Fatal(err)
		}
		for _, k := range kinds {
			if f.Kind == k {
				all = append(all, f.Payload)
			}
		}
	}
	return all
}
