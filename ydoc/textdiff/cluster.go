package textdiff

import (
	"unicode"
	"unicode/utf8"
)

// extends reports whether r belongs to the character before it: combining marks, variation selectors, joiners, skin
// tones and tags. It simplifies the rules of Unicode Standard Annex 29 and errs towards keeping characters together.
func extends(r rune) bool {
	if r < 0x300 {
		return false
	}
	return r == zwj || r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0020 && r <= 0xe007f || unicode.In(r, unicode.M)
}

const zwj = '\u200d'

// regional reports whether r is one half of a flag.
func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// clusterBoundary reports whether s can be cut at the byte offset i without splitting a character.
func clusterBoundary(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return true
	}
	if s[i] < utf8.RuneSelf {
		return s[i] != '\n' || s[i-1] != '\r'
	}
	if !utf8.RuneStart(s[i]) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	if extends(r) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return before != zwj && (!regional(r) || !regional(before))
}

// clusterLen returns the length in bytes of the first character of s, which must not be empty.
func clusterLen(s string) int {
	for i := 1; i < len(s); i++ {
		if clusterBoundary(s, i) {
			return i
		}
	}
	return len(s)
}

// wordRune reports whether r can be part of a word or an identifier.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || extends(r)
}
