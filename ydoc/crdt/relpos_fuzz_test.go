package crdt_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf16"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/internal/fuzzkit"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// places are the documents in which positions are resolved.
type places struct {
	books []*ydoc.Notebook
	text  *ydoc.Text
}

func newPlaces(tb testing.TB) *places {
	tb.Helper()
	p := &places{text: ydoc.NewTextWith(ydoc.Options{ClientID: 5})}
	for _, h := range histories(tb) {
		n := ydoc.NewNotebookWith(ydoc.Options{ClientID: replica})
		for _, u := range h {
			if err := n.Apply(u); err != nil {
				tb.Fatal(err)
			}
		}
		p.books = append(p.books, n)
	}
	var last *ydoc.Step
	for _, edit := range []func(e *ydoc.TextEditor) error{
		func(e *ydoc.TextEditor) error { return e.Replace(0, 0, "one two 😀 three") },
		func(e *ydoc.TextEditor) error { return e.Replace(4, 3, "") },
		func(e *ydoc.TextEditor) error { return e.Replace(2, 0, "é\n") },
	} {
		var err error
		if last, err = p.text.Record("write", edit); err != nil {
			tb.Fatal(err)
		}
	}
	if _, _, err := p.text.Revert(last); err != nil {
		tb.Fatal(err)
	}
	return p
}

// check resolves a position everywhere and reports whether it was found. A resolved place must be valid, and a
// position made there must lead back to it.
func (p *places) check(tb testing.TB, raw json.RawMessage) (found bool) {
	for i, n := range p.books {
		id, off, ok := n.ResolvePosition(raw)
		if err := n.Err(); err != nil {
			tb.Fatalf("notebook %d: %v", i, err)
		}
		if !ok {
			continue
		}
		found = true
		c, there := n.Cell(id)
		if !there {
			tb.Fatalf("notebook %d: no cell %q", i, id)
		}
		checkPlace(tb, c.Source, off, func(off int) (json.RawMessage, error) { return n.RelativePosition(id, off) },
			func(raw json.RawMessage) (int, bool) {
				at, off, ok := n.ResolvePosition(raw)
				return off, ok && at == id
			})
	}
	off, ok := p.text.ResolvePosition(raw)
	if err := p.text.Err(); err != nil {
		tb.Fatal(err)
	}
	if ok {
		found = true
		checkPlace(tb, p.text.String(), off, p.text.RelativePosition, p.text.ResolvePosition)
	}
	return found
}

func checkPlace(tb testing.TB, text string, off int, make func(off int) (json.RawMessage, error), resolve func(json.RawMessage) (int, bool)) {
	units := utf16.Encode([]rune(text))
	must.GreaterEq(tb, 0, off)
	must.LessEq(tb, len(units), off)
	if off > 0 && off < len(units) && units[off-1]&0xfc00 == 0xd800 {
		return // inside a character, where positions are not made
	}
	raw, err := make(off)
	if err != nil {
		tb.Fatal(err)
	}
	again, ok := resolve(raw)
	must.True(tb, ok, must.Sprint(raw))
	must.Eq(tb, off, again, must.Sprint(raw))
}

// realPositions are the carets and selections of the recorded session, positions made by yjs, and odd ones.
func realPositions(tb testing.TB) [][]byte {
	tb.Helper()
	var all [][]byte
	seen := map[string]bool{}
	for _, u := range fuzzkit.Payloads(tb, wire.Awareness) {
		states, err := awareness.ParseUpdate(u, wire.DefaultLimits)
		if err != nil {
			tb.Fatal(err)
		}
		for _, s := range states {
			for _, c := range s.Cursors() {
				for _, raw := range []json.RawMessage{c.Anchor, c.Head} {
					if !seen[string(raw)] {
						seen[string(raw)] = true
						all = append(all, raw)
					}
				}
			}
		}
	}
	if len(all) < 3 {
		tb.Fatalf("only %d positions are in the recorded session", len(all))
	}
	for _, odd := range []string{
		`{"type":{"client":1,"clock":3},"tname":null,"item":{"client":1,"clock":20},"assoc":-1}`,
		`{"type":null,"tname":"source","item":null,"assoc":0}`, `{"tname":"cells","assoc":-1}`, `{"item":{}}`, `null`,
		`{"item":{"client":18446744073709551615,"clock":18446744073709551615}}`, `{"assoc":9223372036854775807}`,
	} {
		all = append(all, []byte(odd))
	}
	return all
}

// FuzzRelativePosition resolves any bytes as positions, and any units of any clients.
func FuzzRelativePosition(f *testing.F) {
	for i, raw := range realPositions(f) {
		f.Add(raw, uint64(i%7), uint64(i*5), i%3-1)
	}
	p := newPlaces(f)
	f.Fuzz(func(t *testing.T, raw []byte, client, clock uint64, assoc int) {
		fuzzkit.Watch(t, raw, func(tb testing.TB) {
			p.check(tb, raw)
			p.check(tb, unitPosition(client, clock, assoc))
		})
	})
}

func unitPosition(client, clock uint64, assoc int) json.RawMessage {
	id := fmt.Sprintf(`{"client":%d,"clock":%d}`, client, clock)
	if assoc%2 == 0 {
		return json.RawMessage(fmt.Sprintf(`{"type":%s,"tname":null,"item":null,"assoc":%d}`, id, assoc))
	}
	return json.RawMessage(fmt.Sprintf(`{"type":null,"tname":null,"item":%s,"assoc":%d}`, id, assoc))
}

// TestMutantsOfPositions is a short, reproducible run of [FuzzRelativePosition].
func TestMutantsOfPositions(t *testing.T) {
	p := newPlaces(t)
	seeds := realPositions(t)
	clients := map[uint64]uint64{}
	for _, n := range p.books {
		b, err := n.StateVector()
		if err != nil {
			t.Fatal(err)
		}
		sv, err := wire.ParseStateVector(b, wire.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		for client, clock := range sv {
			clients[client] = max(clients[client], clock)
		}
	}
	found := 0
	// Every existing unit, and one more of each client.
	for client, clocks := range clients {
		for clock := range min(clocks, 500) + 1 {
			for _, assoc := range []int{-2, -1, 0, 1} {
				if p.check(t, unitPosition(client, clock, assoc)) {
					found++
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d units are places", found)
	}
	r := rand.New(rand.NewPCG(7, 8))
	const mutants = 5_000
	found = 0
	for range mutants {
		raw := fuzzkit.Mutate(r, seeds[r.IntN(len(seeds))], seeds[r.IntN(len(seeds))], fuzzkit.JSON)
		fuzzkit.Watch(t, raw, func(tb testing.TB) {
			if p.check(tb, raw) {
				found++
			}
		})
	}
	t.Logf("%d of %d mutants stand somewhere", found, mutants)
	if found < mutants/200 {
		t.Errorf("%d of %d mutants stand somewhere: the mutations test little", found, mutants)
	}
}
