package crdt

import (
	"iter"
	"slices"

	ycrdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// The kinds of shared types that are read and written; others are preserved.
const (
	KindArray = wire.TypeArray
	KindMap   = wire.TypeMap
	KindText  = wire.TypeText
)

// Type is our own shared type: a map, or a list of characters or values. The library's types do extra work when
// attached, observed and searched, partly through a variable shared by all documents; this one does not. It also
// holds caches that last between transactions.
//
// Its library methods are for this package only: other packages use the methods defined here.
type Type struct {
	ycrdt.AbstractType
	kind uint8
	root string // the name of a root type; "" for nested ones
	name string // of an XML element or hook

	json any  // the plain value of a map or array, made by objectAt or listAt
	read bool // whether json is up to date

	str   string // the characters of a text, made by Characters
	runs  int    // the number of runs they were collected from
	known bool   // whether str is up to date
	spare int    // how many more times str is updated before it must be read again

	touched int // number of the last transaction that changed the type or something in it
	marks   marks

	// Data is for readers of the document to cache data about the type.
	Data any
}

func newType(kind uint8) *Type { return &Type{kind: kind} }

// Methods that the library needs for searching, observing or copying.

// GetSearchMarker is the library's; it always returns nil.
func (t *Type) GetSearchMarker() *[]*ycrdt.ArraySearchMarker { return nil }

// SetSearchMarker is the library's; it does nothing.
func (t *Type) SetSearchMarker([]*ycrdt.ArraySearchMarker) {}

// CallObserver is the library's; observers are not used.
func (t *Type) CallObserver(*ycrdt.Transaction, ycrdt.Set) {}

// Copy is the library's: an empty type of the same kind.
func (t *Type) Copy() ycrdt.IAbstractType { return t.empty() }

// Clone is the library's.
func (t *Type) Clone() ycrdt.IAbstractType { return t.empty() }

// ToJson is the library's; see [Type.Value].
func (t *Type) ToJson() interface{} { return nil }

// Write is the library's.
func (t *Type) Write(e *ycrdt.UpdateEncoderV1) { e.RestEncoder.Write(t.appendTo(nil)) }

func (t *Type) empty() *Type { return &Type{kind: t.kind, name: t.name} }

func (t *Type) appendTo(dst []byte) []byte {
	dst = append(dst, t.kind)
	if t.kind == wire.TypeXMLElement || t.kind == wire.TypeXMLHook {
		dst = wire.AppendVarString(dst, t.name)
	}
	return dst
}

// typeOf returns the shared type that an item holds, or nil.
func typeOf(item *ycrdt.Item) *Type {
	if item == nil {
		return nil
	}
	c, ok := item.Content.(*ycrdt.ContentType)
	if !ok {
		return nil
	}
	t, _ := c.Type.(*Type)
	return t
}

// The library marks list items by an empty map key, so keys are escaped internally: keys that begin with a NUL get
// one more, and "" becomes a NUL.

func keyIn(key string) string {
	if key == "" || key[0] == 0 {
		return "\x00" + key
	}
	return key
}

func keyOut(key string) string {
	if key != "" && key[0] == 0 {
		return key[1:]
	}
	return key
}

// Kind is [KindArray], [KindMap], [KindText] or another of Yjs'.
func (t *Type) Kind() uint8 { return t.kind }

// Root is the name of a root type, "" for a nested one.
func (t *Type) Root() string { return t.root }

// Holder is the type that t is nested in, nil for a root.
func (t *Type) Holder() *Type {
	if t.Item == nil {
		return nil
	}
	p, _ := t.Item.Parent.(*Type)
	return p
}

// Key is the key of t in a map, "" in a list.
func (t *Type) Key() string {
	if t.Item == nil {
		return ""
	}
	return keyOut(t.Item.ParentSub)
}

// Deleted reports whether t itself was deleted, regardless of its parents.
func (t *Type) Deleted() bool { return t.Item != nil && t.Item.Deleted() }

// Len is the length of a list: values, or UTF-16 units.
func (t *Type) Len() int { return t.Length }

// at returns the item with the present value of a map key, or nil.
func (t *Type) at(key string) *ycrdt.Item {
	item := t.Map[keyIn(key)]
	if item == nil || item.Deleted() {
		return nil
	}
	return item
}

// Maker returns the client that made t, which must not be a root type.
func (t *Type) Maker() uint64 { return uint64(t.Item.ID.Client) }

// Writer returns the client that set a key of a map.
func (t *Type) Writer(key string) (client uint64, ok bool) {
	item := t.at(key)
	if item == nil {
		return 0, false
	}
	return uint64(item.ID.Client), true
}

// Has reports whether a map has a key.
func (t *Type) Has(key string) bool { return t.at(key) != nil }

// Keys returns the keys of a map, sorted.
func (t *Type) Keys() []string {
	keys := make([]string, 0, len(t.Map))
	for k, item := range t.Map {
		if !item.Deleted() {
			keys = append(keys, keyOut(k))
		}
	}
	slices.Sort(keys)
	return keys
}

// Child returns the shared type of the given kind under a map key, or nil.
func (t *Type) Child(key string, kind uint8) *Type {
	if t == nil {
		return nil
	}
	c := typeOf(t.at(key))
	if c == nil || c.kind != kind {
		return nil
	}
	return c
}

// Last returns the shared type at the end of a list, or nil.
func (t *Type) Last() *Type {
	item, _ := t.seek(t.Length)
	return typeOf(item)
}

// Entries yields the values of a list in order, each as a shared type or as a plain value.
func (t *Type) Entries() iter.Seq2[*Type, any] {
	return func(yield func(*Type, any) bool) {
		for item := t.Start; item != nil; item = item.Right {
			if !visible(item) {
				continue
			}
			if c := typeOf(item); c != nil {
				if !yield(c, nil) {
					return
				}
				continue
			}
			more := true
			each(item, func(v any) { more = more && yield(nil, v) })
			if !more {
				return
			}
		}
	}
}
