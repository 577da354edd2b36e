package crdt

import (
	ycrdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// The values of shared types: immutable plain JSON values and strings, cached until the type changes.

// maxNesting is how deep shared types are read; deeper ones read as nil. Our documents nest four deep, and recursion
// as deep as an update may nest would overflow the stack.
const maxNesting = 200

// Get returns the plain value under a map key, or [wire.Undefined]. t may be nil.
func (t *Type) Get(key string) any {
	if t == nil {
		return wire.Undefined{}
	}
	item := t.at(key)
	if item == nil {
		return wire.Undefined{}
	}
	return lastValue(item, 0)
}

// Lately returns the plain value that a map key has, or had before it was deleted; ok is false if it never had one.
func (t *Type) Lately(key string) (v any, ok bool) {
	item := t.Map[keyIn(key)]
	if item == nil {
		return nil, false
	}
	return lastValue(item, 0), true
}

// Before returns the previous plain value of a map key; ok is false if it is no longer known.
func (t *Type) Before(key string) (v any, ok bool) {
	item := t.at(key)
	if item == nil || item.Left == nil {
		return nil, false
	}
	c, ok := item.Left.Content.(*plain)
	if !ok {
		return nil, false
	}
	return c.value(c.n - 1), true
}

// lastValue returns the value of a map entry: the last one if its item has several.
func lastValue(item *ycrdt.Item, depth int) any {
	if t := typeOf(item); t != nil {
		return t.valueAt(depth + 1)
	}
	switch c := item.Content.(type) {
	case *plain:
		return c.value(c.n - 1)
	case *text:
		return string(c.b)
	}
	return wire.Undefined{}
}

// each calls f with the plain values of a list item that is not a shared type, with nil for each character.
func each(item *ycrdt.Item, f func(v any)) {
	if c, ok := item.Content.(*plain); ok {
		c.each(f)
		return
	}
	for range item.Length {
		f(nil)
	}
}

// Value returns the plain value of a type: a string, []any or map[string]any.
func (t *Type) Value() any { return t.valueAt(0) }

func (t *Type) valueAt(depth int) any {
	if depth > maxNesting {
		return nil
	}
	switch t.kind {
	case KindText, wire.TypeXMLText:
		return t.Characters()
	case KindMap:
		return t.objectAt(depth)
	case KindArray:
		return t.listAt(depth)
	}
	return nil // XML is not used in these documents
}

// Object returns the value of a map, empty if t is nil.
func (t *Type) Object() map[string]any {
	if t == nil {
		return map[string]any{}
	}
	return t.objectAt(0)
}

func (t *Type) objectAt(depth int) map[string]any {
	if m, ok := t.json.(map[string]any); ok && t.read {
		return m
	}
	m := make(map[string]any, len(t.Map))
	for key, item := range t.Map {
		if item.Deleted() {
			continue
		}
		if v := lastValue(item, depth); v != (wire.Undefined{}) {
			m[keyOut(key)] = v
		}
	}
	t.json, t.read = m, true
	return m
}

// List returns the value of an array.
func (t *Type) List() []any { return t.listAt(0) }

func (t *Type) listAt(depth int) []any {
	if l, ok := t.json.([]any); ok && t.read {
		return l
	}
	l := make([]any, 0, t.Length)
	for item := t.Start; item != nil; item = item.Right {
		if item.Deleted() {
			continue
		}
		if c := typeOf(item); c != nil {
			l = append(l, c.valueAt(depth+1))
			continue
		}
		switch c := item.Content.(type) {
		case *plain:
			c.each(func(v any) { l = append(l, wire.NullFor(v)) })
		case *text:
			l = append(l, string(c.b))
		}
	}
	t.json, t.read = l, true
	return l
}

// LastValue returns the plain value of the last element of a list, nil if it is empty.
func (t *Type) LastValue() any {
	item, off := t.seek(t.Length)
	if item == nil {
		return nil
	}
	if c := typeOf(item); c != nil {
		return c.Value()
	}
	if c, ok := item.Content.(*plain); ok {
		return c.value(off - 1)
	}
	return nil
}

// objectReplacement replaces each unit of a text that is not a character.
const objectReplacement = "\uFFFC"

// Characters returns the text of t, "" if t is nil. A text of one run shares its memory.
func (t *Type) Characters() string {
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

func (t *Type) eachRun(f func(b []byte)) {
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

// Tail returns the last n units of a text and their number: all if there are fewer, one more if the first would be
// half a character.
func (t *Type) Tail(n int) (string, int) {
	n = min(n, t.Length)
	if n == 0 {
		return "", 0
	}
	item, off := t.seek(t.Length - n)
	if item == nil {
		item, off = t.Start, 0
	}
	b := []byte{}
	for ; item != nil; item, off = item.Right, 0 {
		if !visible(item) {
			continue
		}
		c, ok := item.Content.(*text)
		if !ok {
			for range item.Length - off {
				b = append(b, objectReplacement...)
			}
			continue
		}
		at, inside := cut(c.b, c.n, off)
		if inside {
			n++
		}
		b = append(b, c.b[at:]...)
	}
	return string(b), n
}

// SpliceRuns is the number of runs up to which the characters of a text are collected again after an edit. Only tests
// change it.
var SpliceRuns = 8

// maxSplices is how many edits the cached characters are updated for without being read.
const maxSplices = 4

// spliced updates the cached characters after an edit: del units at pos were replaced by ins. If collecting them
// again is as cheap, or they have not been read for some edits, they are dropped instead.
func (t *Type) spliced(pos, del int, ins string) {
	if !t.known || t.spare == 0 || t.runs <= SpliceRuns {
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

// forget drops the caches of a list.
func (t *Type) forget() {
	t.known, t.str = false, ""
	t.marks.reset()
}
