package wire

import (
	"maps"
	"slices"
)

// CheckStateVector reads a whole state vector (Yjs, encoding.js, writeStateVector) and returns a *[FormatError]
// unless it is valid: a count, and that many pairs of a client and a clock, each client once.
func CheckStateVector(b []byte, lim Limits) error {
	return readStateVector(b, lim, nil)
}

// ParseStateVector decodes a state vector: for each client the first clock that the sender lacks. The error is a
// *[FormatError].
func ParseStateVector(b []byte, lim Limits) (map[uint64]uint64, error) {
	sv := map[uint64]uint64{}
	if err := readStateVector(b, lim, func(client, clock uint64) { sv[client] = clock }); err != nil {
		return nil, err
	}
	return sv, nil
}

func readStateVector(b []byte, lim Limits, each func(client, clock uint64)) error {
	r := Reader{b: b, what: "state vector"}
	n := r.Uint()
	if n > uint64(max(lim.Clients, 0)) {
		r.failAt(0, ReasonLimit, "%d clients, at most %d are allowed", n, lim.Clients)
		return r.Err()
	}
	if n > uint64(r.Len()/2) {
		r.failAt(0, ReasonTruncated, "%d clients are announced, %d bytes are left", n, r.Len())
	}
	var seen clientSet
	for range n {
		start := r.off
		client := r.Uint()
		clock := r.Uint()
		if r.err != nil {
			break
		}
		if !seen.add(client) {
			r.failAt(start, ReasonDuplicate, "client %d appears twice", client)
			break
		}
		if each != nil {
			each(client, clock)
		}
	}
	return r.End()
}

// EncodeStateVector encodes sv with the highest client first, as Yjs does; equal maps give equal bytes.
func EncodeStateVector(sv map[uint64]uint64) []byte {
	b := AppendUint(nil, uint64(len(sv)))
	clients := slices.Sorted(maps.Keys(sv))
	for _, client := range slices.Backward(clients) {
		b = AppendUint(AppendUint(b, client), sv[client])
	}
	return b
}
