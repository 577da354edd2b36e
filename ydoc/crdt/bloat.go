package crdt

import ycrdt "github.com/skyterra/y-crdt"

// Bloat says how much of a replica is content and how much is left over from editing.
//
// Part of what is left over is in every replica of the document: the places of what was deleted. Part is only in this
// one: what is kept for undo, and what cells that were moved or retyped have become. Only that part can be shed, by
// joining the room afresh; [Bloat.Outgrew] says when that is worth it.
type Bloat struct {
	// Structs is the number of structs that the replica consists of.
	Structs int
	// Live is the number of those that are content.
	Live int
	// Bytes is the size of the live content, roughly as encoded.
	Bytes int
	// Encoded is the size of the whole state as encoded, what is left over included: it is that of [Replica.Diff] for a
	// peer who has nothing, or a little more.
	Encoded int
	// Deleted is the number of clock units (characters, values, types) that were deleted.
	Deleted int
}

// Outgrew reports whether so much has gathered since a replica was joined that it is worth joining afresh: twice the
// structs and 50,000 more, or twice the bytes and 16 MiB more, and neither is content that was added. joined is what
// [Doc.Bloat] said then, not before: what every replica has does not go away, so that a fixed threshold would have some
// documents joined again and again.
func (b Bloat) Outgrew(joined Bloat) bool {
	structs := b.Structs - b.Live - (joined.Structs - joined.Live)
	bytes := b.Encoded - b.Bytes - (joined.Encoded - joined.Bytes)
	return structs > joined.Structs+50_000 || bytes > joined.Encoded+16<<20
}

// Bloat measures the replica. It looks at each struct once: about a millisecond for 50,000.
func (r *Replica) Bloat() (b Bloat) {
	r.Read("measure", func() { b = bloatOf(r.y.Store) })
	return b
}

// structBytes is what an item costs in an update besides its content: flags and neighbours.
const structBytes = 8

func bloatOf(store *ycrdt.StructStore) (b Bloat) {
	b.Structs = structsIn(store)
	if b.Structs > 0 {
		b.Encoded = 2 * uintSize(len(store.Clients))
	}
	for client, structs := range store.Clients {
		b.Encoded += 2*uintSize(client) + 3*uintSize(len(*structs)) // the heads of its structs and of its deletions
		for _, s := range *structs {
			b.Encoded += encodedSize(s)
			item, ok := s.(*ycrdt.Item)
			if !ok || item.Deleted() {
				b.Deleted += s.GetLength()
				continue
			}
			b.Live++
			b.Bytes += structBytes + contentBytes(item)
		}
	}
	return b
}
