package wire_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/ydoc/pyjson"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// TestPlainValuesComeBack encodes values, skips them and decodes them.
func TestPlainValuesComeBack(t *testing.T) {
	for _, v := range []any{
		nil, true, false, 0, 1, -1, 63, 64, -64, 1<<31 - 1, -1 << 31, 1 << 40, wire.MaxInt, -wire.MaxInt,
		0.5, 1e100, math.MaxFloat64, "", "é😀",
		[]any{},
		[]any{1, nil, []any{"x"}},
		map[string]any{},
		map[string]any{"": 1, "a": map[string]any{"b": []any{2.5}}},
	} {
		b := wire.AppendValue(nil, v)
		r := wire.NewReader("value", b)
		got := r.Value()
		test.Eq(t, v, got)
		test.NoError(t, r.End())
		r = wire.NewReader("value", b)
		if r.SkipValue(); r.End() != nil {
			t.Errorf("%#v: %v", v, r.Err())
		}
	}
}

// TestOtherPlainValuesAreJSON decodes encodings that we never write.
func TestOtherPlainValuesAreJSON(t *testing.T) {
	for name, c := range map[string]struct {
		in   []byte
		want any
	}{
		"a whole float":          {[]byte{124, 0x40, 0x40, 0, 0}, 3},
		"not a number":           {[]byte{124, 0x7f, 0xc0, 0, 0}, pyjson.NaN},
		"infinity":               {[]byte{124, 0xff, 0x80, 0, 0}, pyjson.NegInfinity},
		"a big integer":          {[]byte{122, 0, 0, 0, 0, 0, 0, 0, 9}, 9},
		"bytes":                  {[]byte{116, 2, 0xff, 0}, "/wA="},
		"undefined":              {[]byte{127}, wire.Undefined{}},
		"undefined in a list":    {[]byte{117, 1, 127}, []any{nil}},
		"undefined in an object": {[]byte{118, 1, 1, 'k', 127}, map[string]any{}},
	} {
		if got := wire.NewReader("value", c.in).Value(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %#v", name, got)
		}
	}
}
