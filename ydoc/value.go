package ydoc

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// Plain values travel in lib0's form (encoding.js, writeAny). We hand out plain JSON values: nil, bool, int, float64,
// string, []any and map[string]any. Whole numbers are ints however they were sent: pycrdt sends every number as a float.

// The tags of plain values.
const (
	tagBytes     = 116
	tagArray     = 117
	tagObject    = 118
	tagString    = 119
	tagTrue      = 120
	tagFalse     = 121
	tagBigInt    = 122
	tagFloat64   = 123
	tagFloat32   = 124
	tagInteger   = 125
	tagNull      = 126
	tagUndefined = 127
)

// undefined is JavaScript's: as the value of a key the key is absent, in a list it reads as nil.
type undefined struct{}

// skipValue passes over one value. How deep values are nested was bounded before they came here.
func skipValue(r *wire.Reader) {
	switch r.Byte() {
	case tagInteger:
		r.Int()
	case tagFloat32:
		r.Take(4)
	case tagFloat64, tagBigInt:
		r.Take(8)
	case tagString, tagBytes:
		r.VarBytes(r.Len())
	case tagArray:
		for range r.Uint() {
			if skipValue(r); r.Err() != nil {
				return
			}
		}
	case tagObject:
		for range r.Uint() {
			r.VarBytes(r.Len())
			if skipValue(r); r.Err() != nil {
				return
			}
		}
	}
}

// readValue decodes one value.
func readValue(r *wire.Reader) any {
	switch r.Byte() {
	case tagUndefined:
		return undefined{}
	case tagTrue:
		return true
	case tagFalse:
		return false
	case tagInteger:
		return int(r.Int())
	case tagFloat32:
		if b := r.Take(4); b != nil {
			return number(float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
		}
	case tagFloat64:
		if b := r.Take(8); b != nil {
			return number(math.Float64frombits(binary.BigEndian.Uint64(b)))
		}
	case tagBigInt:
		if b := r.Take(8); b != nil {
			return int(int64(binary.BigEndian.Uint64(b)))
		}
	case tagString:
		return string(r.VarBytes(r.Len()))
	case tagBytes:
		return binaryValue(r.VarBytes(r.Len()))
	case tagArray:
		n := r.Uint()
		list := make([]any, 0, min(n, uint64(r.Len())))
		for range n {
			list = append(list, jsonValue(readValue(r)))
			if r.Err() != nil {
				return nil
			}
		}
		return list
	case tagObject:
		n := r.Uint()
		object := make(map[string]any, min(n, uint64(r.Len()/2)))
		for range n {
			key := string(r.VarBytes(r.Len()))
			if v := readValue(r); v != (undefined{}) {
				object[key] = v
			}
			if r.Err() != nil {
				return nil
			}
		}
		return object
	}
	return nil
}

// jsonValue makes undefined null, for places where a value must stand.
func jsonValue(v any) any {
	if _, ok := v.(undefined); ok {
		return nil
	}
	return v
}

// number gives a float the form in which it is handed out: an int when it is whole and safe, nil when JSON has no word
// for it.
func number(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	if f == math.Trunc(f) && math.Abs(f) <= wire.MaxInt {
		return int(f)
	}
	return f
}

// binaryValue is how bytes, which JSON lacks, are handed out.
func binaryValue(b []byte) any { return base64.StdEncoding.EncodeToString(b) }

// parseJSON reads a value in Yjs' older form.
func parseJSON(b []byte) any {
	if string(b) == "undefined" {
		return undefined{}
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil
	}
	n, err := normal(v, math.MaxInt)
	if err != nil {
		return nil
	}
	return n
}

// normal returns v as plain JSON values, copied, or an error that says what cannot be written. depth is how deep it may
// be nested.
func normal(v any, depth int) (any, error) {
	if depth <= 0 {
		return nil, invalidf("a value is nested too deeply")
	}
	switch v := v.(type) {
	case nil, bool:
		return v, nil
	case string:
		if !utf8.ValidString(v) {
			return nil, invalidf("the text %.40q is not valid UTF-8", v)
		}
		return v, nil
	case int:
		return v, nil
	case int8:
		return int(v), nil
	case int16:
		return int(v), nil
	case int32:
		return int(v), nil
	case int64:
		return int(v), nil
	case uint8:
		return int(v), nil
	case uint16:
		return int(v), nil
	case uint32:
		return int(v), nil
	case uint:
		return normalUint(uint64(v)), nil
	case uint64:
		return normalUint(v), nil
	case float32:
		return normalFloat(float64(v))
	case float64:
		return normalFloat(v)
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return int(i), nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, invalidf("the number %.40q", string(v))
		}
		return normalFloat(f)
	case json.RawMessage:
		d := json.NewDecoder(bytes.NewReader(v))
		d.UseNumber()
		var w any
		if err := d.Decode(&w); err != nil {
			return nil, invalidf("the JSON text %.40q: %v", string(v), err)
		}
		return normal(w, depth)
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			n, err := normal(e, depth-1)
			if err != nil {
				return nil, err
			}
			list[i] = n
		}
		return list, nil
	case []string:
		list := make([]any, len(v))
		for i, e := range v {
			n, err := normal(e, depth-1)
			if err != nil {
				return nil, err
			}
			list[i] = n
		}
		return list, nil
	case map[string]any:
		return normalObject(v, depth)
	case Output:
		return normalObject(v, depth)
	}
	return nil, invalidf("a value of Go type %T is not JSON", v)
}

