package kernel

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// maxParts bounds the parts of one frame: a channel, four parts of a message, and its buffers.
const maxParts = 1 << 16

// codec is one of the two wire formats of messages.
type codec interface {
	encode(outgoing) (frameType int, frame []byte)
	decode(frameType int, frame []byte) (incoming, error)
}

// binaryCodec is the subprotocol "v1.kernel.websocket.jupyter.org": a 64-bit little-endian offset count, the offsets, then
// the delimited parts: channel, header, parent header, metadata, content, buffers. The last offset is the end.
type binaryCodec struct{}

func (binaryCodec) encode(m outgoing) (int, []byte) {
	parts := append([][]byte{[]byte(m.channel)}, m.parts[:]...)
	offset := 8 * (len(parts) + 2) // the number, the starts, the end
	frame := binary.LittleEndian.AppendUint64(nil, uint64(len(parts)+1))
	frame = binary.LittleEndian.AppendUint64(frame, uint64(offset))
	for _, p := range parts {
		offset += len(p)
		frame = binary.LittleEndian.AppendUint64(frame, uint64(offset))
	}
	for _, p := range parts {
		frame = append(frame, p...)
	}
	return websocket.BinaryMessage, frame
}

func (binaryCodec) decode(frameType int, frame []byte) (incoming, error) {
	if frameType != websocket.BinaryMessage {
		return incoming{}, fmt.Errorf("kernel frame: text frame in a binary protocol")
	}
	if len(frame) < 8 {
		return incoming{}, fmt.Errorf("kernel frame: %d bytes are too short", len(frame))
	}
	n := binary.LittleEndian.Uint64(frame)
	if n < 6 || n > maxParts || 8*(n+1) > uint64(len(frame)) {
		return incoming{}, fmt.Errorf("kernel frame: %d offsets in %d bytes", n, len(frame))
	}
	var at [6]int // the starts of channel, header, parent, metadata, content, and the end of content
	prev := 8 * (n + 1)
	for i := range n {
		o := binary.LittleEndian.Uint64(frame[8*(i+1):])
		if o < prev || o > uint64(len(frame)) {
			return incoming{}, fmt.Errorf("kernel frame: offset %d is %d, outside %d to %d", i, o, prev, len(frame))
		}
		prev = o
		if i < 6 {
			at[i] = int(o)
		}
	}
	part := func(i int) []byte { return frame[at[i]:at[i+1]] }
	return newIncoming(string(part(0)), part(1), part(2), part(4))
}

// textCodec is the older form: one JSON object per text frame. Only messages with buffers use binary frames: a 32-bit
// big-endian number of parts, their offsets, the JSON object, the buffers.
type textCodec struct{}

func (textCodec) encode(m outgoing) (int, []byte) {
	frame := []byte(`{"channel":"` + m.channel + `"`) // one of our own four words
	for i, name := range []string{"header", "parent_header", "metadata", "content"} {
		frame = append(frame, `,"`+name+`":`...)
		frame = append(frame, m.parts[i]...)
	}
	return websocket.TextMessage, append(frame, `,"buffers":[]}`...)
}

func (textCodec) decode(frameType int, frame []byte) (incoming, error) {
	if frameType == websocket.BinaryMessage {
		if len(frame) < 8 {
			return incoming{}, fmt.Errorf("kernel frame: %d bytes are too short", len(frame))
		}
		n := binary.BigEndian.Uint32(frame)
		if n < 1 || n > maxParts || 4*(uint64(n)+1) > uint64(len(frame)) {
			return incoming{}, fmt.Errorf("kernel frame: %d parts in %d bytes", n, len(frame))
		}
		start, end := uint64(binary.BigEndian.Uint32(frame[4:])), uint64(len(frame))
		if n > 1 {
			end = uint64(binary.BigEndian.Uint32(frame[8:]))
		}
		if start < 4*(uint64(n)+1) || start > end || end > uint64(len(frame)) {
			return incoming{}, fmt.Errorf("kernel frame: the message is at %d to %d of %d bytes", start, end, len(frame))
		}
		frame = frame[start:end]
	}
	var m struct {
		Channel string          `json:"channel"`
		Header  json.RawMessage `json:"header"`
		Parent  json.RawMessage `json:"parent_header"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(pyjson.Standard(frame), &m); err != nil {
		return incoming{}, fmt.Errorf("kernel frame: %w", err)
	}
	return newIncoming(m.Channel, m.Header, m.Parent, m.Content)
}

// newIncoming returns a message with the encoded parts, which it retains.
func newIncoming(channel string, head, parent, content []byte) (incoming, error) {
	head, parent, content = pyjson.Standard(head), pyjson.Standard(parent), pyjson.Standard(content)
	m := incoming{channel: channel, rawHeader: head, content: content}
	if err := json.Unmarshal(head, &m.header); err != nil {
		return incoming{}, fmt.Errorf("kernel message: header: %w", err)
	}
	if m.header.Type == "" {
		return incoming{}, fmt.Errorf("kernel message: its header has no msg_type")
	}
	if len(parent) > 0 {
		if err := json.Unmarshal(parent, &m.parent); err != nil {
			return incoming{}, fmt.Errorf("kernel message: parent header: %w", err)
		}
	}
	return m, nil
}
