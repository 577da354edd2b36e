package wire

import "slices"

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
