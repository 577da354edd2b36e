package ydoc

import (
	"bytes"
	"fmt"

	crdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// decoder reads a version 1 update (Yjs, encoding.js, readClientsStructRefs) into the library's structs with contents
// and types of our own. The update has been checked before, so a fault found here is a defect of the check.
type decoder struct {
	input []byte
	r     *wire.Reader
	doc   *crdt.Doc
	work  work
	ids   []crdt.ID // spare ones, made in blocks: neighbours are only needed until the item is integrated
}

// structs reads the first part of the update.
func (d *decoder) structs() map[int]*crdt.ClientStructRef {
	clients := d.r.Uint()
	refs := make(map[int]*crdt.ClientStructRef, min(clients, 1024))
	for range clients {
		n := d.r.Uint()
		client := int(d.r.Uint())
		clock := int(d.r.Uint())
		if d.r.Err() != nil {
			break
		}
		list := make([]crdt.IAbstractStruct, 0, min(n, uint64(d.r.Len())))
		for range n {
			s := d.oneStruct(crdt.GenID(client, clock))
			if d.r.Err() != nil {
				break
			}
			clock += s.GetLength()
			list = append(list, s)
		}
		refs[client] = &crdt.ClientStructRef{Refs: list}
	}
	if err := d.r.Err(); err != nil {
		panic(err)
	}
	return refs
}

func (d *decoder) oneStruct(id crdt.ID) crdt.IAbstractStruct {
	info := d.r.Byte()
	switch info & 0x1f {
	case 0:
		return crdt.NewGC(id, int(d.r.Uint()))
	case refSkip:
		return crdt.NewSkip(id, int(d.r.Uint()))
	}
	item := &crdt.Item{AbstractStruct: crdt.AbstractStruct{ID: id}}
	if info&flagOrigin != 0 {
		item.Origin = d.id()
	}
	if info&flagRightOrigin != 0 {
		item.RightOrigin = d.id()
	}
	if info&(flagOrigin|flagRightOrigin) == 0 {
		if d.r.Uint() == 1 {
			item.Parent = d.root(string(d.r.VarBytes(d.r.Len())))
		} else {
			item.Parent = d.id()
		}
		if info&flagParentSub != 0 {
			item.ParentSub = keyIn(intern(d.r.VarBytes(d.r.Len())))
		}
	}
	item.Content = d.content(info & 0x1f)
	item.Length = item.Content.GetLength()
	if item.Content.IsCountable() {
		item.Info = itemCountable
	}
	return &incoming{Item: item, work: &d.work}
}

func (d *decoder) id() *crdt.ID {
	if len(d.ids) == 0 {
		d.ids = make([]crdt.ID, min(64, 1+d.r.Len()/8))
	}
	id := &d.ids[0]
	d.ids = d.ids[1:]
	id.Client = int(d.r.Uint())
	id.Clock = int(d.r.Uint())
	return id
}

// root finds a root type by name. One that the model did not declare is kept, so that nothing is lost, but not read.
func (d *decoder) root(name string) crdt.IAbstractType {
	if t, ok := d.doc.Share[name]; ok {
		return t
	}
	return declare(d.doc, name, kindMap)
}

// declare makes a root type.
func declare(doc *crdt.Doc, name string, kind uint8) *shared {
	t := newShared(kind)
	t.root = name
	t.Integrate(doc, nil)
	doc.Share[name] = t
	return t
}

func (d *decoder) content(ref byte) crdt.IAbstractContent {
	start := d.r.Offset()
	switch ref {
	case refDeleted:
		return crdt.NewContentDeleted(int(d.r.Uint()))
	case refString:
		b := bytes.Clone(d.r.VarBytes(d.r.Len()))
		return &text{b: b, n: units(b)}
	case refType:
		t := newShared(uint8(d.r.Uint()))
		if t.kind == kindXMLElement || t.kind == kindXMLHook {
			t.name = string(d.r.VarBytes(d.r.Len()))
		}
		return crdt.NewContentType(t)
	case refAny:
		n := int(d.r.Uint())
		return d.run(refAny, n, func() { skipValue(d.r) })
	case refJSON:
		n := int(d.r.Uint())
		return d.run(refJSON, n, func() { d.r.VarBytes(d.r.Len()) })
	case refBinary, refEmbed:
		d.r.VarBytes(d.r.Len())
	case refFormat:
		d.r.VarBytes(d.r.Len())
		d.r.VarBytes(d.r.Len())
	case refDoc:
		d.r.VarBytes(d.r.Len())
		skipValue(d.r)
	default:
		panic(fmt.Errorf("content reference %d", ref))
	}
	return &plain{ref: ref, n: 1, raw: d.since(start)}
}

func (d *decoder) run(ref uint8, n int, skip func()) *plain {
	start := d.r.Offset()
	for range n {
		if skip(); d.r.Err() != nil {
			break
		}
	}
	return &plain{ref: ref, n: n, raw: d.since(start)}
}

// since copies the input from start to where the reader stands.
func (d *decoder) since(start int) []byte {
	return bytes.Clone(d.input[start:d.r.Offset()])
}

// deletes reads the second part of the update and deletes what the document has of it. It reports whether something was
// to be deleted that the document lacks.
func (d *decoder) deletes(trans *crdt.Transaction) (missing bool) {
	store := trans.Doc.Store
	for range d.r.Uint() {
		client := int(d.r.Uint())
		n := d.r.Uint()
		structs := store.Clients[client]
		state := crdt.GetState(store, client)
		for range n {
			clock := int(d.r.Uint())
			end := clock + int(d.r.Uint())
			if end > state {
				missing = true
				end = state
			}
			if clock < end {
				d.deleteRange(trans, structs, clock, end)
			}
		}
	}
	if err := d.r.Err(); err != nil {
		panic(err)
	}
	return missing
}

// deleteRange deletes the items from clock up to end.
func (d *decoder) deleteRange(trans *crdt.Transaction, structs *[]crdt.IAbstractStruct, clock, end int) {
	i := indexOf(*structs, clock)
	for ; i < len(*structs); i++ {
		item, ok := (*structs)[i].(*crdt.Item)
		if s := (*structs)[i]; s.GetID().Clock >= end {
			return
		}
		if !ok || item.Deleted() {
			continue
		}
		if item.ID.Clock < clock {
			d.work.split(trans, item, clock-item.ID.Clock)
			continue
		}
		if end < item.ID.Clock+item.Length {
			d.work.split(trans, item, end-item.ID.Clock)
		}
		item.Delete(trans)
	}
}

// indexOf finds the struct that holds a clock, which must be one of the client's.
func indexOf(structs []crdt.IAbstractStruct, clock int) int {
	i, err := crdt.FindIndexSS(structs, clock)
	if err != nil {
		panic(fmt.Errorf("clock %d: %w", clock, err))
	}
	return i
}

// intern returns the usual map keys without making them anew.
func intern(key []byte) string {
	if s, ok := usualKeys[string(key)]; ok {
		return s
	}
	return string(key)
}

var usualKeys = func() map[string]string {
	m := map[string]string{}
	for _, k := range []string{
		keyID, keyType, keySource, keyMetadata, keyOutputs, keyCount, keyState, keyAttachments,
		"output_type", "name", "text", "data", "ename", "evalue", "traceback", "trusted",
	} {
		m[k] = k
	}
	return m
}()
