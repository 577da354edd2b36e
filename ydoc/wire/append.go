package wire

import "encoding/binary"

// AppendUint appends n as a lib0 variable-length unsigned integer.
func AppendUint(dst []byte, n uint64) []byte { return binary.AppendUvarint(dst, n) }

// AppendVarBytes appends the length of p and p.
func AppendVarBytes(dst, p []byte) []byte { return append(AppendUint(dst, uint64(len(p))), p...) }

// AppendVarString appends the length of s in bytes and s, which must be valid UTF-8.
func AppendVarString(dst []byte, s string) []byte {
	return append(AppendUint(dst, uint64(len(s))), s...)
}
