package crdt

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/nbduet/nbduet/ydoc/pyjson"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// ErrInvalid means that an edit is invalid: a bad index, type, text or value.
var ErrInvalid = wire.Fixed("invalid edit")

// Invalidf makes an error that matches [ErrInvalid].
func Invalidf(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)
}

// parseJSON parses a value in Yjs' older encoding.
func parseJSON(b []byte) any {
	if string(b) == "undefined" {
		return wire.Undefined{}
	}
	v, err := decodeJSON(b)
	if err != nil {
		return nil
	}
	n, err := Plain(v, math.MaxInt)
	if err != nil {
		return nil
	}
	return n
}

// decodeJSON parses the first value of a JSON text and keeps its numbers as written.
func decodeJSON(b []byte) (v any, err error) {
	err = pyjson.Unmarshal(b, &v)
	return v, err
}

// Plain returns v copied as plain JSON values: nil, bool, int, float64, string, []any and map[string]any. The error
// matches [ErrInvalid] and names the invalid value. depth is the deepest nesting allowed.
func Plain(v any, depth int) (any, error) {
	if depth <= 0 {
		return nil, Invalidf("a value is nested too deeply")
	}
	switch v := v.(type) {
	case nil, bool:
		return v, nil
	case string:
		if !utf8.ValidString(v) {
			return nil, Invalidf("the text %.40q is not valid UTF-8", v)
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
		return plainUint(uint64(v)), nil
	case uint64:
		return plainUint(v), nil
	case float32:
		return wire.Number(float64(v)), nil
	case float64:
		return wire.Number(v), nil
	case pyjson.Number:
		return v, nil
	case json.Number:
		n, err := pyjson.Value(v)
		if err != nil {
			return nil, Invalidf("the number %.40q", string(v))
		}
		if f, ok := n.(float64); ok {
			return wire.Number(f), nil
		}
		return n, nil
	case json.RawMessage:
		w, err := decodeJSON(v)
		if err != nil {
			return nil, Invalidf("the JSON text %.40q: %v", string(v), err)
		}
		return Plain(w, depth)
	case []any:
		return plainList(v, depth)
	case []string:
		return plainList(v, depth)
	case map[string]any:
		return plainObject(v, depth)
	}
	if m := reflect.ValueOf(v); m.CanConvert(objectType) {
		object, _ := m.Convert(objectType).Interface().(map[string]any)
		return plainObject(object, depth)
	}
	return nil, Invalidf("a value of Go type %T is not JSON", v)
}

// objectType is the type of objects. Types based on it, such as ydoc.Output, are objects too.
var objectType = reflect.TypeFor[map[string]any]()

func plainList[T any](v []T, depth int) (any, error) {
	list := make([]any, len(v))
	for i, e := range v {
		n, err := Plain(e, depth-1)
		if err != nil {
			return nil, err
		}
		list[i] = n
	}
	return list, nil
}

func plainObject(v map[string]any, depth int) (any, error) {
	object := make(map[string]any, len(v))
	for k, e := range v {
		if !utf8.ValidString(k) {
			return nil, Invalidf("the key %.40q is not valid UTF-8", k)
		}
		n, err := Plain(e, depth-1)
		if err != nil {
			return nil, err
		}
		object[k] = n
	}
	return object, nil
}

func plainUint(v uint64) any {
	if v <= math.MaxInt64 {
		return int(v)
	}
	return float64(v)
}

// EqualValues compares plain JSON values.
func EqualValues(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, EqualValues)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && EqualObjects(a, b)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

// EqualObjects compares objects of plain JSON values.
func EqualObjects(a, b map[string]any) bool {
	return maps.EqualFunc(a, b, EqualValues)
}
