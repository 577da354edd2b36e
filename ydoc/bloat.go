package ydoc

import crdt "github.com/skyterra/y-crdt"

// Bloat says how much of a replica is content and how much is left over from editing. What is left over can only be
// shed by joining the room afresh.
type Bloat struct {
	// Structs is the number of structs that the replica consists of.
	Structs int
	// Live is the number of those that are content.
	Live int
	// Bytes is the size of the live content, roughly as encoded.
	Bytes int
	// Encoded is the size of the whole state as encoded, what is left over included: it is that of [Doc.Diff] for a peer
	// who has nothing, or a little more.
	Encoded int
	// Deleted is the number of clock units (characters, values, types) that were deleted.
	Deleted int
}

// Ratio is how many structs there are for each that is content; 1 is ideal.
func (b Bloat) Ratio() float64 {
	if b.Live == 0 {
		return float64(b.Structs)
	}
	return float64(b.Structs) / float64(b.Live)
}

// Bloat measures the replica. It looks at each struct once.
func (d *Doc) Bloat() (b Bloat) {
	d.read("measure", func() { b = d.bloat() })
	return b
}

// structBytes is what an item costs in an update besides its content: flags and neighbours.
const structBytes = 8

func (d *Doc) bloat() (b Bloat) {
	b.Structs = structsIn(d.y.Store)
	if b.Structs > 0 {
		b.Encoded = 2 * uintSize(len(d.y.Store.Clients))
	}
	for client, structs := range d.y.Store.Clients {
		b.Encoded += 2*uintSize(client) + 3*uintSize(len(*structs)) // the heads of its structs and of its deletions
		for _, s := range *structs {
			b.Encoded += encodedSize(s)
			item, ok := s.(*crdt.Item)
			if !ok || item.Deleted() {
				b.Deleted += s.GetLength()
				continue
			}
			b.Live++
			b.Bytes += structBytes
			switch c := item.Content.(type) {
			case *text:
				b.Bytes += len(c.b)
			case *plain:
				b.Bytes += len(c.raw)
			}
		}
	}
	return b
}

func structsIn(store *crdt.StructStore) (n int) {
	for _, structs := range store.Clients {
		n += len(*structs)
	}
	return n
}
