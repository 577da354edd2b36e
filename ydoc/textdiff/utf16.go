package textdiff

import "unicode/utf8"

// UTF16Len returns the number of UTF-16 code units of s: two for a code point beyond U+FFFF, one for any other.
func UTF16Len(s string) int {
	n := 0
	for i := range len(s) {
		// Count the bytes that begin a code point, those of four-byte sequences twice.
		if c := s[i]; c&0xc0 != 0x80 {
			n++
			if c >= 0xf0 {
				n++
			}
		}
	}
	return n
}

// ByteOffset returns the byte offset in s of the position units, in UTF-16 code units. A position inside a surrogate
// pair gives the beginning of its code point, a negative one 0, one beyond the end len(s).
func ByteOffset(s string, units int) int {
	c := cursor{text: s}
	return c.offset(units)
}

// UTF16Offset returns the position in UTF-16 code units of the byte offset in s. An offset inside a code point gives
// the code point's beginning; one out of range is cut to it.
func UTF16Offset(s string, offset int) int {
	offset = min(max(offset, 0), len(s))
	for offset > 0 && offset < len(s) && !utf8.RuneStart(s[offset]) {
		offset--
	}
	return UTF16Len(s[:offset])
}

// cursor turns ascending UTF-16 positions into byte offsets in one walk over the text.
type cursor struct {
	text        string
	byte, units int
}

func (c *cursor) offset(units int) int {
	if units < c.units {
		c.byte, c.units = 0, 0
	}
	for c.byte < len(c.text) {
		size, width := runeWidth(c.text[c.byte:])
		if c.units+width > units {
			break
		}
		c.byte += size
		c.units += width
	}
	return c.byte
}

// runeWidth is the length of the first code point of s in bytes and in UTF-16 code units.
func runeWidth(s string) (size, width int) {
	if s[0] < utf8.RuneSelf {
		return 1, 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if r > 0xffff {
		return size, 2
	}
	return size, 1
}
