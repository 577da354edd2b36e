package kernel

import (
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// A kernel's message with NaN, as written by Python's json, is read in either codec.
func TestMessageWithNaN(t *testing.T) {
	head := newIDMaker().header("display_data")
	m := newOutgoing("iopub", head, nil, map[string]any{
		"data": map[string]any{"application/json": map[string]any{"mean": "N"}}, "metadata": map[string]any{"most": "I"},
	})
	content := strings.NewReplacer(`"N"`, "NaN", `"I"`, "-Infinity").Replace(string(m.parts[3]))
	m.parts[3] = []byte(content)
	for name, c := range map[string]codec{"binary": binaryCodec{}, "text": textCodec{}} {
		t.Run(name, func(t *testing.T) {
			kind, frame := c.encode(m)
			if name == "text" {
				must.Eq(t, websocket.TextMessage, kind)
			}
			in, err := c.decode(kind, frame)
			must.NoError(t, err)
			event, err := decodeEvent(in)
			must.NoError(t, err)
			shown, ok := event.(Display)
			must.True(t, ok)
			data, _ := shown.Data["application/json"].(map[string]any)
			test.Eq[any](t, pyjson.NaN, data["mean"])
			test.Eq[any](t, pyjson.NegInfinity, shown.Metadata["most"])
		})
	}
}