func normalObject(v map[string]any, depth int) (any, error) {
	object := make(map[string]any, len(v))
	for k, e := range v {
		if !utf8.ValidString(k) {
			return nil, invalidf("the key %.40q is not valid UTF-8", k)
		}
		n, err := normal(e, depth-1)
		if err != nil {
			return nil, err
		}
		object[k] = n
	}
	return object, nil
}

func normalUint(v uint64) any {
	if v <= math.MaxInt64 {
		return int(v)
	}
	return float64(v)
}

func normalFloat(f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, invalidf("the number %v is not JSON", f)
	}
	return number(f), nil
}

// appendValue encodes a value that normal returned, with the keys of objects in order so that equal values give equal
// bytes. Integers beyond 31 bits are written as floats, as Yjs does.
func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(dst, tagTrue)
		}
		return append(dst, tagFalse)
	case int:
		if v >= -math.MaxInt32 && v <= math.MaxInt32 {
			return appendInt(append(dst, tagInteger), v)
		}
		return appendFloat(dst, float64(v))
	case float64:
		return appendFloat(dst, v)
	case string:
		return wire.AppendVarString(append(dst, tagString), v)
	case []any:
		dst = wire.AppendUint(append(dst, tagArray), uint64(len(v)))
		for _, e := range v {
			dst = appendValue(dst, e)
		}
		return dst
	case map[string]any:
		dst = wire.AppendUint(append(dst, tagObject), uint64(len(v)))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			dst = appendValue(wire.AppendVarString(dst, k), v[k])
		}
		return dst
	}
	return append(dst, tagNull)
}

func appendInt(dst []byte, v int) []byte {
	var sign byte
	if v < 0 {
		v, sign = -v, 0x40
	}
	b := byte(v&0x3f) | sign
	for v >>= 6; v > 0; v >>= 7 {
		dst = append(dst, b|0x80)
		b = byte(v & 0x7f)
	}
	return append(dst, b)
}

func appendFloat(dst []byte, f float64) []byte {
	if float64(float32(f)) == f {
		return binary.BigEndian.AppendUint32(append(dst, tagFloat32), math.Float32bits(float32(f)))
	}
	return binary.BigEndian.AppendUint64(append(dst, tagFloat64), math.Float64bits(f))
}

// newValue is the content of one plain value that normal returned.
func newValue(v any) *plain { return &plain{ref: refAny, n: 1, raw: appendValue(nil, v)} }

// equalValues compares plain JSON values.
func equalValues(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalValues(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && equalObjects(a, b)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

func equalObjects(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		w, ok := b[k]
		if !ok || !equalValues(v, w) {
			return false
		}
	}
	return true
}
