package crdt

import ycrdt "github.com/skyterra/y-crdt"

// A server stores the changes of a room and rebuilds the document from them. It does not store the first change it
// makes itself when it opens a room: the path in the map "state". It does store its later changes there, so after the
// next opening the document has those without the first. The server ignores that, and so do its tabs: nothing that
// they show is missing.

// servers is the least client id that only a server, or a program using its library, picks for itself; a tab's id has
// 32 bits.
const servers = 1 << 32

// holes are the servers whose first change is missing.
type holes map[int]bool

// fill fills the holes of a whole state: servers of which only the first change, one unit, is missing and on which
// nothing depends.
func (h *holes) fill(store *ycrdt.StructStore, structs map[int]*ycrdt.ClientStructRef) {
	var lack []int
	for client, ref := range structs {
		if client >= servers && ycrdt.GetState(store, client) == 0 && lacksFirst(ref.Refs) {
			lack = append(lack, client)
		}
	}
	if len(lack) == 0 {
		return
	}
	wanted := map[int]bool{} // clients whose first change something depends on
	for _, ref := range structs {
		for _, s := range ref.Refs {
			in, ok := s.(*incoming)
			if !ok {
				continue
			}
			parent, _ := in.Parent.(*ycrdt.ID)
			for _, id := range []*ycrdt.ID{in.Origin, in.RightOrigin, parent} {
				if id != nil && id.Clock == 0 {
					wanted[id.Client] = true
				}
			}
		}
	}
	for _, client := range lack {
		if wanted[client] {
			continue
		}
		ref := structs[client]
		if _, skipped := ref.Refs[0].(*ycrdt.Skip); skipped {
			ref.Refs = ref.Refs[1:]
		}
		ref.Refs = append([]ycrdt.IAbstractStruct{ycrdt.NewGC(ycrdt.GenID(client, 0), 1)}, ref.Refs...)
		if *h == nil {
			*h = holes{}
		}
		(*h)[client] = true
	}
}

// lacksFirst reports whether only the first unit of a client's structs is missing.
func lacksFirst(refs []ycrdt.IAbstractStruct) bool {
	if len(refs) > 1 {
		if skip, ok := refs[0].(*ycrdt.Skip); ok && skip.GetID().Clock == 0 {
			return skip.GetLength() == 1
		}
	}
	return len(refs) > 0 && refs[0].GetID().Clock == 1
}

// without removes the holes from a set of deletions: others may have the content missing here.
func (h holes) without(deleted map[int][]span) map[int][]span {
	for client := range h {
		spans := deleted[client]
		if len(spans) == 0 || spans[0].clock > 0 {
			continue
		}
		if spans[0].clock, spans[0].length = 1, spans[0].length-1; spans[0].length == 0 {
			spans = spans[1:]
		}
		if deleted[client] = spans; len(spans) == 0 {
			delete(deleted, client)
		}
	}
	return deleted
}
