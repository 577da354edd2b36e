package crdt

import (
	"bytes"
	"fmt"

	ycrdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// decoder reads a version 1 update (Yjs, encoding.js, readClientsStructRefs) into the library's structs with our own
// contents and types. The update has been checked before, so a fault found here is a bug in the check.
type decoder struct {
	input []byte
	r     *wire.Reader
	doc   *ycrdt.Doc
	keys  Keys
	work  work
	ids   []ycrdt.ID // spare ids, made in blocks: neighbours are only needed until the item is integrated

	copied  func(*Type) bool // reports whether a deleted text was copied, see late.go; nil without copies
	noted   bool             // whether to record deletions
	deleted deletions
}

// structs reads the first part of the update.
func (d *decoder) structs() map[int]*ycrdt.ClientStructRef {
	clients := d.r.Uint()
	refs := make(map[int]*ycrdt.ClientStructRef, min(clients, 1024))
	for range clients {
		n := d.r.Uint()
		client := int(d.r.Uint())
		clock := int(d.r.Uint())
		if d.r.Err() != nil {
			break
		}
		list := make([]ycrdt.IAbstractStruct, 0, min(n, uint64(d.r.Len())))
		for range n {
			s := d.oneStruct(ycrdt.GenID(client, clock))
			if d.r.Err() != nil {
				break
			}
			clock += s.GetLength()
			list = append(list, s)
		}
		refs[client] = &ycrdt.ClientStructRef{Refs: list}
	}
	if err := d.r.Err(); err != nil {
		panic(err)
	}
	return refs
}

func (d *decoder) oneStruct(id ycrdt.ID) ycrdt.IAbstractStruct {
	info := d.r.Byte()
	switch info & 0x1f {
	case 0:
		return ycrdt.NewGC(id, int(d.r.Uint()))
	case wire.RefSkip:
		return ycrdt.NewSkip(id, int(d.r.Uint()))
	}
	item := &ycrdt.Item{AbstractStruct: ycrdt.AbstractStruct{ID: id}}
	if info&wire.FlagOrigin != 0 {
		item.Origin = d.id()
	}
	if info&wire.FlagRightOrigin != 0 {
		item.RightOrigin = d.id()
	}
	if info&(wire.FlagOrigin|wire.FlagRightOrigin) == 0 {
		if d.r.Uint() == 1 {
			item.Parent = d.root(string(d.r.VarBytes(d.r.Len())))
		} else {
			item.Parent = d.id()
		}
		if info&wire.FlagParentSub != 0 {
			item.ParentSub = keyIn(d.keys.intern(d.r.VarBytes(d.r.Len())))
		}
	}
	item.Content = d.content(info & 0x1f)
	item.Length = item.Content.GetLength()
	if item.Content.IsCountable() {
		item.Info = itemCountable
	}
	return &incoming{Item: item, work: &d.work}
}

func (d *decoder) id() *ycrdt.ID {
	if len(d.ids) == 0 {
		d.ids = make([]ycrdt.ID, min(64, 1+d.r.Len()/8))
	}
	id := &d.ids[0]
	d.ids = d.ids[1:]
	id.Client = int(d.r.Uint())
	id.Clock = int(d.r.Uint())
	return id
}

// root finds a root type by name. An undeclared one is kept, so that nothing is lost, but not read.
func (d *decoder) root(name string) ycrdt.IAbstractType {
	if t, ok := d.doc.Share[name]; ok {
		return t
	}
	return newRoot(d.doc, name, KindMap)
}

// newRoot makes a root type.
func newRoot(doc *ycrdt.Doc, name string, kind uint8) *Type {
	t := newType(kind)
	t.root = name
	t.Integrate(doc, nil)
	doc.Share[name] = t
	return t
}

func (d *decoder) content(ref byte) ycrdt.IAbstractContent {
	start := d.r.Offset()
	switch ref {
	case wire.RefDeleted:
		return ycrdt.NewContentDeleted(int(d.r.Uint()))
	case wire.RefString:
		b := bytes.Clone(d.r.VarBytes(d.r.Len()))
		return &text{b: b, n: wire.UTF16Len(b)}
	case wire.RefType:
		t := newType(uint8(d.r.Uint()))
		if t.kind == wire.TypeXMLElement || t.kind == wire.TypeXMLHook {
			t.name = string(d.r.VarBytes(d.r.Len()))
		}
		return ycrdt.NewContentType(t)
	case wire.RefAny, wire.RefJSON:
		p := &plain{ref: ref, n: int(d.r.Uint())}
		start = d.r.Offset()
		for i := 0; i < p.n && d.r.Err() == nil; i++ {
			p.skipOne(d.r)
		}
		p.raw = d.since(start)
		return p
	case wire.RefBinary, wire.RefEmbed:
		d.r.VarBytes(d.r.Len())
	case wire.RefFormat:
		d.r.VarBytes(d.r.Len())
		d.r.VarBytes(d.r.Len())
	case wire.RefDoc:
		d.r.VarBytes(d.r.Len())
		d.r.SkipValue()
	default:
		panic(fmt.Errorf("content reference %d", ref))
	}
	return &plain{ref: ref, n: 1, raw: d.since(start)}
}

// since copies the input from start to the reader's position.
func (d *decoder) since(start int) []byte {
	return bytes.Clone(d.input[start:d.r.Offset()])
}

// deletes reads the second part of the update and applies its deletions. It reports whether any of them refers to
// content that the document lacks.
func (d *decoder) deletes(trans *ycrdt.Transaction) (missing bool) {
	store := trans.Doc.Store
	for range d.r.Uint() {
		client := int(d.r.Uint())
		n := d.r.Uint()
		structs := store.Clients[client]
		state := ycrdt.GetState(store, client)
		for range n {
			clock := int(d.r.Uint())
			end := clock + int(d.r.Uint())
			if end > state {
				missing = true
				end = state
			}
			if clock < end {
				if d.noted {
					d.deleted.add(client, clock, end)
				}
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
func (d *decoder) deleteRange(trans *ycrdt.Transaction, structs *[]ycrdt.IAbstractStruct, clock, end int) {
	i := indexOf(*structs, clock)
	for ; i < len(*structs); i++ {
		item, ok := (*structs)[i].(*ycrdt.Item)
		if s := (*structs)[i]; s.GetID().Clock >= end {
			return
		}
		if !ok {
			continue
		}
		if item.Deleted() {
			if t, _ := item.Parent.(*Type); d.copied != nil && d.copied(t) {
				d.deleted.note(item, t, clock, end)
			}
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

// Keys are common map keys, so that decoding an update need not allocate them.
type Keys map[string]string

// InternKeys makes a Keys.
func InternKeys(keys ...string) Keys {
	m := make(Keys, len(keys))
	for _, k := range keys {
		m[k] = k
	}
	return m
}

func (m Keys) intern(key []byte) string {
	if s, ok := m[string(key)]; ok {
		return s
	}
	return string(key)
}
