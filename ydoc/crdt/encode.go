package crdt

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	ycrdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// appendStructs encodes the structs missing at a peer with the state vector have, highest client first (Yjs,
// encoding.js, writeClientsStructs).
func appendStructs(dst []byte, store *ycrdt.StructStore, have func(client int) int) []byte {
	type part struct{ client, clock int }
	var parts []part
	for client := range store.Clients {
		if clock := have(client); clock < ycrdt.GetState(store, client) {
			parts = append(parts, part{client, clock})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(b.client, a.client) })
	dst = wire.AppendUint(dst, uint64(len(parts)))
	for _, p := range parts {
		structs := *store.Clients[p.client]
		clock := max(p.clock, structs[0].GetID().Clock)
		structs = structs[indexOf(structs, clock):]
		dst = wire.AppendUint(dst, uint64(len(structs)))
		dst = wire.AppendUint(dst, uint64(p.client))
		dst = wire.AppendUint(dst, uint64(clock))
		off := clock - structs[0].GetID().Clock
		for _, s := range structs {
			dst = appendStruct(dst, s, off)
			off = 0
		}
	}
	return dst
}

// appendStruct encodes one struct from unit off on.
func appendStruct(dst []byte, s ycrdt.IAbstractStruct, off int) []byte {
	item, ok := s.(*ycrdt.Item)
	if !ok {
		return wire.AppendUint(append(dst, 0), uint64(s.GetLength()-off))
	}
	origin := item.Origin
	if off > 0 {
		origin = &ycrdt.ID{Client: item.ID.Client, Clock: item.ID.Clock + off - 1}
	}
	info := item.Content.GetRef()
	if item.Deleted() {
		info = wire.RefDeleted // even if the content is kept for undo
	}
	if origin != nil {
		info |= wire.FlagOrigin
	}
	if item.RightOrigin != nil {
		info |= wire.FlagRightOrigin
	}
	if item.ParentSub != "" {
		info |= wire.FlagParentSub
	}
	dst = append(dst, info)
	if origin != nil {
		dst = appendID(dst, origin)
	}
	if item.RightOrigin != nil {
		dst = appendID(dst, item.RightOrigin)
	}
	if origin == nil && item.RightOrigin == nil {
		if parent := item.Parent.(*Type); parent.Item == nil {
			dst = wire.AppendVarString(append(dst, 1), parent.root)
		} else {
			dst = appendID(append(dst, 0), &parent.Item.ID)
		}
		if item.ParentSub != "" {
			dst = wire.AppendVarString(dst, keyOut(item.ParentSub))
		}
	}
	if item.Deleted() {
		return wire.AppendUint(dst, uint64(item.Length-off))
	}
	switch c := item.Content.(type) {
	case *text:
		return c.appendTo(dst, off)
	case *plain:
		return c.appendTo(dst, off)
	case *ycrdt.ContentType:
		return c.Type.(*Type).appendTo(dst)
	}
	panic(fmt.Errorf("item %d:%d has a content %T", item.ID.Client, item.ID.Clock, item.Content))
}

func appendID(dst []byte, id *ycrdt.ID) []byte {
	return wire.AppendUint(wire.AppendUint(dst, uint64(id.Client)), uint64(id.Clock))
}

// appendDeletes encodes a delete set (Yjs, DeleteSet.js, writeDeleteSet), highest client first.
func appendDeletes(dst []byte, deleted map[int][]span) []byte {
	clients := slices.SortedFunc(maps.Keys(deleted), func(a, b int) int { return cmp.Compare(b, a) })
	dst = wire.AppendUint(dst, uint64(len(clients)))
	for _, client := range clients {
		dst = wire.AppendUint(dst, uint64(client))
		dst = wire.AppendUint(dst, uint64(len(deleted[client])))
		for _, s := range deleted[client] {
			dst = wire.AppendUint(dst, uint64(s.clock))
			dst = wire.AppendUint(dst, uint64(s.length))
		}
	}
	return dst
}

// deletedIn returns all deletions in a store.
func deletedIn(store *ycrdt.StructStore) map[int][]span {
	all := make(map[int][]span, len(store.Clients))
	for client, structs := range store.Clients {
		var spans []span
		open := false
		for _, s := range *structs {
			if !s.Deleted() {
				open = false
				continue
			}
			if open {
				spans[len(spans)-1].length += s.GetLength()
				continue
			}
			spans = append(spans, span{s.GetID().Clock, s.GetLength()})
			open = true
		}
		if len(spans) > 0 {
			all[client] = spans
		}
	}
	return all
}

// deletedBy returns the deletions of a transaction.
func deletedBy(trans *ycrdt.Transaction) map[int][]span {
	all := make(map[int][]span, len(trans.DeleteSet.Clients))
	for client, items := range trans.DeleteSet.Clients {
		for _, it := range items {
			all[client] = append(all[client], span{it.Clock, it.Length})
		}
	}
	return all
}

// encodedSize is the size in bytes of a struct from appendStruct, plus at most that of its deletion from
// appendDeletes.
func encodedSize(s ycrdt.IAbstractStruct) int {
	n := s.GetLength()
	item, ok := s.(*ycrdt.Item)
	if !ok {
		return 1 + uintSize(n) + uintSize(s.GetID().Clock) + uintSize(n)
	}
	size := 1
	if item.Origin != nil {
		size += idSize(item.Origin)
	}
	if item.RightOrigin != nil {
		size += idSize(item.RightOrigin)
	}
	if item.Origin == nil && item.RightOrigin == nil {
		parent, _ := item.Parent.(*Type)
		switch {
		case parent == nil:
		case parent.Item == nil:
			size += 1 + stringSize(len(parent.root))
		default:
			size += 1 + idSize(&parent.Item.ID)
		}
		if item.ParentSub != "" {
			size += stringSize(len(item.ParentSub))
		}
	}
	if item.Deleted() {
		return size + uintSize(n) + uintSize(item.ID.Clock) + uintSize(n)
	}
	switch c := item.Content.(type) {
	case *text:
		size += stringSize(len(c.b))
	case *plain:
		size += len(c.raw)
		if c.run() {
			size += uintSize(c.n)
		}
	case *ycrdt.ContentType:
		size++
		if t, ok := c.Type.(*Type); ok && t.name != "" {
			size += stringSize(len(t.name))
		}
	}
	return size
}

func uintSize(v int) int { return (bits.Len64(uint64(v)|1) + 6) / 7 }

func stringSize(n int) int { return uintSize(n) + n }

func idSize(id *ycrdt.ID) int { return uintSize(id.Client) + uintSize(id.Clock) }
