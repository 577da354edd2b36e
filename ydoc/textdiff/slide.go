package textdiff

import "unicode/utf8"

// maxSlide is how far, in bytes, the search for a better place for an insertion or deletion goes in each direction.
const maxSlide = 4 << 10

// slide moves an insertion or deletion that has several possible places to the best one between the byte offsets lo
// and hi of old: the beginning of a line, else the end of a line, else the beginning of a word. Among equally good
// places it takes the last, where a person's caret most likely was.
func slide(old, new string, s *span, lo, hi int) {
	if s.a0 != s.a1 && s.b0 != s.b1 {
		return
	}
	text, i, j := new, s.b0, s.b1
	if s.a0 != s.a1 {
		text, i, j = old, s.a0, s.a1
	}
	left, right := 0, 0
	for left > -maxSlide && s.a0+left > lo && text[i+left-1] == text[j+left-1] {
		left--
	}
	for right < maxSlide && s.a1+right < hi && j+right < len(text) && text[i+right] == text[j+right] {
		right++
	}
	best, bestScore := 0, -1
	for d := right; d >= left; d-- {
		if clusterBoundary(text, i+d) && clusterBoundary(text, j+d) && clusterBoundary(old, s.a0+d) && clusterBoundary(new, s.b0+d) {
			if n := placeScore(text, i+d, j+d); n > bestScore {
				best, bestScore = d, n
			}
		}
	}
	s.a0 += best
	s.a1 += best
	s.b0 += best
	s.b1 += best
}

// placeScore rates text[i:j] as a separate piece.
func placeScore(text string, i, j int) int {
	switch {
	case lineStart(text, i) && lineStart(text, j):
		return 4
	case text[i] == '\n' && (j == len(text) || text[j] == '\n'):
		return 3
	case wordStart(text, i) && wordStart(text, j):
		return 2
	case wordStart(text, i) || wordStart(text, j):
		return 1
	}
	return 0
}

// wordStart reports whether the byte offset i is not inside a word.
func wordStart(s string, i int) bool {
	if i == 0 || i == len(s) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return !wordRune(before) || !wordRune(after)
}
