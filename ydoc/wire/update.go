package wire

import "fmt"

// The content references of a struct, the low five bits of its info byte (Yjs, src/structs).
const (
	RefGC = iota
	RefDeleted
	RefJSON
	RefBinary
	RefString
	RefEmbed
	RefFormat
	RefType
	RefAny
	RefDoc
	RefSkip
)

// The flags of a struct's info byte.
const (
	FlagParentSub   = 0x20
	FlagRightOrigin = 0x40
	FlagOrigin      = 0x80
)

// CheckUpdate reads a whole Yjs version 1 update, structs and delete set, and returns a *[FormatError] unless it is
// encoded as by Yjs, yrs and y-crdt and within lim. It does not allocate if the update is valid and names few clients
// or names them in descending order, as all encoders do.
//
// An empty map key is valid, as in Yjs; y-crdt would take such an entry for a list item, so its caller must escape
// the key.
//
// The CRDT library can decode an accepted update without an error, in time and memory linear in its size. The update
// may still refer to structs that the document lacks.
func CheckUpdate(b []byte, lim Limits) error {
	if len(b) > lim.UpdateBytes {
		return &FormatError{What: "update", Reason: ReasonLimit, Detail: fmt.Sprintf("%d bytes, at most %d are allowed", len(b), lim.UpdateBytes)}
	}
	u := updateReader{Reader: Reader{b: b, what: "update"}, lim: lim}
	u.structs()
	u.deleteSet()
	return u.End()
}

// updateReader reads one update and counts the limited elements.
type updateReader struct {
	Reader
	lim      Limits
	nStructs int
	nValues  int
	nDocs    int
	nRanges  int
}

// structs reads the first part of an update: for each client a count, the client, its first clock and its structs.
func (u *updateReader) structs() {
	var seen clientSet
	clients := u.count("clients", u.lim.Clients)
	for range clients {
		n := u.Uint()
		start := u.off
		client := u.Uint()
		clock := u.Uint()
		if u.err != nil {
			return
		}
		if !seen.add(client) {
			u.failAt(start, ReasonDuplicate, "structs of client %d appear twice", client)
			return
		}
		if n > uint64(max(u.lim.Structs-u.nStructs, 0)) {
			u.failAt(start, ReasonLimit, "more than %d structs", u.lim.Structs)
			return
		}
		u.nStructs += int(n)
		for range n {
			start = u.off
			length := u.oneStruct(client, clock)
			if u.err != nil {
				return
			}
			if length == 0 {
				u.failAt(start, ReasonEmpty, "a struct of client %d at clock %d", client, clock)
				return
			}
			clock += length // both are at most 2^53−1
			if clock > MaxInt {
				u.failAt(start, ReasonOverflow, "the clock of client %d passes 2^53−1", client)
				return
			}
		}
	}
}

// oneStruct reads a struct and returns its length in clock units.
func (u *updateReader) oneStruct(client, clock uint64) uint64 {
	start := u.off
	info := u.Byte()
	if u.err != nil {
		return 0
	}
	switch info & 0x1f {
	case RefGC, RefSkip:
		// Only the bare tags are valid; with flags some decoders would read the rest as an item.
		if info != RefGC && info != RefSkip {
			u.failAt(start, ReasonUnknown, "a gap with flags, %#02x", info)
			return 0
		}
		return u.Uint()
	}
	if info&0x1f > RefSkip {
		u.failAt(start, ReasonUnknown, "content reference %d", info&0x1f)
		return 0
	}
	inMap := u.place(info, client, clock)
	if u.err != nil {
		return 0
	}
	if inMap && info&0x1f == RefFormat {
		u.failAt(start, ReasonShape, "a format mark as the value of a map entry")
		return 0
	}
	return u.content(info & 0x1f)
}

// place reads an item's neighbours, or its parent and key. It reports whether a map key was read.
func (u *updateReader) place(info byte, client, clock uint64) (inMap bool) {
	start := u.off
	var left, right id
	if info&FlagOrigin != 0 {
		left = u.id("left neighbour", client, clock)
	}
	if info&FlagRightOrigin != 0 {
		right = u.id("right neighbour", client, clock)
	}
	switch info & (FlagOrigin | FlagRightOrigin) {
	case FlagOrigin | FlagRightOrigin:
		if u.err == nil && left == right {
			u.failAt(start, ReasonReference, "clock %d of client %d is both right and left of clock %d of client %d", clock, client, left.clock, left.client)
		}
		return false
	case FlagOrigin, FlagRightOrigin:
		return false // parent and key are the neighbour's, whatever FlagParentSub says
	}
	start = u.off
	switch k := u.Uint(); k {
	case 0:
		u.id("parent", client, clock)
	case 1:
		u.VarString(u.lim.KeyBytes)
	default:
		u.failAt(start, ReasonUnknown, "parent info %d", k)
	}
	if info&FlagParentSub == 0 {
		return false
	}
	u.VarString(u.lim.KeyBytes) // may be empty, as in Yjs
	return true
}

// id identifies one unit of a client's content.
type id struct{ client, clock uint64 }

// id reads a reference from the struct at (client, clock). A reference to the same client must be to an earlier
// clock.
func (u *updateReader) id(what string, client, clock uint64) id {
	start := u.off
	to := id{u.Uint(), u.Uint()}
	if u.err == nil && to.client == client && to.clock >= clock {
		u.failAt(start, ReasonReference, "the %s of clock %d is clock %d of the same client %d", what, clock, to.clock, client)
	}
	return to
}

// deleteSet reads the second part of an update: for each client a count and that many ranges of a clock and a length.
func (u *updateReader) deleteSet() {
	if u.err != nil {
		return
	}
	var seen clientSet
	clients := u.count("clients in the delete set", u.lim.Clients)
	for range clients {
		start := u.off
		client := u.Uint()
		n := u.Uint()
		if u.err != nil {
			return
		}
		if !seen.add(client) {
			u.failAt(start, ReasonDuplicate, "deletes of client %d appear twice", client)
			return
		}
		if n > uint64(max(u.lim.DeleteRanges-u.nRanges, 0)) {
			u.failAt(start, ReasonLimit, "more than %d delete ranges", u.lim.DeleteRanges)
			return
		}
		u.nRanges += int(n)
		for range n {
			start = u.off
			clock := u.Uint()
			length := u.Uint()
			if u.err != nil {
				return
			}
			if length == 0 {
				u.failAt(start, ReasonEmpty, "a delete range of client %d at clock %d", client, clock)
				return
			}
			if clock+length > MaxInt {
				u.failAt(start, ReasonOverflow, "a delete range of client %d passes 2^53−1", client)
				return
			}
		}
	}
}

// count reads a count and checks it against its limit.
func (u *updateReader) count(what string, limit int) uint64 {
	start := u.off
	n := u.Uint()
	if n > uint64(max(limit, 0)) {
		u.failAt(start, ReasonLimit, "%d %s, at most %d are allowed", n, what, limit)
		return 0
	}
	return n
}
