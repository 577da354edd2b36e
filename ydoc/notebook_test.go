package ydoc

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// vector is a document as Yjs or pycrdt encoded it.
type vector struct {
	Name        string          `json:"name"`
	Updates     []string        `json:"updates"`
	Full        string          `json:"full"`
	StateVector string          `json:"stateVector"`
	JSON        json.RawMessage `json:"json"`
	Source      string          `json:"source"`
	RelposIdx3  json.RawMessage `json:"relpos_idx3"`
	RelposEnd   json.RawMessage `json:"relpos_end"`
}

func loadVectors(t *testing.T, file string) []vector {
	t.Helper()
	b, err := os.ReadFile("crdt/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var vs []vector
	if err := json.Unmarshal(b, &vs); err != nil {
		t.Fatal(err)
	}
	return vs
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func yjsVector(t *testing.T) vector {
	t.Helper()
	for _, v := range loadVectors(t, "yjs.json") {
		if len(v.Updates) > 0 {
			return v
		}
	}
	t.Fatal("no vector with updates")
	return vector{}
}

// sameJSON compares a plain value with JSON text.
func sameJSON(t *testing.T, what string, got any, want json.RawMessage) {
	t.Helper()
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	var g, w any
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("%s\n got %s\nwant %s", what, b, want)
	}
}

func TestYjsVectorLoadsStepByStepAndWhole(t *testing.T) {
	v := yjsVector(t)
	n := NewNotebook()
	for _, u := range v.Updates {
		apply(t, n.Doc, unhex(t, u))
	}
	whole := NewNotebook()
	apply(t, whole.Doc, unhex(t, v.Full))
	for _, n := range []*Notebook{n, whole} {
		sameJSON(t, v.Name, n.JSON()["cells"], v.JSON)
		if got := hex.EncodeToString(stateVector(t, n.Doc)); got != v.StateVector {
			t.Errorf("state vector %s, want %s", got, v.StateVector)
		}
		// Our encoding equals that of Yjs, byte for byte, including merged structs.
		if got := hex.EncodeToString(diff(t, n.Doc, nil)); got != v.Full {
			t.Errorf("state\n got %s\nwant %s", got, v.Full)
		}
	}
	c, ok := n.Cell("c1")
	must.True(t, ok)
	test.Eq(t, v.Source, c.Source)
	test.Eq(t, Code, c.Type)
	test.Eq(t, 5, *c.ExecutionCount)
	test.Eq(t, Idle, c.ExecutionState)
	test.Eq(t, "", c.Fault)
	must.SliceLen(t, 1, c.Outputs)
	test.EqOp[any](t, "hi\nthere\n", c.Outputs[0]["text"])
}

func TestPycrdtVector(t *testing.T) {
	v := loadVectors(t, "pycrdt.json")[0]
	n := NewNotebook()
	apply(t, n.Doc, unhex(t, v.Full))
	// The file format has neither execution_state nor the keys that only the document has.
	nb := n.JSON()
	for _, c := range nb["cells"].([]any) {
		c := c.(map[string]any)
		if c["execution_state"] != nil && c["execution_state"] != "idle" {
			t.Errorf("execution_state %v", c["execution_state"])
		}
	}
	want := map[string]any{}
	if err := json.Unmarshal(v.JSON, &want); err != nil {
		t.Fatal(err)
	}
	for _, c := range want["cells"].([]any) {
		if c := c.(map[string]any); c["cell_type"] == "code" {
			c["execution_state"] = "idle"
		}
	}
	b, _ := json.Marshal(want)
	sameJSON(t, v.Name, nb, b)
	if got := hex.EncodeToString(stateVector(t, n.Doc)); got != v.StateVector {
		t.Errorf("state vector %s, want %s", got, v.StateVector)
	}
	if got := hex.EncodeToString(diff(t, n.Doc, nil)); got != v.Full {
		t.Errorf("state\n got %s\nwant %s", got, v.Full)
	}
	major, minor := n.NBFormat()
	test.Eq(t, 4, major)
	test.Eq(t, 5, minor)
	if n.Metadata()["language_info"].(map[string]any)["name"] != "python" {
		t.Errorf("metadata %v", n.Metadata())
	}
	c, _ := n.Cell("c1")
	data := c.Outputs[1]["data"].(map[string]any)["application/json"].(map[string]any)
	test.EqOp[any](t, 3, data["i"])
	test.EqOp[any](t, 1.5, data["f"])
	_, ok := n.Cell("m1")
	must.True(t, ok)
	test.Eq(t, 2, n.Len())
}

// pycrdtEmptyKeys is a cell whose metadata pycrdt 0.14.13 gave the keys "" (set three times), NUL and "k".
const pycrdtEmptyKeys = "010b050007010563656c6c73012800050002696401770163280005000963656c6c5f747970650177037261772700050006736f7572636502040005" +
	"03017827000500086d65746164617461012100050500012800050501000175017c4000000028000505016b017601007c40400000a1050601a80509017c40a0000001050206010901"

func TestEmptyKeysAreKeys(t *testing.T) {
	n := NewNotebook()
	apply(t, n.Doc, unhex(t, pycrdtEmptyKeys))
	want := map[string]any{"": 5, "\x00": []any{2}, "k": map[string]any{"": 3}}
	if c, _ := n.Cell("c"); !crdt.EqualObjects(c.Metadata, want) {
		t.Errorf("metadata %#v", c.Metadata)
	}
	if got := hex.EncodeToString(diff(t, n.Doc, nil)); got != pycrdtEmptyKeys {
		t.Errorf("state\n got %s\nwant %s", got, pycrdtEmptyKeys)
	}
	insert(t, n, 0, NewCell{ID: "d", Type: Raw})
	edit(t, n, func(e *Editor) error { return e.Move("c", 0) })
	edit(t, n, func(e *Editor) error { _ = e.SetCellMetadata("c", "", 6); return e.DeleteCellMetadata("c", "\x00") })
	peer := NewNotebook()
	apply(t, peer.Doc, diff(t, n.Doc, nil))
	if c, _ := peer.Cell("c"); !crdt.EqualObjects(c.Metadata, map[string]any{"": 6, "k": map[string]any{"": 3}}) {
		t.Errorf("metadata %#v", c.Metadata)
	}
}

// TestSnapshotsAreNotChanged compares snapshots with deep copies of them after many edits of both replicas.
func TestSnapshotsAreNotChanged(t *testing.T) {
	type snapshot struct{ read, copied []Cell }
	for seed := range uint64(20) {
		p := newProgram(t, seed+20_000, 2)
		var all []snapshot
		for range 60 {
			n := p.peers[p.IntN(2)]
			p.change(n)
			for range 3 {
				p.network()
			}
			s := snapshot{read: n.Cells()}
			for _, c := range s.read {
				c = copied(c)
				c.Source, c.ID = strings.Clone(c.Source), strings.Clone(c.ID)
				for _, o := range c.Outputs {
					if text, ok := o["text"].(string); ok {
						o["text"] = strings.Clone(text)
					}
				}
				s.copied = append(s.copied, c)
			}
			all = append(all, s)
		}
		for i, s := range all {
			for k := range s.read {
				d := s.read[k].differs(&s.copied[k], allFields)
				must.Eq(t, 0, d, must.Sprint(seed, i))
				must.Eq(t, s.copied[k].Revision, s.read[k].Revision, must.Sprint(seed, i))
			}
		}
	}
}

// copied returns a deep copy of c, apart from strings.
func copied(c Cell) Cell {
	object := func(m map[string]any) map[string]any {
		v, _ := crdt.Plain(m, 100)
		return objectValue(v)
	}
	c.Metadata, c.Attachments = object(c.Metadata), object(c.Attachments)
	c.Outputs = slices.Clone(c.Outputs)
	for i, o := range c.Outputs {
		c.Outputs[i] = object(o)
	}
	return c
}
