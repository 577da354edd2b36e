package wire

// The tags of plain values (lib0, encoding.js, writeAny).
const (
	tagBytes = 116 + iota
	tagArray
	tagObject
	tagString
	tagTrue
	tagFalse
	tagBigInt
	tagFloat64
	tagFloat32
	tagInteger
	tagNull
	tagUndefined
)

// value reads a plain value nested depth deep. Objects may have the key "", which is plain JSON there. Floats may be
// infinite or NaN.
func (u *updateReader) value(depth int) {
	start := u.off
	if depth > u.lim.Depth {
		u.failAt(start, ReasonLimit, "values are nested deeper than %d", u.lim.Depth)
		return
	}
	tag := u.Byte()
	if u.err != nil {
		return
	}
	switch tag {
	case tagUndefined, tagNull, tagTrue, tagFalse:
	case tagInteger:
		u.Int()
	case tagFloat32:
		u.Take(4)
	case tagFloat64, tagBigInt:
		u.Take(8)
	case tagString:
		u.VarString(u.lim.StringBytes)
	case tagBytes:
		u.VarBytes(u.lim.StringBytes)
	case tagArray, tagObject:
		for range u.values() {
			if tag == tagObject {
				u.VarString(u.lim.StringBytes)
			}
			u.value(depth + 1)
			if u.err != nil {
				return
			}
		}
	default:
		u.failAt(start, ReasonUnknown, "value tag %d", tag)
	}
}

// values reads the number of values that follow. Each takes at least a byte, so a number larger than the bytes left
// fails before anything is allocated.
func (u *updateReader) values() uint64 {
	start := u.off
	n := u.Uint()
	if n > uint64(u.Len()) {
		u.failAt(start, ReasonTruncated, "%d values are announced, %d bytes are left", n, u.Len())
		return 0
	}
	u.nValues += int(n)
	if u.nValues > u.lim.Values {
		u.failAt(start, ReasonLimit, "more than %d values", u.lim.Values)
		return 0
	}
	return n
}
