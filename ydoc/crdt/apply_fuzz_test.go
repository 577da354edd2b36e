package crdt_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/internal/fuzzkit"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// replica is the client id of the documents that mutants are applied to.
const replica = 77

// history is a document as it grew: each update depends on the earlier ones.
type history [][]byte

// histories are recordings of yjs and pycrdt, a session of a JupyterLab tab, and a notebook of our own.
func histories(tb testing.TB) []history {
	tb.Helper()
	var all []history
	for _, file := range []string{"testdata/yjs.json", "testdata/pycrdt.json"} {
		b, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var vs []struct {
			Full    string   `json:"full"`
			Updates []string `json:"updates"`
		}
		if err := json.Unmarshal(b, &vs); err != nil {
			tb.Fatal(err)
		}
		for _, v := range vs {
			var h history
			for _, s := range append(v.Updates, v.Full) {
				u, err := hex.DecodeString(s)
				if err != nil {
					tb.Fatal(err)
				}
				if len(u) > 0 {
					h = append(h, u)
				}
			}
			if len(h) > 0 {
				all = append(all, h)
			}
		}
	}
	return append(append(all, sessionHistories(tb)...), ownHistory(tb))
}

// sessionHistories are the recorded session's updates of the notebook, by the server and the tab, in parts that begin
// with the state at that time.
func sessionHistories(tb testing.TB) (hs []history) {
	tb.Helper()
	n := ydoc.NewNotebook()
	const piece = 12
	for i, u := range fuzzkit.Payloads(tb, wire.SyncStep2, wire.Update) {
		if i%piece == 0 {
			state, err := n.Diff(nil)
			if err != nil {
				tb.Fatal(err)
			}
			hs = append(hs, history{state})
		}
		if err := n.Apply(u); err != nil {
			tb.Fatal(err)
		}
		hs[i/piece] = append(hs[i/piece], u)
	}
	return hs
}

// ownHistory returns the updates of two replicas that write to one notebook.
func ownHistory(tb testing.TB) history {
	tb.Helper()
	a := ydoc.NewNotebookWith(ydoc.Options{ClientID: 3})
	b := ydoc.NewNotebookWith(ydoc.Options{ClientID: 1<<53 - 5})
	var h history
	a.OnUpdate(func(u []byte) { h = append(h, u) })
	b.OnUpdate(func(u []byte) { h = append(h, u) })
	step := func(n *ydoc.Notebook, fn func(e *ydoc.Editor) error) {
		if err := n.Edit("step", fn); err != nil {
			tb.Fatal(err)
		}
		for _, other := range []*ydoc.Notebook{a, b} {
			if err := other.Apply(h[len(h)-1]); err != nil {
				tb.Fatal(err)
			}
		}
	}
	step(a, func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{ID: "c1", Type: "code", Source: "x = 'é😀'\n"}, ydoc.NewCell{ID: "m1", Type: "markdown", Source: "# T"})
		return err
	})
	step(b, func(e *ydoc.Editor) error { return e.SetSource("c1", "y = 'é😀!'\nz") })
	step(a, func(e *ydoc.Editor) error {
		return e.SetCellMetadata("m1", "k", map[string]any{"a": []any{1, 2.5, nil, "s"}})
	})
	step(b, func(e *ydoc.Editor) error { return e.StartRun("c1") })
	step(b, func(e *ydoc.Editor) error { return e.AppendStream("c1", "stdout", "out\n") })
	step(b, func(e *ydoc.Editor) error {
		n := 4
		return e.FinishRun("c1", &n)
	})
	step(a, func(e *ydoc.Editor) error { return e.Move("m1", 0) })
	step(a, func(e *ydoc.Editor) error { return e.Delete("c1") })
	return h
}

// checkApply applies the first updates of a history to a notebook and then u, and fails unless the notebook survives:
// no panic, no hang, no excessive memory, and its encoded state is valid and complete. It reports whether u was
// accepted.
func checkApply(tb testing.TB, before history, u []byte) (taken bool) {
	tb.Helper()
	fuzzkit.Watch(tb, u, func(tb testing.TB) {
		var fault string
		if taken, fault = applyOne(before, u); fault != "" {
			tb.Fatalf("%s\nafter %d updates of the history, with %s", fault, len(before), base64.StdEncoding.EncodeToString(u))
		}
	})
	return taken
}

