package crdt

// Places maps offsets of a text to offsets of its copy.
type Places struct {
	// At returns the offset in now that corresponds to off in was.
	At func(was, now string, off int) int
	// Kept returns the unchanged stretches between two offsets of was: start and end in now, and start in was.
	Kept func(was, now string, from, to int) [][3]int
}

// sameUnits returns, for each unit of was, the corresponding unit of now, or nil.
func sameUnits(now *Type, was string, length int, places Places) []*unit {
	same := make([]*unit, length)
	for _, s := range places.Kept(was, now.Characters(), 0, length) {
		for to := s[0]; to < s[1]; to++ {
			same[s[2]+to-s[0]] = now.unitBefore(to + 1)
		}
	}
	return same
}

// joined reports whether b is n units after a, or both are nil.
func joined(a, b *unit, n int) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return b.client == a.client && b.clock == a.clock+n
}
