package ydiff

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// reading is another library's view of a document.
type reading struct {
	Roots   map[string]any  `json:"roots"`
	SV      []byte          `json:"sv"`
	Deleted json.RawMessage `json:"deleted"` // yjs only: the deleted ranges
	Pending bool            `json:"pending"` // yjs only: updates are held back
	// The notebook in Jupyter's model, if the document is read as one.
	Notebook any  `json:"notebook"`
	relayed  bool // whether a part may have gone through pycrdt
}

func readWith(p *child.Process, c ...any) (r reading, err error) {
	err = p.One(&r, c...)
	return r, err
}

// agree compares all replicas: each library's view of its own, the others' view of each encoded state, the state
// vectors, the deleted ranges, and nbduet's view with that of yjs.
func agree(f *foreign, p program, peers []peer, names []string) error {
	state, err := peers[0].diff([]byte{0})
	if err != nil {
		return err
	}
	want, err := readWith(f.node, "load", nil, state)
	if err != nil {
		return fmt.Errorf("the state of %s 0 in yjs: %w", p.Kinds[0], err)
	}
	want.relayed = slices.ContainsFunc(p.Kinds, kind.inPython)
	for i, pr := range peers {
		who := fmt.Sprintf("%s %d", p.Kinds[i], i)
		sv, err := pr.stateVector()
		if err != nil {
			return err
		}
		if err := sameVector(want.SV, sv); err != nil {
			return fmt.Errorf("%s: %w", who, err)
		}
		if err := agreeOne(f, p, pr, p.Kinds[i], names[i], want); err != nil {
			return fmt.Errorf("%s: %w", who, err)
		}
	}
	return nil
}

func agreeOne(f *foreign, p program, pr peer, k kind, name string, want reading) error {
	if k != goKind {
		process, same := f.node, sameReading
		if k.inPython() {
			process, same = f.python, samePycrdt
		}
		got, err := readWith(process, "read", name)
		if err != nil {
			return err
		}
		if err := same("itself", got, want); err != nil || !k.model() {
			return err
		}
		return sameNotebook(k, got.Notebook, want)
	}
	state, err := pr.diff(nil)
	if err != nil {
		return err
	}
	inYjs, err := readWith(f.node, "load", nil, state)
	if err != nil {
		return fmt.Errorf("its state in yjs: %w", err)
	}
	if err := sameReading("its state in yjs", inYjs, want); err != nil {
		return err
	}
	inPycrdt, err := readWith(f.python, "load", nil, state)
	if err != nil {
		return fmt.Errorf("its state in pycrdt: %w", err)
	}
	if err := samePycrdt("its state in pycrdt", inPycrdt, want); err != nil {
		return err
	}
	if p.strict() {
		if err := sameInModels(f, p, state, want); err != nil {
			return err
		}
	}
	n := pr.(*local).n
	if h := n.Held(); h > 0 {
		return fmt.Errorf("%d updates are held back", h)
	}
	if err := sameModel(n, want); err != nil {
		return err
	}
	return n.Err()
}

func sameVector(a, b []byte) error {
	va, err := wire.ParseStateVector(a, wire.DefaultLimits)
	if err != nil {
		return err
	}
	vb, err := wire.ParseStateVector(b, wire.DefaultLimits)
	if err != nil {
		return err
	}
	if !maps.Equal(va, vb) {
		return fmt.Errorf("state vector %v, that of the first %v", vb, va)
	}
	return nil
}

// sameReading compares two readings of yjs.
func sameReading(what string, got, want reading) error {
	var gotRoots, wantRoots any = got.Roots, want.Roots
	if want.relayed {
		gotRoots, wantRoots = relayedForm.as(gotRoots), relayedForm.as(wantRoots)
	}
	if d := difference("", gotRoots, wantRoots); d != "" {
		return fmt.Errorf("%s has %s", what, d)
	}
	if err := sameVector(want.SV, got.SV); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if got.Pending || want.Pending {
		return fmt.Errorf("%s: yjs holds something back: %v, %v for the first", what, got.Pending, want.Pending)
	}
	var a, b map[string][][2]uint64
	if err := json.Unmarshal(got.Deleted, &a); err != nil {
		return err
	}
	if err := json.Unmarshal(want.Deleted, &b); err != nil {
		return err
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Errorf("%s has deleted %v, the first %v", what, a, b)
	}
	return nil
}

// pycrdtRoots are the roots that the Python process reads.
var pycrdtRoots = []string{"cells", "meta", "state", "map", "list"}

// samePycrdt compares a reading of pycrdt with one of yjs.
func samePycrdt(what string, got, want reading) error {
	for _, root := range pycrdtRoots {
		if d := difference(root, got.Roots[root], pycrdtForm.as(want.Roots[root])); d != "" {
			return fmt.Errorf("%s has %s", what, d)
		}
	}
	if err := sameVector(want.SV, got.SV); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// sameModel compares nbduet's view with that of yjs.
func sameModel(n *ydoc.Notebook, want reading) error {
	expected := map[string]any{}
	meta, _ := modelForm.as(want.Roots["meta"]).(map[string]any)
	maps.Copy(expected, meta)
	expected["cells"] = modelForm.as(want.Roots["cells"])
	got, err := asJSON(n.JSON())
	if err != nil {
		return err
	}
	if d := difference("", got, expected); d != "" {
		return fmt.Errorf("its JSON has %s", d)
	}
	cells := n.Cells()
	list, _ := expected["cells"].([]any)
	if len(cells) != len(list) || n.Len() != len(list) {
		return fmt.Errorf("%d cells, yjs has %d", len(cells), len(list))
	}
	for i, c := range cells {
		if err := sameCell(c, list[i]); err != nil {
			return fmt.Errorf("cell %d: %w", i, err)
		}
		if one, ok := n.CellAt(i); !ok || !reflect.DeepEqual(one, c) {
			return fmt.Errorf("cell %d is %v alone, %v among all", i, one, c)
		}
	}
	return nil
}

// sameCell compares a cell with the one that yjs reads. Parts of a wrong type count as absent.
func sameCell(c ydoc.Cell, want any) error {
	w, _ := want.(map[string]any)
	text := func(key string) string {
		s, _ := w[key].(string)
		return s
	}
	if c.NBID != text("id") || c.Type != text("cell_type") || c.Source != text("source") || c.ExecutionState != text("execution_state") {
		return fmt.Errorf("%+v, yjs has %v", c, want)
	}
	metadata, _ := w["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	got, err := asJSON(c.Metadata)
	if err != nil {
		return err
	}
	if d := difference("metadata", got, metadata); d != "" {
		return fmt.Errorf("it has %s", d)
	}
	if c.Type != ydoc.Code {
		return nil
	}
	if n, ok := w["execution_count"].(float64); ok != (c.ExecutionCount != nil) || ok && float64(*c.ExecutionCount) != n {
		return fmt.Errorf("execution count %v, yjs has %v", c.ExecutionCount, w["execution_count"])
	}
	outputs, _ := w["outputs"].([]any)
	if len(outputs) != len(c.Outputs) {
		return fmt.Errorf("%d outputs, yjs has %d", len(c.Outputs), len(outputs))
	}
	for i, o := range c.Outputs {
		got, err := asJSON(o)
		if err != nil {
			return err
		}
		if d := difference(fmt.Sprintf("outputs[%d]", i), got, outputs[i]); d != "" {
			return fmt.Errorf("it has %s", d)
		}
	}
	return nil
}