func applyOne(before history, u []byte) (taken bool, fault string) {
	n := ydoc.NewNotebookWith(ydoc.Options{ClientID: replica})
	for _, b := range before {
		if err := n.Apply(b); err != nil {
			return false, "the history: " + err.Error()
		}
	}
	err := n.Apply(u)
	var format *wire.FormatError
	switch {
	case errors.As(err, &format):
		return false, ""
	case errors.Is(err, crdt.ErrBroken):
		if strings.Contains(err.Error(), "another client") { // it wrote as this replica
			return true, ""
		}
		return true, err.Error()
	case err != nil && !errors.Is(err, crdt.ErrPending):
		return true, "an unknown error: " + err.Error()
	}
	return true, sameToOthers(n)
}

// sameToOthers describes the error in n's encoded state, "" if none: it must be valid and complete. The content may
// differ in a fresh replica if a damaged update gave new content to existing clocks: then Yjs documents differ as
// well, by the order in which they received the two.
func sameToOthers(n *ydoc.Notebook) string {
	if _, err := json.Marshal(n.JSON()); err != nil {
		return "the content is no JSON: " + err.Error()
	}
	state, err := n.Diff(nil)
	if err != nil {
		return "encoding: " + err.Error()
	}
	if err := wire.CheckUpdate(state, wire.DefaultLimits); err != nil {
		return "what it encodes is out of order: " + err.Error()
	}
	fresh := ydoc.NewNotebook()
	if err := fresh.Apply(state); err != nil {
		return "what it encodes cannot be applied: " + err.Error()
	}
	a, errA := n.StateVector()
	b, errB := fresh.StateVector()
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return "state vectors " + hex.EncodeToString(a) + " and " + hex.EncodeToString(b)
	}
	return ""
}

// FuzzApply applies any bytes to a notebook at some point of one of the histories.
func FuzzApply(f *testing.F) {
	hs := histories(f)
	for i, h := range hs {
		for j, u := range h {
			f.Add(uint8(i), uint8(j), u)
		}
	}
	f.Fuzz(func(t *testing.T, i, j uint8, u []byte) {
		h := hs[int(i)%len(hs)]
		checkApply(t, h[:int(j)%(len(h)+1)], u)
	})
}

// TestApplyMutants applies damaged updates, each to a notebook that has the changes that the undamaged one depends
// on.
func TestApplyMutants(t *testing.T) {
	hs := histories(t)
	r := rand.New(rand.NewPCG(1, 2))
	const mutants = 4_000
	taken := 0
	for range mutants {
		h := hs[r.IntN(len(hs))]
		i := r.IntN(len(h))
		other := hs[r.IntN(len(hs))]
		u := mutateUpdate(r, h[i], other[r.IntN(len(other))])
		if checkApply(t, h[:i], u) {
			taken++
		}
	}
	t.Logf("%d of %d mutants were taken", taken, mutants)
	if taken < mutants/50 {
		t.Errorf("only %d of %d mutants were taken: the mutations test little", taken, mutants)
	}
}

// mutateUpdate changes some bytes of u, mostly to values with a meaning in the format.
func mutateUpdate(r *rand.Rand, u, other []byte) []byte {
	m := bytes.Clone(u)
	telling := []byte{0, 1, 2, 3, 5, 9, 10, 0x7f, 0x80, 117, 118, 119, 125, 0x21, 0x28, 0x27, 0x84, 0x87, 0xc4}
	for range 1 + r.IntN(3) {
		if len(m) == 0 {
			return m
		}
		i := r.IntN(len(m))
		switch r.IntN(6) {
		case 0:
			m[i] ^= 1 << r.IntN(8)
		case 1:
			m[i] = telling[r.IntN(len(telling))]
		case 2:
			m[i]++
		case 3:
			m[i]--
		case 4:
			m = append(m[:i:i], append([]byte{telling[r.IntN(len(telling))]}, m[i:]...)...)
		case 5:
			if len(other) > 0 {
				j := r.IntN(len(other))
				n := min(r.IntN(12), len(other)-j, len(m)-i)
				copy(m[i:], other[j:j+n])
			}
		}
	}
	return m
}
