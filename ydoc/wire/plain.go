package wire

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// Plain values are encoded in lib0's format (encoding.js, writeAny) and decoded as plain JSON values: nil, bool, int,
// float64, string, []any and map[string]any. Whole numbers are ints in either encoding: pycrdt sends every number as
// a float.

// Undefined is JavaScript's undefined: a key with this value is absent, in a list it reads as nil.
type Undefined struct{}

// SkipValue skips a plain value of an update accepted by [CheckUpdate], which bounds the nesting.
func (r *Reader) SkipValue() {
	switch tag := r.Byte(); tag {
	case tagInteger:
		r.Int()
	case tagFloat32:
		r.Take(4)
	case tagFloat64, tagBigInt:
		r.Take(8)
	case tagString, tagBytes:
		r.VarBytes(r.Len())
	case tagArray, tagObject:
		for range r.Uint() {
			if tag == tagObject {
				r.VarBytes(r.Len())
			}
			if r.SkipValue(); r.err != nil {
				return
			}
		}
	}
}

// Value decodes a plain value of an update accepted by [CheckUpdate]. Bytes become base64, because JSON has none.
func (r *Reader) Value() any {
	switch r.Byte() {
	case tagUndefined:
		return Undefined{}
	case tagTrue:
		return true
	case tagFalse:
		return false
	case tagInteger:
		return int(r.Int())
	case tagFloat32:
		if b := r.Take(4); b != nil {
			return Number(float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
		}
	case tagFloat64:
		if b := r.Take(8); b != nil {
			return Number(math.Float64frombits(binary.BigEndian.Uint64(b)))
		}
	case tagBigInt:
		if b := r.Take(8); b != nil {
			return int(int64(binary.BigEndian.Uint64(b)))
		}
	case tagString:
		return string(r.VarBytes(r.Len()))
	case tagBytes:
		return base64.StdEncoding.EncodeToString(r.VarBytes(r.Len()))
	case tagArray:
		return r.list()
	case tagObject:
		return r.object()
	}
	return nil
}

func (r *Reader) list() any {
	n := r.Uint()
	list := make([]any, 0, min(n, uint64(r.Len())))
	for range n {
		list = append(list, NullFor(r.Value()))
		if r.err != nil {
			return nil
		}
	}
	return list
}

func (r *Reader) object() any {
	n := r.Uint()
	object := make(map[string]any, min(n, uint64(r.Len()/2)))
	for range n {
		key := string(r.VarBytes(r.Len()))
		if v := r.Value(); v != (Undefined{}) {
			object[key] = v
		}
		if r.err != nil {
			return nil
		}
	}
	return object
}

// NullFor returns nil for undefined, where a value is required.
func NullFor(v any) any {
	if _, ok := v.(Undefined); ok {
		return nil
	}
	return v
}

// Number returns a float as a plain value: an int if it is whole and safe, a [pyjson.Number] if it is outside JSON.
func Number(f float64) any {
	if special, ok := pyjson.Of(f); ok {
		return special
	}
	if f == math.Trunc(f) && math.Abs(f) <= MaxInt {
		return int(f)
	}
	return f
}

// AppendValue encodes a plain JSON value, with the keys of objects sorted so that equal values give equal bytes.
// Integers beyond 31 bits are written as floats, as in Yjs. Any other value becomes null.
func AppendValue(dst []byte, v any) []byte {
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
	case pyjson.Number:
		return appendFloat(dst, v.Float())
	case string:
		return AppendVarString(append(dst, tagString), v)
	case []any:
		dst = AppendUint(append(dst, tagArray), uint64(len(v)))
		for _, e := range v {
			dst = AppendValue(dst, e)
		}
		return dst
	case map[string]any:
		dst = AppendUint(append(dst, tagObject), uint64(len(v)))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			dst = AppendValue(AppendVarString(dst, k), v[k])
		}
		return dst
	}
	return append(dst, tagNull)
}

// appendInt appends n as a lib0 variable-length signed integer.
func appendInt(dst []byte, n int) []byte {
	var sign byte
	if n < 0 {
		n, sign = -n, 0x40
	}
	b := byte(n&0x3f) | sign
	for n >>= 6; n > 0; n >>= 7 {
		dst = append(dst, b|0x80)
		b = byte(n & 0x7f)
	}
	return append(dst, b)
}

func appendFloat(dst []byte, f float64) []byte {
	if float64(float32(f)) == f {
		return binary.BigEndian.AppendUint32(append(dst, tagFloat32), math.Float32bits(float32(f)))
	}
	return binary.BigEndian.AppendUint64(append(dst, tagFloat64), math.Float64bits(f))
}
