package crdt

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/pyjson"
)

type named map[string]any

func TestPlainValues(t *testing.T) {
	for _, c := range []struct{ in, want any }{
		{nil, nil},
		{int8(-1), -1},
		{uint64(7), 7},
		{uint64(math.MaxUint64), float64(math.MaxUint64)},
		{2.0, 2},
		{float32(0.5), 0.5},
		{json.Number("12"), 12},
		{json.Number("1.5"), 1.5},
		{json.RawMessage(`{"a":[1,2.5]}`), map[string]any{"a": []any{1, 2.5}}},
		{[]string{"a"}, []any{"a"}},
		{math.NaN(), pyjson.NaN},
		{math.Inf(-1), pyjson.NegInfinity},
		{json.RawMessage(`[NaN, Infinity]`), []any{pyjson.NaN, pyjson.Infinity}},
		{named{"k": []any{named{"n": int64(1)}}}, map[string]any{"k": []any{map[string]any{"n": 1}}}},
	} {
		got, err := Plain(c.in, 10)
		must.NoError(t, err)
		test.True(t, EqualValues(got, c.want))
	}
	for _, bad := range []any{
		"\xff",
		map[string]any{"\xff": 1},
		json.Number("x"), json.RawMessage("{"),
		struct{}{},
		func() {},
		[]any{[]any{[]any{[]any{1}}}},
	} {
		if got, err := Plain(bad, 4); !errors.Is(err, ErrInvalid) {
			t.Errorf("%#v became %#v (%v)", bad, got, err)
		}
	}
}
