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

// clientSet detects duplicate clients. The first few are stored inline; clients in descending order, as encoders
// write structs, need no search.
type clientSet struct {
	n         int
	last      uint64
	unordered bool
	few       [32]uint64
	more      []uint64 // those beyond few, until index is built
	index     map[uint64]struct{}
}

// add reports whether client is new.
func (s *clientSet) add(client uint64) bool {
	if s.n > 0 && client >= s.last {
		s.unordered = true
	}
	if s.unordered && s.has(client) {
		return false
	}
	switch {
	case s.index != nil:
		s.index[client] = struct{}{}
	case s.n < len(s.few):
		s.few[s.n] = client
	default:
		s.more = append(s.more, client)
	}
	s.n++
	s.last = client
	return true
}

func (s *clientSet) has(client uint64) bool {
	if s.index == nil && s.n > 2*len(s.few) {
		s.index = make(map[uint64]struct{}, 2*s.n)
		for _, c := range s.few {
			s.index[c] = struct{}{}
		}
		for _, c := range s.more {
			s.index[c] = struct{}{}
		}
		s.more = nil
	}
	if s.index != nil {
		_, ok := s.index[client]
		return ok
	}
	return slices.Contains(s.few[:min(s.n, len(s.few))], client) || slices.Contains(s.more, client)
}
