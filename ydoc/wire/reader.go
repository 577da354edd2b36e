package wire

import (
	"fmt"
	"unicode/utf8"
)

// Reader decodes lib0 values from a byte slice. The first error sticks: every later call returns a zero value, so a
// caller may read several values and check [Reader.Err] once, provided that each loop over a decoded count ends on an
// error. A Reader allocates only the error.
type Reader struct {
	b    []byte
	off  int
	what string
	err  *FormatError
}

// NewReader reads from b, which it neither copies nor changes; what names the message in errors.
func NewReader(what string, b []byte) *Reader {
	return &Reader{b: b, what: what}
}

// Err returns the first error as a *[FormatError], or nil.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Offset is the number of bytes read so far.
func (r *Reader) Offset() int { return r.off }

// Len is the number of bytes left.
func (r *Reader) Len() int { return len(r.b) - r.off }

// Fail records an error at the present offset, unless there already is one.
func (r *Reader) Fail(reason Reason, format string, args ...any) {
	r.failAt(r.off, reason, format, args...)
}

func (r *Reader) failAt(off int, reason Reason, format string, args ...any) {
	if r.err == nil {
		r.err = &FormatError{What: r.what, Offset: off, Reason: reason, Detail: fmt.Sprintf(format, args...)}
	}
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if r.err != nil {
		return 0
	}
	if r.off >= len(r.b) {
		r.Fail(ReasonTruncated, "a byte is missing")
		return 0
	}
	c := r.b[r.off]
	r.off++
	return c
}

// Uint reads a variable-length unsigned integer of at most 10 bytes and at most [MaxInt].
func (r *Reader) Uint() uint64 {
	if r.err != nil {
		return 0
	}
	if r.off < len(r.b) && r.b[r.off] < 0x80 { // most are below 128
		c := r.b[r.off]
		r.off++
		return uint64(c)
	}
	return r.uintSlow()
}

func (r *Reader) uintSlow() uint64 {
	var n uint64
	start := r.off
	for i := range 10 {
		if start+i >= len(r.b) {
			r.failAt(start, ReasonTruncated, "an integer is cut off")
			return 0
		}
		c := r.b[start+i]
		if i == 9 && c > 1 {
			break
		}
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if n > MaxInt {
				r.failAt(start, ReasonOverflow, "%d is beyond 2^53−1", n)
				return 0
			}
			r.off = start + i + 1
			return n
		}
	}
	r.failAt(start, ReasonOverflow, "an integer is longer than 64 bits")
	return 0
}

// Int reads a variable-length signed integer in lib0's encoding: sign and 6 bits in the first byte, 7 in each further
// one. Its magnitude is at most [MaxInt].
func (r *Reader) Int() int64 {
	start := r.off
	c := r.Byte()
	if r.err != nil {
		return 0
	}
	negative := c&0x40 != 0
	n := uint64(c & 0x3f)
	for shift := 6; c >= 0x80; shift += 7 {
		if shift > 62 {
			r.failAt(start, ReasonOverflow, "an integer is longer than 64 bits")
			return 0
		}
		c = r.Byte()
		if r.err != nil {
			return 0
		}
		if shift > 48 && uint64(c&0x7f)<<shift>>shift != uint64(c&0x7f) {
			r.failAt(start, ReasonOverflow, "an integer is longer than 64 bits")
			return 0
		}
		n |= uint64(c&0x7f) << shift
	}
	if n > MaxInt {
		r.failAt(start, ReasonOverflow, "an integer of magnitude %d is beyond 2^53−1", n)
		return 0
	}
	if negative {
		return -int64(n)
	}
	return int64(n)
}

// Take reads n bytes. The result is part of the Reader's input and must not be changed.
func (r *Reader) Take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > r.Len() {
		r.Fail(ReasonTruncated, "%d bytes are announced, %d are left", n, r.Len())
		return nil
	}
	p := r.b[r.off : r.off+n : r.off+n]
	r.off += n
	return p
}

// VarBytes reads a length and that many bytes, at most limit. The result is part of the Reader's input and must not be
// changed.
func (r *Reader) VarBytes(limit int) []byte {
	start := r.off
	n := r.Uint()
	if r.err != nil {
		return nil
	}
	if n > uint64(r.Len()) {
		r.failAt(start, ReasonTruncated, "%d bytes are announced, %d are left", n, r.Len())
		return nil
	}
	if n > uint64(max(limit, 0)) {
		r.failAt(start, ReasonLimit, "%d bytes, at most %d are allowed", n, limit)
		return nil
	}
	return r.Take(int(n))
}

// VarString reads a length in bytes and that many bytes of UTF-8, at most limit. The result is part of the Reader's
// input and must not be changed.
func (r *Reader) VarString(limit int) []byte {
	start := r.off
	p := r.VarBytes(limit)
	if r.err == nil && !utf8.Valid(p) {
		r.failAt(start, ReasonText, "a string of %d bytes", len(p))
		return nil
	}
	return p
}

// End fails unless all input has been read, and returns [Reader.Err].
func (r *Reader) End() error {
	if r.err == nil && r.Len() > 0 {
		r.Fail(ReasonTrailing, "%d bytes after the end", r.Len())
	}
	return r.Err()
}
