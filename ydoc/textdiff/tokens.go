package textdiff

import (
	"unicode"
	"unicode/utf8"
)

// interner gives equal strings equal numbers, so that sequences of strings compare as sequences of numbers.
type interner map[string]rune

func (in interner) id(s string) rune {
	id, ok := in[s]
	if !ok {
		id = rune(len(in))
		in[s] = id
	}
	return id
}

// sequence is a text cut into pieces: the number of each, their starts, and the end of the last.
type sequence struct {
	ids    []rune
	starts []int
}

// wordLen returns the length in bytes of the first word, run of blanks, line end or sign of s, which must not be
// empty.
func wordLen(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	blank := r == ' ' || r == '\t'
	if !blank && !wordRune(r) {
		return clusterLen(s)
	}
	i := size
	for i < len(s) {
		r, size = utf8.DecodeRuneInString(s[i:])
		if blank && r != ' ' && r != '\t' || !blank && !wordRune(r) {
			break
		}
		i += size
	}
	for !clusterBoundary(s, i) {
		i++
	}
	return i
}

// cut cuts text, which begins at offset base of a larger text, into pieces; nil if they are more than limit. first
// returns the length of a text's first piece.
func (in interner) cut(text string, base, limit int, first func(string) int) *sequence {
	s := &sequence{}
	for i := 0; i < len(text); {
		if len(s.ids) >= limit {
			return nil
		}
		n := first(text[i:])
		s.ids = append(s.ids, in.id(text[i:i+n]))
		s.starts = append(s.starts, base+i)
		i += n
	}
	s.starts = append(s.starts, base+len(text))
	return s
}

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
