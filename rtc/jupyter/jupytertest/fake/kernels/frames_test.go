package kernels_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// cutV1 splits a frame of the binary subprotocol.
func cutV1(frame []byte) [][]byte {
	n := binary.LittleEndian.Uint64(frame)
	var out [][]byte
	for i := range n - 1 {
		from, to := binary.LittleEndian.Uint64(frame[8*(i+1):]), binary.LittleEndian.Uint64(frame[8*(i+2):])
		out = append(out, frame[from:to])
	}
	return out
}

// cutLegacy splits a binary frame without a subprotocol.
func cutLegacy(frame []byte) [][]byte {
	n := binary.BigEndian.Uint32(frame)
	var out [][]byte
	for i := range n {
		from, to := binary.BigEndian.Uint32(frame[4*(i+1):]), uint32(len(frame))
		if i+1 < n {
			to = binary.BigEndian.Uint32(frame[4*(i+2):])
		}
		out = append(out, frame[from:to])
	}
	return out
}

// joinV1 makes a frame of the binary subprotocol.
func joinV1(channel string, header, parent, content any) []byte {
	parts := [][]byte{[]byte(channel)}
	for _, v := range []any{header, parent, map[string]any{}, content} {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		parts = append(parts, b)
	}
	offset := 8 * (len(parts) + 2)
	frame := binary.LittleEndian.AppendUint64(nil, uint64(len(parts)+1))
	frame = binary.LittleEndian.AppendUint64(frame, uint64(offset))
	for _, p := range parts {
		offset += len(p)
		frame = binary.LittleEndian.AppendUint64(frame, uint64(offset))
	}
	return append(frame, bytes.Join(parts, nil)...)
}
