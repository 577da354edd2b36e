package crdt

import ycrdt "github.com/skyterra/y-crdt"

// Bloat measures how much of a replica is content and how much is left over from editing.
//
// Some leftovers are in every replica of the document: the places of deleted content. Others are only in this one:
// content kept for undo, and the links from moved or retyped cells to their copies. Only these can be shed, by
// joining the room again; [Bloat.Outgrew] reports when that is worthwhile.
type Bloat struct {
	// Structs is the number of structs in the replica.
	Structs int
	// Live is the number of structs that are content.
	Live int
	// Bytes is the approximate encoded size of the live content.
	Bytes int
	// Encoded is the encoded size of the whole state, including leftovers: that of [Replica.Diff] for an empty state
	// vector, or slightly more.
	Encoded int
	// Deleted is the number of deleted clock units (characters, values, types).
	Deleted int
}

// Outgrew reports whether enough leftovers have gathered since the replica joined to join again: twice the structs
// and 50,000 more, or twice the bytes and 16 MiB more, not counting added content. joined is the result of
// [Replica.Bloat] right after joining: leftovers that every replica has do not go away, so with a fixed threshold
// some documents would be joined again and again.
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

// structBytes is the encoded size of an item without its content: flags and neighbours.
const structBytes = 8

func bloatOf(store *ycrdt.StructStore) (b Bloat) {
	b.Structs = structsIn(store)
	if b.Structs > 0 {
		b.Encoded = 2 * uintSize(len(store.Clients))
	}
	for client, structs := range store.Clients {
		b.Encoded += 2*uintSize(client) + 3*uintSize(len(*structs)) // the headers of its structs and its deletions
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
