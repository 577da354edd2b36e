package kernels

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/gorilla/websocket"
)

// protocolV1 is the subprotocol with binary frames.
const protocolV1 = "v1.kernel.websocket.jupyter.org"

var errMalformed = errors.New("kernels: a malformed frame")

// encode encodes a message as a frame of a subprotocol.
func encode(subprotocol string, m *message) (kind int, frame []byte) {
	if subprotocol == protocolV1 {
		return websocket.BinaryMessage, encodeV1(m)
	}
	return encodeLegacy(m)
}

// encodeV1 writes the number of offsets, the offsets, and the parts that they delimit.
func encodeV1(m *message) []byte {
	parts := append([][]byte{[]byte(m.channel), m.header, m.parent, m.metadata, m.content}, m.buffers...)
	offset := 8 * (len(parts) + 2)
	frame := binary.LittleEndian.AppendUint64(nil, uint64(len(parts)+1))
	frame = binary.LittleEndian.AppendUint64(frame, uint64(offset))
	for _, p := range parts {
		offset += len(p)
		frame = binary.LittleEndian.AppendUint64(frame, uint64(offset))
	}
	return append(frame, bytes.Join(parts, nil)...)
}

// encodeLegacy writes a JSON object or, for a message with buffers, a binary frame with the object and the buffers.
func encodeLegacy(m *message) (kind int, frame []byte) {
	var h struct {
		ID string `json:"msg_id"`
	}
	_ = json.Unmarshal(m.header, &h) // our own header
	var b bytes.Buffer
	for i, p := range []struct {
		name  string
		value []byte
	}{
		{"header", m.header},
		{"msg_id", raw(h.ID)},
		{"msg_type", raw(m.kind)},
		{"parent_header", m.parent},
		{"metadata", m.metadata},
		{"content", m.content},
	} {
		b.WriteString(map[bool]string{true: `{"`, false: `, "`}[i == 0])
		b.WriteString(p.name + `": `)
		b.Write(p.value)
	}
	if len(m.buffers) == 0 && !m.bare {
		b.WriteString(`, "buffers": []`)
	}
	b.WriteString(`, "channel": "` + m.channel + `"}`)
	if len(m.buffers) == 0 {
		return websocket.TextMessage, b.Bytes()
	}
	parts := append([][]byte{b.Bytes()}, m.buffers...)
	offset := 4 * (len(parts) + 1)
	frame = binary.BigEndian.AppendUint32(nil, uint32(len(parts)))
	for _, p := range parts {
		frame = binary.BigEndian.AppendUint32(frame, uint32(offset))
		offset += len(p)
	}
	return websocket.BinaryMessage, append(frame, bytes.Join(parts, nil)...)
}

// decode decodes a frame from a client.
func decode(subprotocol string, kind int, frame []byte) (*message, error) {
	if subprotocol == protocolV1 {
		return decodeV1(kind, frame)
	}
	if kind == websocket.BinaryMessage {
		parts, err := cut(frame)
		if err != nil {
			return nil, err
		}
		m, err := decodeLegacy(parts[0])
		if err == nil {
			m.buffers = parts[1:]
		}
		return m, err
	}
	return decodeLegacy(frame)
}

func decodeV1(kind int, frame []byte) (*message, error) {
	if kind != websocket.BinaryMessage || len(frame) < 8 {
		return nil, errMalformed
	}
	n := binary.LittleEndian.Uint64(frame)
	if n < 6 || n > 1<<16 || 8*(n+1) > uint64(len(frame)) {
		return nil, errMalformed
	}
	var parts [][]byte
	for i := range n - 1 {
		from, to := binary.LittleEndian.Uint64(frame[8*(i+1):]), binary.LittleEndian.Uint64(frame[8*(i+2):])
		if from > to || to > uint64(len(frame)) {
			return nil, errMalformed
		}
		parts = append(parts, frame[from:to])
	}
	return received(string(parts[0]), parts[1], parts[2], parts[3], parts[4], parts[5:])
}

// cut splits a legacy frame with buffers.
func cut(frame []byte) ([][]byte, error) {
	if len(frame) < 8 {
		return nil, errMalformed
	}
	n := binary.BigEndian.Uint32(frame)
	if n < 1 || n > 1<<16 || 4*(uint64(n)+1) > uint64(len(frame)) {
		return nil, errMalformed
	}
	var parts [][]byte
	for i := range n {
		from, to := uint64(binary.BigEndian.Uint32(frame[4*(i+1):])), uint64(len(frame))
		if i+1 < n {
			to = uint64(binary.BigEndian.Uint32(frame[4*(i+2):]))
		}
		if from > to || to > uint64(len(frame)) {
			return nil, errMalformed
		}
		parts = append(parts, frame[from:to])
	}
	return parts, nil
}

func decodeLegacy(text []byte) (*message, error) {
	var m struct {
		Channel  string          `json:"channel"`
		Header   json.RawMessage `json:"header"`
		Parent   json.RawMessage `json:"parent_header"`
		Metadata json.RawMessage `json:"metadata"`
		Content  json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, errMalformed
	}
	return received(m.Channel, m.Header, m.Parent, m.Metadata, m.Content, nil)
}

func received(channel string, head, parent, metadata, content []byte, buffers [][]byte) (*message, error) {
	var h struct {
		Type string `json:"msg_type"`
	}
	if err := json.Unmarshal(head, &h); err != nil {
		return nil, errMalformed
	}
	if channel == "" {
		channel = "shell"
	}
	return &message{channel: channel, kind: h.Type, header: head, parent: parent, metadata: metadata, content: content, buffers: buffers}, nil
}
