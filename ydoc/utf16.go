package ydoc

import "unsafe"

// Positions and lengths in shared texts are UTF-16 code units; texts are held as UTF-8.

// units is the number of UTF-16 code units of valid UTF-8.
func units(b []byte) int {
	n := 0
	for _, c := range b {
		if c&0xc0 != 0x80 {
			n++
		}
		if c >= 0xf0 {
			n++
		}
	}
	return n
}

func unitsOf(s string) int { return units(bytesOf(s)) }

// cut finds the byte at which the unit off of b begins; n is the length of b in units. inside is true when off falls
// between the two halves of a surrogate pair, whose first byte is then returned. It looks from the nearer end.
func cut(b []byte, n, off int) (at int, inside bool) {
	switch {
	case off <= 0:
		return 0, false
	case off >= n:
		return len(b), false
	case n == len(b): // ASCII
		return off, false
	case off > n/2:
		return cutBackward(b, n-off)
	}
	for at < len(b) {
		w, u := width(b[at])
		if off < u {
			return at, off > 0
		}
		if off == 0 {
			return at, false
		}
		at += w
		off -= u
	}
	return at, false
}

// cutBackward finds the byte that has off units behind it.
func cutBackward(b []byte, off int) (at int, inside bool) {
	at = len(b)
	for off > 0 {
		at--
		for b[at]&0xc0 == 0x80 {
			at--
		}
		if b[at] >= 0xf0 {
			off--
		}
		off--
	}
	return at, off < 0
}

// width is the number of bytes and of units of the character that begins with c.
func width(c byte) (bytes, units int) {
	switch {
	case c < 0x80:
		return 1, 1
	case c < 0xe0:
		return 2, 1
	case c < 0xf0:
		return 3, 1
	}
	return 4, 2
}

// bytesOf views a string as bytes, which must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// stringOf views bytes that will never change as a string.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
