package wire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The shared types of Yjs version 1 (Yjs, src/structs/ContentType.js).
const (
	TypeArray = iota
	TypeMap
	TypeText
	TypeXMLElement
	TypeXMLFragment
	TypeXMLHook
	TypeXMLText
)

// content reads the content of an item and returns its length in clock units, zero after an error.
func (u *updateReader) content(ref byte) uint64 {
	switch ref {
	case RefDeleted:
		return u.Uint()
	case RefJSON:
		return u.jsonValues()
	case RefBinary:
		u.VarBytes(u.lim.StringBytes)
	case RefString:
		return u.text()
	case RefEmbed:
		u.json()
	case RefFormat:
		u.VarString(u.lim.KeyBytes)
		u.json()
	case RefType:
		u.sharedType()
	case RefAny:
		n := u.values()
		for range n {
			u.value(1)
			if u.err != nil {
				return 0
			}
		}
		return n
	case RefDoc:
		u.subdoc()
	}
	if u.err != nil {
		return 0
	}
	return 1
}

// text reads a run of characters. Its length is counted in UTF-16 code units.
func (u *updateReader) text() uint64 {
	start := u.off
	p := u.VarBytes(u.lim.StringBytes)
	if u.err != nil {
		return 0
	}
	if !utf8.Valid(p) {
		u.failAt(start, ReasonText, "a text of %d bytes", len(p))
		return 0
	}
	return uint64(UTF16Len(p))
}

// UTF16Len returns the number of UTF-16 code units of valid UTF-8: one for each byte that begins a character, and one
// more for each four-byte character. It processes eight bytes at a time.
func UTF16Len(p []byte) int {
	const ones = 0x0101010101010101
	n := len(p)
	for len(p) >= 8 {
		x := binary.LittleEndian.Uint64(p)
		p = p[8:]
		if x&(ones<<7) == 0 {
			continue
		}
		continuation := x >> 7 &^ (x >> 6) & ones
		four := x >> 7 & (x >> 6) & (x >> 5) & (x >> 4) & ones
		n += bits.OnesCount64(four) - bits.OnesCount64(continuation)
	}
	for _, c := range p {
		if c&0xc0 == 0x80 {
			n--
		} else if c >= 0xf0 {
			n++
		}
	}
	return n
}

// sharedType reads the tag of a nested shared type, and the name of an element or hook.
func (u *updateReader) sharedType() {
	start := u.off
	switch ref := u.Uint(); ref {
	case TypeArray, TypeMap, TypeText, TypeXMLFragment, TypeXMLText:
	case TypeXMLElement, TypeXMLHook:
		u.VarString(u.lim.KeyBytes)
	default:
		u.failAt(start, ReasonUnknown, "shared type %d", ref)
	}
}

// subdoc reads a nested document: its guid and its options, which must be an object.
func (u *updateReader) subdoc() {
	start := u.off
	u.nDocs++
	if u.nDocs > u.lim.Subdocs {
		u.failAt(start, ReasonLimit, "more than %d nested documents", u.lim.Subdocs)
		return
	}
	u.VarString(u.lim.KeyBytes)
	if u.err == nil && u.Len() > 0 && u.b[u.off] != tagObject {
		u.Fail(ReasonShape, "the options of a nested document are not an object")
		return
	}
	u.value(1)
}
