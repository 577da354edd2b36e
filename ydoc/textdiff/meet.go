package textdiff

import "strings"

// Keeps reports whether mine, as a change of theirs, keeps the changes from base to theirs: it neither deletes text
// added there nor restores text deleted there. Then the author of mine knew theirs, or nothing of it is lost anyway.
func Keeps(base, theirs, mine string) bool {
	base, theirs, mine = valid(base), valid(theirs), valid(mine)
	ours := diff(theirs, mine)
	for _, t := range diff(base, theirs) {
		for _, s := range ours {
			if s.a0 > t.b1 || s.a1 < t.b0 {
				continue
			}
			if s.a1 > t.b0 && s.a0 < t.b1 { // it replaces part of their addition
				return false
			}
			if gone := strings.TrimSpace(base[t.a0:t.a1]); gone != "" && strings.Contains(mine[s.b0:s.b1], gone) {
				return false
			}
		}
	}
	return true
}

// Apart reports whether the changes from base to theirs and to mine do not meet anywhere, so that either is
// independent of the other.
func Apart(base, theirs, mine string) bool {
	base, theirs, mine = valid(base), valid(theirs), valid(mine)
	ours := diff(base, mine)
	for _, t := range diff(base, theirs) {
		for _, s := range ours {
			if s.a0 <= t.a1 && t.a0 <= s.a1 {
				return false
			}
		}
	}
	return true
}
