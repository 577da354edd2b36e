package wire

import (
	"encoding/binary"
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

// AppendUint appends n as a lib0 variable-length unsigned integer.
func AppendUint(dst []byte, n uint64) []byte { return binary.AppendUvarint(dst, n) }

// AppendVarBytes appends the length of p and p.
func AppendVarBytes(dst, p []byte) []byte { return append(AppendUint(dst, uint64(len(p))), p...) }

// AppendVarString appends the length of s in bytes and s, which must be valid UTF-8.
func AppendVarString(dst []byte, s string) []byte {
	return append(AppendUint(dst, uint64(len(s))), s...)
}

// MaxInt is the largest client id, clock or length: JavaScript's largest safe integer, 2^53−1. Yjs stores all three
// as JavaScript numbers, so larger ones do not survive in a browser.
const MaxInt = 1<<53 - 1

// Limits bounds the input of this package's functions. A zero or negative field accepts nothing of its kind: start
// from [DefaultLimits] and change fields.
//
// The byte limits alone do not bound memory, because small encodings grow when decoded: an item of 4 bytes becomes
// about 600 bytes, a nested document about a kilobyte, a plain value of 1 byte up to 64 bytes. The counts bound that.
type Limits struct {
	// UpdateBytes is the largest update, in bytes.
	UpdateBytes int
	// Structs is the largest number of structs (items, gaps and collected ranges) in one update.
	Structs int
	// Clients is the largest number of clients in the struct part of an update, in its delete set, or in a state
	// vector.
	Clients int
	// DeleteRanges is the largest number of ranges in the delete set of one update.
	DeleteRanges int
	// Values is the largest number of plain (JSON-like) values in one update, including nested ones.
	Values int
	// Subdocs is the largest number of nested documents in one update.
	Subdocs int
	// StringBytes is the largest single string, in bytes of UTF-8, and the largest single binary value.
	StringBytes int
	// KeyBytes is the largest name of a root type, map key, format key, element name or document guid, in bytes.
	KeyBytes int
	// Depth is the deepest nesting of plain values; a bare number has depth 1.
	Depth int
	// AwarenessBytes is the largest awareness update, in bytes.
	AwarenessBytes int
	// AwarenessStateBytes is the largest single awareness state, in bytes of JSON.
	AwarenessStateBytes int
	// AwarenessClients is the largest number of entries in one awareness update, and of peers in a table.
	AwarenessClients int
	// RawBytes is the largest text of a RAW message, in bytes.
	RawBytes int
}

// DefaultLimits is far above a notebook's needs and low enough that one hostile message does not exhaust a laptop:
//
//   - 192 MiB and 1,000,000 structs for an update: a notebook of 1,000 cells and outputs is some 4 MB and 20,000
//     structs, one whose outputs were rewritten 5,000 times 2 MB and 40,000. A million items of the smallest kind
//     decode to about 600 MB in two to three seconds, the worst case.
//   - 8,192 clients: a tab makes a new client id each time it opens a room, which counts once it edits. The library's
//     time for held structs is quadratic in the number of clients: about a second here.
//   - as much for one string, such as an image or a log: refusing it would make its whole notebook unreadable.
//   - 8,000,000 plain values: a plot of several million points; half a gigabyte at worst when all are decoded.
//   - 4,096 levels of plain values: four times as deep as Python's JSON, so that valid files are not refused, and
//     harmless for a decoder with Go's growing stacks.
//   - 4 MiB of awareness with 1,024 clients and 256 KiB each: a state with a user and a cursor is about 500 bytes,
//     and a person may have hundreds of cursors.
var DefaultLimits = Limits{
	UpdateBytes:         192 << 20,
	Structs:             1_000_000,
	Clients:             8_192,
	DeleteRanges:        1_000_000,
	Values:              8_000_000,
	Subdocs:             1_000,
	StringBytes:         192 << 20,
	KeyBytes:            64 << 10,
	Depth:               4096,
	AwarenessBytes:      4 << 20,
	AwarenessStateBytes: 256 << 10,
	AwarenessClients:    1_024,
	RawBytes:            1 << 20,
}
