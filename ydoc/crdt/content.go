package crdt

import (
	"encoding/base64"

	ycrdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// Our own contents replace the library's. The library recodes a whole string each time it measures, splits, merges or
// writes one, and decodes plain values into forms that lose their encoding; ours keep the original bytes.
//
// The bytes of a content never change once written. Only the content at the end of a buffer may append to it in
// place; every other holds a slice without spare capacity. So contents, and strings given to readers, share memory
// freely.

// text is the content of a run of characters.
type text struct {
	b []byte // valid UTF-8
	n int    // length in UTF-16 code units
}

func newText(s string) *text {
	b := []byte(s)
	return &text{b: b, n: wire.UTF16Len(b)}
}

func (t *text) GetLength() int                            { return t.n }
func (t *text) GetContent() ycrdt.ArrayAny                { return nil }
func (t *text) IsCountable() bool                         { return true }
func (t *text) Copy() ycrdt.IAbstractContent              { return copyText(t) }
func (t *text) GetRef() uint8                             { return wire.RefString }
func (t *text) GC(*ycrdt.StructStore)                     {}
func (t *text) Delete(*ycrdt.Transaction)                 {}
func (t *text) Integrate(*ycrdt.Transaction, *ycrdt.Item) {}

// copyText copies a text.
func copyText(t *text) *text { return &text{b: t.b[:len(t.b):len(t.b)], n: t.n} }

// newValue returns the content for one value from [Plain].
func newValue(v any) *plain { return &plain{ref: wire.RefAny, n: 1, raw: wire.AppendValue(nil, v)} }

const replacement = "\uFFFD"

// Splice keeps the first off units and returns the rest. If that cuts a surrogate pair, both halves become U+FFFD, as
// in Yjs (ContentString.splice).
func (t *text) Splice(off int) ycrdt.IAbstractContent {
	at, inside := cut(t.b, t.n, off)
	right := &text{n: t.n - off}
	if inside {
		right.b = append([]byte(replacement), t.b[at+4:]...)
		t.b = append(t.b[:at:at], replacement...)
	} else {
		right.b = t.b[at:]
		t.b = t.b[:at:at]
	}
	t.n = off
	return right
}

// MergeWith appends right in amortised time linear in right.
func (t *text) MergeWith(right ycrdt.IAbstractContent) bool {
	r, ok := right.(*text)
	if !ok {
		return false
	}
	t.b = append(t.b, r.b...)
	t.n += r.n
	return true
}

func (t *text) appendTo(dst []byte, off int) []byte {
	at, inside := cut(t.b, t.n, off)
	if inside {
		dst = wire.AppendUint(dst, uint64(len(replacement)+len(t.b)-at-4))
		dst = append(dst, replacement...)
		return append(dst, t.b[at+4:]...)
	}
	return wire.AppendVarBytes(dst, t.b[at:])
}

func (t *text) Write(e *ycrdt.UpdateEncoderV1, off int) error {
	e.RestEncoder.Write(t.appendTo(nil, off))
	return nil
}

// plain is any content other than text, shared types and tombstones, as encoded after its length. ref is its kind;
// only plain and JSON values come in runs, all others have length one.
type plain struct {
	ref uint8
	n   int
	raw []byte
}

func (p *plain) run() bool                                 { return p.ref == wire.RefAny || p.ref == wire.RefJSON }
func (p *plain) GetLength() int                            { return p.n }
func (p *plain) GetContent() ycrdt.ArrayAny                { return nil }
func (p *plain) IsCountable() bool                         { return p.ref != wire.RefFormat }
func (p *plain) GetRef() uint8                             { return p.ref }
func (p *plain) GC(*ycrdt.StructStore)                     {}
func (p *plain) Delete(*ycrdt.Transaction)                 {}
func (p *plain) Integrate(*ycrdt.Transaction, *ycrdt.Item) {}

func (p *plain) Copy() ycrdt.IAbstractContent {
	return &plain{ref: p.ref, n: p.n, raw: p.raw[:len(p.raw):len(p.raw)]}
}

// offset returns the byte offset of value off in a run.
func (p *plain) offset(off int) int {
	if off == 0 {
		return 0
	}
	r := wire.NewReader("run", p.raw)
	for range off {
		p.skipOne(r)
	}
	if r.Err() != nil {
		panic(r.Err())
	}
	return r.Offset()
}

func (p *plain) skipOne(r *wire.Reader) {
	if p.ref == wire.RefJSON {
		r.VarBytes(r.Len())
	} else {
		r.SkipValue()
	}
}

func (p *plain) Splice(off int) ycrdt.IAbstractContent {
	at := p.offset(off)
	right := &plain{ref: p.ref, n: p.n - off, raw: p.raw[at:]}
	p.raw, p.n = p.raw[:at:at], off
	return right
}

func (p *plain) MergeWith(right ycrdt.IAbstractContent) bool {
	r, ok := right.(*plain)
	if !ok || r.ref != p.ref || !p.run() {
		return false
	}
	p.raw = append(p.raw, r.raw...)
	p.n += r.n
	return true
}

func (p *plain) appendTo(dst []byte, off int) []byte {
	if !p.run() {
		return append(dst, p.raw...)
	}
	dst = wire.AppendUint(dst, uint64(p.n-off))
	return append(dst, p.raw[p.offset(off):]...)
}

func (p *plain) Write(e *ycrdt.UpdateEncoderV1, off int) error {
	e.RestEncoder.Write(p.appendTo(nil, off))
	return nil
}

// next decodes the value at the reader's position.
func (p *plain) next(r *wire.Reader) any {
	if p.ref == wire.RefAny {
		return r.Value()
	}
	return parseJSON(r.VarBytes(r.Len()))
}

// value decodes value off of the content.
func (p *plain) value(off int) any {
	switch p.ref {
	case wire.RefAny, wire.RefJSON, wire.RefEmbed:
		return p.next(wire.NewReader("value", p.raw[p.offset(off):]))
	case wire.RefBinary:
		r := wire.NewReader("binary", p.raw)
		return base64.StdEncoding.EncodeToString(r.VarBytes(r.Len()))
	}
	return wire.Undefined{} // nested documents and format marks cannot be JSON
}

// each calls f with the values of a run in order.
func (p *plain) each(f func(v any)) {
	if !p.run() {
		if p.IsCountable() {
			f(p.value(0))
		}
		return
	}
	r := wire.NewReader("run", p.raw)
	for range p.n {
		f(p.next(r))
	}
}
