package crdt

import (
	"unsafe"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// Positions and lengths in shared texts are in UTF-16 code units; texts are stored as UTF-8.

// unitsOf returns the number of UTF-16 code units of a string.
func unitsOf(s string) int { return wire.UTF16Len(bytesOf(s)) }

// Boundary returns the byte offset of a position in s, in UTF-16 units. The error matches [ErrInvalid] if the
// position is out of range or inside a character.
func Boundary(s string, pos int) (int, error) {
	n := unitsOf(s)
	at, inside := cut(bytesOf(s), n, pos)
	return at, misplaced(pos, n, inside)
}

// misplaced returns the error for a position in a text of n units, nil if it is in range and not inside a character.
func misplaced(pos, n int, inside bool) error {
	if pos < 0 || pos > n {
		return Invalidf("position %d is out of range, the text has %d UTF-16 units", pos, n)
	}
	if inside {
		return Invalidf("position %d is inside a character", pos)
	}
	return nil
}

// cut returns the byte offset of unit off of b; n is the length of b in units. If off is between the halves of a
// surrogate pair, inside is true and at is the pair's first byte. It searches from the nearer end.
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

// cutBackward returns the byte offset with off units after it.
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

// width returns the number of bytes and of units of the character that begins with c.
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
