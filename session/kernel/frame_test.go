package kernel

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func requestFor(t testing.TB) (outgoing, header) {
	t.Helper()
	head := newIDMaker().header("execute_request")
	m := newOutgoing("shell", head, json.RawMessage(`{"msg_id":"p1","msg_type":"x"}`), map[string]any{"code": "print('é')"})
	return m, head
}

// Both codecs decode their own encoding.
func TestCodecsRoundTrip(t *testing.T) {
	for name, cd := range map[string]codec{"binary": binaryCodec{}, "text": textCodec{}} {
		t.Run(name, func(t *testing.T) {
			m, head := requestFor(t)
			got, err := cd.decode(cd.encode(m))
			if err != nil {
				t.Fatal(err)
			}
			test.Eq(t, "shell", got.channel, test.Sprint(m))
			test.EqOp(t, head, got.header, test.Sprint(m))
			test.Eq(t, "p1", got.parent.ID, test.Sprint(m))
			test.True(t, bytes.Contains(got.content, []byte("print('é')")), test.Sprint(m))
		})
	}
}

// A frame laid out by hand in the server's format: the offsets are counted from the frame's beginning, in 64-bit
// little-endian numbers, and the last one is the end, or the end of the last buffer.
func TestBinaryCodecLayout(t *testing.T) {
	parts := []string{"iopub", `{"msg_id":"a","msg_type":"status"}`, `{"msg_id":"b"}`, "{}", `{"execution_state":"idle"}`, "BUFFER1", "B2"}
	frame := binary.LittleEndian.AppendUint64(nil, uint64(len(parts)+1))
	at := 8 * (len(parts) + 2)
	frame = binary.LittleEndian.AppendUint64(frame, uint64(at))
	for _, p := range parts {
		at += len(p)
		frame = binary.LittleEndian.AppendUint64(frame, uint64(at))
	}
	frame = append(frame, strings.Join(parts, "")...)
	m, err := binaryCodec{}.decode(websocket.BinaryMessage, frame)
	if err != nil {
		t.Fatal(err)
	}
	test.Eq(t, "iopub", m.channel)
	test.Eq(t, "status", m.header.Type)
	test.Eq(t, "b", m.parent.ID)
	test.Eq(t, parts[4], string(m.content))
}

// In the older form a message with buffers comes in a binary frame.
func TestTextCodecBuffers(t *testing.T) {
	message := `{"channel":"iopub","header":{"msg_id":"a","msg_type":"display_data"},"parent_header":{"msg_id":"b"},"content":{"data":{}}}`
	frame := binary.BigEndian.AppendUint32(nil, 2)
	frame = binary.BigEndian.AppendUint32(frame, 12)
	frame = binary.BigEndian.AppendUint32(frame, uint32(12+len(message)))
	frame = append(append(frame, message...), "BUFFER"...)
	m, err := textCodec{}.decode(websocket.BinaryMessage, frame)
	must.NoError(t, err)
	test.Eq(t, "display_data", m.header.Type)
	test.Eq(t, "b", m.parent.ID)
}

func TestDecodeMalformed(t *testing.T) {
	le := func(n ...uint64) []byte {
		var b []byte
		for _, v := range n {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		return b
	}
	for name, frame := range map[string][]byte{
		"empty":            {},
		"short":            {6, 0, 0},
		"huge count":       le(1<<63, 1),
		"more than fits":   le(7, 64, 64, 64),
		"too few":          le(5, 48, 48, 48, 48, 48),
		"backwards":        le(6, 60, 59, 60, 60, 60, 60),
		"into the offsets": le(6, 8, 56, 56, 56, 56, 56),
		"beyond the end":   le(6, 56, 56, 56, 56, 56, 1<<62),
		"no header":        le(6, 56, 56, 56, 56, 56, 56),
	} {
		if m, err := (binaryCodec{}).decode(websocket.BinaryMessage, frame); err == nil {
			t.Errorf("%s: read %+v", name, m)
		}
	}
	for name, frame := range map[string]string{
		"empty": "", "no JSON": "{", "a number": "1", "header a list": `{"header":[]}`, "no type": `{"header":{"msg_id":"a"}}`,
		"parent a text": `{"header":{"msg_id":"a","msg_type":"x"},"parent_header":"p"}`,
	} {
		if m, err := (textCodec{}).decode(websocket.TextMessage, []byte(frame)); err == nil {
			t.Errorf("%s: read %+v", name, m)
		}
	}
}

// Any input gives an error or a message, whose event is an error or not, and never a panic.
func FuzzDecode(f *testing.F) {
	for _, cd := range []codec{binaryCodec{}, textCodec{}} {
		m, _ := requestFor(f)
		_, frame := cd.encode(m)
		f.Add(frame)
	}
	for _, kind := range []string{"stream", "display_data", "execute_result", "error", "clear_output", "execute_input", "input_request"} {
		f.Add([]byte(`{"channel":"iopub","header":{"msg_id":"a","msg_type":"` + kind + `"},"parent_header":{},"content":{"data":{"a":1e999},"text":1,"wait":0}}`))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		for _, cd := range []codec{binaryCodec{}, textCodec{}} {
			for _, frameType := range []int{websocket.BinaryMessage, websocket.TextMessage} {
				m, err := cd.decode(frameType, frame)
				if err != nil {
					continue
				}
				if _, err := decodeEvent(m); err != nil && m.header.Type == "" {
					t.Errorf("a message without a type: %+v", m)
				}
				if _, err := decodeReply(m.content); err == nil && len(m.content) == 0 {
					t.Error("a reply out of nothing")
				}
			}
		}
	})
}
