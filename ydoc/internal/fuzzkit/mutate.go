package fuzzkit

import (
	"bytes"
	"math/rand/v2"
)

// Mutate returns u with one to four small changes: bytes flipped, set, inserted, deleted, incremented, repeated, or
// the rest replaced by a part of other. Set and inserted bytes are from telling, bytes with a meaning in the format.
func Mutate(r *rand.Rand, u, other, telling []byte) []byte {
	m := bytes.Clone(u)
	for range 1 + r.IntN(4) {
		if len(m) == 0 {
			return m
		}
		i := r.IntN(len(m))
		switch r.IntN(7) {
		case 0:
			m[i] ^= 1 << r.IntN(8)
		case 1:
			m[i] = telling[r.IntN(len(telling))]
		case 2:
			m = append(m[:i], append([]byte{telling[r.IntN(len(telling))]}, m[i:]...)...)
		case 3:
			m = append(m[:i], m[min(i+1+r.IntN(3), len(m)):]...)
		case 4:
			m[i]++
		case 5:
			j := i + r.IntN(min(len(m)-i, 24)+1)
			m = append(m[:j], append(bytes.Clone(m[i:j]), m[j:]...)...)
		case 6:
			if len(other) > 0 {
				m = append(m[:i], other[r.IntN(len(other)):]...)
			}
		}
	}
	return m
}

// Binary are telling bytes of lib0's encodings: small numbers, ends of longer ones, tags of values and items.
var Binary = []byte{0, 1, 2, 5, 10, 0x7f, 0x80, 0xff, 117, 118, 119, 125, 0x21, 0x84, 0x87, 0xc4}

// JSON are telling bytes of JSON.
var JSON = []byte(`{}[]":,\-0189.eEutnfl `)
