package crdt

// Places says what in a copy corresponds to what in the text that it was made of.
type Places struct {
	// At is the offset that corresponds to one.
	At func(was, now string, off int) int
	// Kept are the stretches that correspond to what is unchanged from an offset to another: from where and up to where
	// in the copy, and from where in the text.
	Kept func(was, now string, from, to int) [][3]int
}

// sameUnits lists which unit of a text each unit of another became, nil where it has none.
func sameUnits(now *Type, was string, length int, places Places) []*unit {
	same := make([]*unit, length)
	for _, s := range places.Kept(was, now.Characters(), 0, length) {
		for to := s[0]; to < s[1]; to++ {
			same[s[2]+to-s[0]] = now.unitBefore(to + 1)
		}
	}
	return same
}

// joined reports whether of two units the second is the n-th after the first, or there is neither.
func joined(a, b *unit, n int) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return b.client == a.client && b.clock == a.clock+n
}
