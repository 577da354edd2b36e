package ydoc

import (
	crdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// The kinds of shared types (Yjs, src/structs/ContentType.js).
const (
	kindArray       = 0
	kindMap         = 1
	kindText        = 2
	kindXMLElement  = 3
	kindXMLFragment = 4
	kindXMLHook     = 5
	kindXMLText     = 6
)

// shared is a shared type of our own. The library's do work of their own when they are attached, observed and searched,
// some of it through a variable that all documents of the process share; this one does none. It also carries what we
// remember about the type between transactions.
type shared struct {
	crdt.AbstractType
	kind uint8
	root string // the name of a root type; "" for nested ones
	name string // of an XML element or hook

	json any  // the plain value of a map or array, made by value
	read bool // whether json is up to date

	str   string // the characters of a text, made by characters
	runs  int    // how many runs they were collected from
	known bool   // whether str is up to date
	spare int    // how often str will be brought up to date before it has to be read again

	noted int // the last transaction that was noted to have changed the type or something in it
	marks marks
	node  *node // of a cell
}

func newShared(kind uint8) *shared { return &shared{kind: kind} }

// The methods by which the library would search, observe or copy.

func (t *shared) GetSearchMarker() *[]*crdt.ArraySearchMarker { return nil }
func (t *shared) SetSearchMarker([]*crdt.ArraySearchMarker)   {}
func (t *shared) CallObserver(*crdt.Transaction, crdt.Set)    {}
func (t *shared) Copy() crdt.IAbstractType                    { return &shared{kind: t.kind, name: t.name} }
func (t *shared) Clone() crdt.IAbstractType                   { return t.Copy() }
func (t *shared) ToJson() interface{}                         { return nil }
func (t *shared) Write(e *crdt.UpdateEncoderV1)               { e.RestEncoder.Write(t.appendTo(nil)) }

func (t *shared) appendTo(dst []byte) []byte {
	dst = append(dst, t.kind)
	if t.kind == kindXMLElement || t.kind == kindXMLHook {
		dst = wire.AppendVarString(dst, t.name)
	}
	return dst
}

// parent is the type that t is nested in, nil for a root.
func (t *shared) parent() *shared {
	if t.Item == nil {
		return nil
	}
	p, _ := t.Item.Parent.(*shared)
	return p
}

// sharedOf is the shared type that an item holds, or nil.
func sharedOf(item *crdt.Item) *shared {
	if item == nil {
		return nil
	}
	c, ok := item.Content.(*crdt.ContentType)
	if !ok {
		return nil
	}
	t, _ := c.Type.(*shared)
	return t
}

// The library marks list items by an empty map key, so the key "" is kept under another name inside: keys that begin
// with a NUL get one more, and "" becomes a NUL.

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

// at is the item that is the present value of a map key, or nil.
func (t *shared) at(key string) *crdt.Item {
	item := t.Map[keyIn(key)]
	if item == nil || item.Deleted() {
		return nil
	}
	return item
}

// child is the shared type under a map key, of that kind, or nil.
func (t *shared) child(key string, kind uint8) *shared {
	if t == nil {
		return nil
	}
	c := sharedOf(t.at(key))
	if c == nil || c.kind != kind {
		return nil
	}
	return c
}

// get is the plain value under a map key: undefined{} when there is none.
func (t *shared) get(key string) any {
	if t == nil {
		return undefined{}
	}
	item := t.at(key)
	if item == nil {
		return undefined{}
	}
	return lastValue(item)
}

// maxNesting is how deep shared types are read; what lies deeper reads as nil. Documents of ours nest four deep, and a
// recursion as deep as an update may nest them would overflow the stack.
const maxNesting = 200

// lastValue is the value of a map entry: the last of its item's, should there be several.
func lastValue(item *crdt.Item) any { return lastValueAt(item, 0) }

func lastValueAt(item *crdt.Item, depth int) any {
	if t := sharedOf(item); t != nil {
		return t.valueAt(depth + 1)
	}
	switch c := item.Content.(type) {
	case *plain:
		return c.value(c.n - 1)
	case *text:
		return string(c.b)
	}
	return undefined{}
}

// value is the plain value of a type: a string, []any or map[string]any that nobody may change. It is kept until the
// type changes.
func (t *shared) value() any { return t.valueAt(0) }

func (t *shared) valueAt(depth int) any {
	if depth > maxNesting {
		return nil
	}
	switch t.kind {
	case kindText, kindXMLText:
		return t.characters()
	case kindMap:
		return t.objectAt(depth)
	case kindArray:
		return t.listAt(depth)
	}
	return nil // XML has no place in these documents
}

// object is the value of a map, empty when t is nil.
func (t *shared) object() map[string]any {
	if t == nil {
		return map[string]any{}
	}
	return t.objectAt(0)
}

func (t *shared) objectAt(depth int) map[string]any {
	if m, ok := t.json.(map[string]any); ok && t.read {
		return m
	}
	m := make(map[string]any, len(t.Map))
	for key, item := range t.Map {
		if item.Deleted() {
			continue
		}
		if v := lastValueAt(item, depth); v != (undefined{}) {
			m[keyOut(key)] = v
		}
	}
	t.json, t.read = m, true
	return m
}

func (t *shared) listAt(depth int) []any {
	if l, ok := t.json.([]any); ok && t.read {
		return l
	}
	l := make([]any, 0, t.Length)
	for item := t.Start; item != nil; item = item.Right {
		if item.Deleted() {
			continue
		}
		if c := sharedOf(item); c != nil {
			l = append(l, c.valueAt(depth+1))
			continue
		}
		switch c := item.Content.(type) {
		case *plain:
			c.each(func(v any) { l = append(l, jsonValue(v)) })
		case *text:
			l = append(l, string(c.b))
		}
	}
	t.json, t.read = l, true
	return l
}

// object stands for what a text holds besides characters, one unit each.
const objectReplacement = "\uFFFC"

// characters is the text of t. A text that is one run shares its memory.
func (t *shared) characters() string {
	if t == nil {
		return ""
	}
	t.spare = maxSplices
	if t.known {
		return t.str
	}
	size, runs := 0, 0
	var last []byte
	t.eachRun(func(b []byte) { size += len(b); runs++; last = b })
	switch runs {
	case 0:
		t.str = ""
	case 1:
		t.str = stringOf(last)
	default:
		b := make([]byte, 0, size)
		t.eachRun(func(run []byte) { b = append(b, run...) })
		t.str = stringOf(b)
		t.markAll()
	}
	t.known, t.runs = true, runs
	return t.str
}

func (t *shared) eachRun(f func(b []byte)) {
	for item := t.Start; item != nil; item = item.Right {
		if item.Deleted() {
			continue
		}
		if c, ok := item.Content.(*text); ok {
			f(c.b)
			continue
		}
		if item.Countable() {
			for range item.Length {
				f(bytesOf(objectReplacement))
			}
		}
	}
}

// spliceRuns is up to how many runs the characters of a text are collected anew after an edit. Only tests change it.
var spliceRuns = 8

// maxSplices is how many edits the known characters outlive without being read.
const maxSplices = 4

// spliced brings the known characters up to date after an edit: del units at pos were replaced by ins. Where collecting
// them anew is as cheap, or nobody has read them for some edits, they are forgotten instead.
func (t *shared) spliced(pos, del int, ins string) {
	if !t.known || t.spare == 0 || t.runs <= spliceRuns {
		t.known, t.str = false, ""
		return
	}
	t.spare--
	old := bytesOf(t.str)
	from, _ := cut(old, t.Length-unitsOf(ins)+del, pos)
	to := from
	for n := del; n > 0; {
		w, u := width(old[to])
		to += w
		n -= u
	}
	b := make([]byte, 0, len(old)-(to-from)+len(ins))
	b = append(append(append(b, old[:from]...), ins...), old[to:]...)
	t.str = stringOf(b)
	t.runs++
}
