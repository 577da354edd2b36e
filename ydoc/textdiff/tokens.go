package textdiff

import "unicode/utf8"

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
