package ydiff

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Plain values are nil, bool, int, float64, string, []any and map[string]any. Other values are objects with the key "$":
// undefined, bigint, bytes, float (NaN and infinities), and doc when read; map, array and text, with their content as
// "v", for new shared types.

// pieces are the parts of random texts: words, line ends, astral and combining characters, and "".
var pieces = []string{
	"a", "b", "x", "import ", " = ", "1", "\n", "\n\n", "  ", "é", "e\u0301", "\u0301", "日本", "😀", "👩‍👩‍👧", "𝒳", "🇩🇪", "\x00", "", "\r", "\"\\",
}

// random draws the parts of programs.
type random struct {
	*rand.Rand
	strict bool // whether values are JSON, and metadata is valid for nbformat
}

func (r random) text(most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// key returns a map key from a small set, so that replicas use the same ones. The empty key is in it.
func (r random) key() string {
	return []string{"", "k", "key", "é😀", "a.b", "tags", "collapsed", "jupyter"}[r.IntN(8)]
}

// metadata returns a value for a key of a cell's metadata.
func (r random) metadata(key string) any {
	switch {
	case r.strict && key == "tags":
		return [][]any{{}, {"a"}, {"b", "é😀"}}[r.IntN(3)]
	case r.strict && key == "collapsed":
		return r.IntN(2) == 0
	case r.strict && key == "jupyter":
		return []map[string]any{{}, {"outputs_hidden": true}, {"source_hidden": false, "k": r.value(1)}}[r.IntN(3)]
	}
	return r.value(3)
}

// value returns any value that lib0 can encode.
func (r random) value(depth int) any {
	switch k := r.IntN(16); {
	case k == 0:
		return nil
	case k == 1:
		return r.IntN(2) == 0
	case k == 2:
		return []int{0, 1, -1, 63, 64, -64, 1<<31 - 1, 1 << 31, -(1 << 31), 1<<53 - 1, -(1<<53 - 1)}[r.IntN(11)]
	case k == 3:
		return r.IntN(1 << 20)
	case k == 4:
		list := []float64{0.5, 0.1, 5e-324, -1e300, 3.4028234663852886e38, 1 << 60, 1e21}
		if r.strict {
			// The server's model converts the others to ints, and panics at those over 64 bits. It turns 2^60 into a
			// bigint, which JupyterLab's model reads as an empty object.
			list = list[:3]
		}
		return list[r.IntN(len(list))]
	case k == 5:
		return r.NormFloat64()
	case k == 6 && !r.strict:
		return r.special()
	case k < 11 || depth == 0:
		return r.text(3)
	case k < 13:
		return r.values(depth-1, 3)
	}
	m := map[string]any{}
	for range r.IntN(4) {
		m[r.key()] = r.value(depth - 1)
	}
	return m
}

func (r random) values(depth, most int) []any {
	l := make([]any, r.IntN(most+1))
	for i := range l {
		l[i] = r.value(depth)
	}
	return l
}

// special returns a value that JSON lacks.
func (r random) special() any {
	switch r.IntN(4) {
	case 0:
		return map[string]any{"$": "undefined"}
	case 1:
		return map[string]any{"$": "bigint", "v": strconv.FormatInt(r.Int64N(1<<62)>>r.IntN(60), 10)}
	case 2:
		return map[string]any{"$": "bytes", "v": []string{"", "AA==", "/wD/"}[r.IntN(3)]}
	default:
		return map[string]any{"$": "float", "v": []string{"NaN", "Infinity", "-Infinity"}[r.IntN(3)]}
	}
}

// shared returns a value that may contain shared types.
func (r random) shared(depth int) any {
	switch k := r.IntN(6); {
	case depth == 0 || k < 3:
		return r.value(depth)
	case k == 3:
		return map[string]any{"$": "text", "v": r.text(4)}
	case k == 4:
		l := make([]any, r.IntN(3))
		for i := range l {
			l[i] = r.shared(depth - 1)
		}
		return map[string]any{"$": "array", "v": l}
	}
	m := map[string]any{}
	for range r.IntN(3) {
		m[r.key()] = r.shared(depth - 1)
	}
	return map[string]any{"$": "map", "v": m}
}

func (r random) output() any {
	switch r.IntN(5) {
	case 0:
		return map[string]any{"output_type": "stream", "name": []string{"stdout", "stderr"}[r.IntN(2)], "text": r.text(3)}
	case 1:
		return map[string]any{"output_type": "error", "ename": r.text(1), "evalue": r.text(1), "traceback": []any{r.text(2)}}
	case 2:
		return map[string]any{"output_type": "execute_result", "data": map[string]any{"text/html": r.text(2)}, "metadata": map[string]any{"text/html": map[string]any{"isolated": true}}, "execution_count": r.IntN(9)}
	default:
		return map[string]any{"output_type": "display_data", "data": map[string]any{"text/plain": r.text(2), "application/json": r.value(2)}, "metadata": map[string]any{}}
	}
}

// ours converts v to the arguments of nbduet's editor.
func ours(v any) any {
	switch v := v.(type) {
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = ours(e)
		}
		return l
	case map[string]any:
		switch v["$"] {
		case nil:
			m := make(map[string]any, len(v))
			for k, e := range v {
				m[k] = ours(e)
			}
			return m
		case "bigint":
			n, _ := strconv.ParseInt(fmt.Sprint(v["v"]), 10, 54)
			return int(n)
		case "bytes":
			return v["v"]
		default:
			return nil
		}
	}
	return v
}

// form is the form in which a library reads JavaScript values.
type form int

const (
	// relayedForm is yjs's form after pycrdt has passed the value on: a bigint is a number.
	relayedForm form = iota
	// pycrdtForm is pycrdt's form: moreover, undefined becomes None.
	pycrdtForm
	// modelForm is the form of nbduet's model: plain JSON. Undefined keys are absent, bytes are base64, and NaN and the
	// infinities are texts, as a client reads them (pyjson.Number).
	modelForm
)

// as converts a value that the Node process has read.
func (f form) as(v any) any {
	switch v := v.(type) {
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = f.as(e)
		}
		return l
	case map[string]any:
		tag, special := v["$"].(string)
		if !special {
			m := make(map[string]any, len(v))
			for k, e := range v {
				if x, ok := e.(map[string]any); ok && x["$"] == "undefined" && f == modelForm {
					continue
				}
				m[k] = f.as(e)
			}
			return m
		}
		switch {
		case tag == "undefined" && f == relayedForm:
			return v
		case tag == "undefined":
			return nil
		case tag == "bigint":
			n, err := strconv.ParseFloat(fmt.Sprint(v["v"]), 64)
			if err != nil {
				return err.Error()
			}
			return n
		case f != modelForm:
			return v
		default: // bytes, or not a number
			return v["v"]
		}
	}
	return v
}
