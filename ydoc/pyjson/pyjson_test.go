package pyjson

import (
	"encoding/json"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// Text written by Python becomes JSON and back, and only its numbers change.
func TestStandardAndPython(t *testing.T) {
	for name, c := range map[string]struct{ python, standard string }{
		"none":           {`{"a": [1, "x"]}`, `{"a": [1, "x"]}`},
		"alone":          {`NaN`, `-0e99999`},
		"all":            {`[NaN,Infinity, -Infinity]`, `[-0e99999,1e99999, -1e99999]`},
		"in an object":   {"{\"a\":NaN,\"b\":\n-Infinity}", "{\"a\":-0e99999,\"b\":\n-1e99999}"},
		"in a string":    {`["NaN", "a \"Infinity", NaN]`, `["NaN", "a \"Infinity", -0e99999]`},
		"in a key":       {`{"NaN": 1, "b": NaN}`, `{"NaN": 1, "b": -0e99999}`},
		"literal string": {`["1e99999", NaN]`, `["1e99999", -0e99999]`},
	} {
		t.Run(name, func(t *testing.T) {
			test.Eq(t, c.standard, string(Standard([]byte(c.python))))
			test.True(t, json.Valid(Standard([]byte(c.python))))
			test.Eq(t, c.python, string(Python([]byte(c.standard))))
		})
	}
	test.False(t, json.Valid(Standard([]byte(`[xNaN]`))), test.Sprint("a word that is not one"))
	test.False(t, json.Valid(Standard([]byte(`["NaN`))), test.Sprint("a string without an end"))
}

// Numbers keep their kind, and those outside JSON become strings in encoding/json.
func TestValues(t *testing.T) {
	var v []any
	must.NoError(t, Unmarshal([]byte(`[1, 2.5, NaN, Infinity, -Infinity, 1e400]`), &v))
	want := []any{1, 2.5, NaN, Infinity, NegInfinity, Infinity}
	for i, n := range v {
		number, ok := n.(json.Number)
		must.True(t, ok)
		got, err := Value(number)
		must.NoError(t, err)
		test.Eq(t, want[i], got)
		v[i] = got
	}
	text, err := json.Marshal(Literals(map[string]any{"a": v}))
	must.NoError(t, err)
	test.Eq(t, `{"a":[1,2.5,NaN,Infinity,-Infinity,Infinity]}`, string(Python(text)))
	text, err = json.Marshal(v)
	must.NoError(t, err)
	test.Eq(t, `[1,2.5,"NaN","Infinity","-Infinity","Infinity"]`, string(text))
	for _, n := range []Number{NaN, Infinity, NegInfinity} {
		again, ok := Of(n.Float())
		test.True(t, ok)
		test.Eq(t, n, again)
	}
}
