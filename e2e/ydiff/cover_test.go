package ydiff

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestProgramsCoverEverything checks that 2,000 programs cover each kind of replica in each place, each operation of
// each kind, each kind of value, text and client id, each starting document and each event of the networks. The networks
// run with empty replicas.
func TestProgramsCoverEverything(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(2_000) {
		p := newProgram(seed + 1)
		cover(p, seen)
		peers := make([]peer, len(p.Kinds))
		for i := range peers {
			peers[i] = hollow{}
		}
		star, mesh := newStar(p, peers), newMesh(p, peers)
		var w world = star
		if p.Mesh {
			w = mesh
		}
		for _, s := range p.Steps {
			if err := w.step(s); err != nil {
				t.Fatal(err)
			}
		}
		for _, events := range []map[string]int{star.events, mesh.events} {
			for e, n := range events {
				seen[e] += n
			}
		}
	}
	for _, what := range wanted() {
		if seen[what] < 10 {
			t.Errorf("%s: %d times", what, seen[what])
		}
	}
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%7d  %s", seen[what], what)
	}
}

// wanted returns the required features.
func wanted() (all []string) {
	kinds := []kind{goKind, yjsKind, pycrdtKind, labKind, serverKind}
	own := map[kind][]draw{
		goKind: onlyGo, yjsKind: slices.Concat(onlyForeign, onlyYjs, loose), pycrdtKind: onlyForeign, labKind: onlyLab, serverKind: onlyServer,
	}
	for _, k := range kinds {
		all = append(all, fmt.Sprintf("%s in a mesh", k), fmt.Sprintf("%s as a client", k), fmt.Sprintf("%s connects again", k),
			fmt.Sprintf("%s loses what it has sent", k), fmt.Sprintf("%s writes while it is away", k),
			fmt.Sprintf("%s gets an update before step 2", k))
		if k != goKind && k != labKind {
			all = append(all, fmt.Sprintf("%s as the server", k))
		}
		for _, d := range slices.Concat(common, own[k]) {
			all = append(all, fmt.Sprintf("%s: %s", k, d.name))
		}
	}
	for _, op := range []string{"undo", "redo"} {
		all = append(all, fmt.Sprintf("%s: %s", goKind, op))
	}
	for _, nb := range notebooks() {
		all = append(all, "begins with "+nb.name)
	}
	return append(all,
		"client id 0", "client id of up to 31 bits", "client id of 32 bits", "client id of up to 53 bits",
		"an update overtakes another peer's", "an update comes again", "updates are lost",
		"text: empty", "text: astral", "text: combining", "text: joined", "text: NUL", "text: line end", "key: empty", "key: astral",
		"value: null", "value: bool", "value: int of 31 bits", "value: larger int", "value: float32", "value: float64", "value: string",
		"value: array", "value: object", "value: empty array", "value: empty object", "value: undefined", "value: bigint", "value: bytes",
		"value: float", "value: shared map", "value: shared array", "value: shared text")
}

// cover counts the features of a program.
func cover(p program, seen map[string]int) {
	for i, k := range p.Kinds {
		switch place := "as a client"; {
		case p.Mesh:
			seen[fmt.Sprintf("%s in a mesh", k)]++
		case i == 0:
			seen[fmt.Sprintf("%s as the server", k)]++
		default:
			seen[fmt.Sprintf("%s %s", k, place)]++
		}
		switch n := bits.Len64(p.IDs[i]); {
		case n == 0:
			seen["client id 0"]++
		case n <= 31:
			seen["client id of up to 31 bits"]++
		case n == 32:
			seen["client id of 32 bits"]++
		default:
			seen["client id of up to 53 bits"]++
		}
	}
	for _, s := range p.Steps {
		for _, o := range s.Ops {
			seen[fmt.Sprintf("%s: %s", p.Kinds[s.P], o.Op)]++
			switch o.Op {
			case "init":
				if o.S != "" {
					seen["begins with "+o.S]++
				}
				continue
			case "meta", "nbmeta", "map":
				coverKey(o.S, seen)
			case "source", "rewrite", "stream", "insert":
				coverText(o.S, seen)
			}
			if o.V != nil || o.Op == "meta" {
				coverValue(o.V, seen)
			}
		}
	}
}

func coverKey(s string, seen map[string]int) {
	if s == "" {
		seen["key: empty"]++
	}
	if utf16Len(s) > len([]rune(s)) {
		seen["key: astral"]++
	}
}

func coverText(s string, seen map[string]int) {
	has := func(name string, f func(r rune) bool) {
		if strings.ContainsFunc(s, f) {
			seen["text: "+name]++
		}
	}
	has("astral", func(r rune) bool { return r > 0xffff })
	has("combining", func(r rune) bool { return unicode.Is(unicode.Mn, r) })
	has("joined", func(r rune) bool { return r == '\u200d' })
	has("NUL", func(r rune) bool { return r == 0 })
	has("line end", func(r rune) bool { return r == '\n' || r == '\r' })
	if s == "" {
		seen["text: empty"]++
	}
}

func coverValue(v any, seen map[string]int) {
	name := fmt.Sprintf("%T", v)
	switch v := v.(type) {
	case nil:
		name = "null"
	case int:
		name = "int of 31 bits"
		if v > math.MaxInt32 || v < -math.MaxInt32 {
			name = "larger int"
		}
	case float64:
		if float64(float32(v)) == v {
			name = "float32"
		}
	case []any:
		name = "array"
		if len(v) == 0 {
			name = "empty array"
		}
		for _, e := range v {
			coverValue(e, seen)
		}
	case map[string]any:
		name = "object"
		switch tag := v["$"]; {
		case tag == "map" || tag == "array" || tag == "text":
			name = fmt.Sprintf("shared %s", tag)
			coverValue(v["v"], seen)
		case tag != nil:
			name = fmt.Sprint(tag)
		case len(v) == 0:
			name = "empty object"
		default:
			for k, e := range v {
				coverKey(k, seen)
				coverValue(e, seen)
			}
		}
	}
	seen["value: "+name]++
}

// hollow is an empty replica: each edit makes an update, each update is passed on.
type hollow struct{}

func (hollow) edit([]op) ([][]byte, error)              { return [][]byte{nil}, nil }
func (hollow) apply(updates ...[]byte) (applied, error) { return applied{All: updates}, nil }
func (hollow) stateVector() ([]byte, error)             { return nil, nil }
func (hollow) diff([]byte) ([]byte, error)              { return nil, nil }
func (hollow) close() error                             { return nil }
