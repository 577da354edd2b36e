package crdt

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// sheet is a replica with a text, a list and a map to write to.
type sheet struct {
	*Replica
	text, list, meta *Type
	steps            []*Step
}

func newSheet(o Options) *sheet {
	s := &sheet{Replica: New(o)}
	s.text, s.list, s.meta = s.Root("text", KindText), s.Root("list", KindArray), s.Root("meta", KindMap)
	return s
}

// sheets makes n replicas with the ids 1, 2, …
func sheets(n int) (all []*sheet) {
	for i := range n {
		all = append(all, newSheet(Options{ClientID: uint64(i + 1)}))
	}
	return all
}

// edit runs f as one transaction.
func (s *sheet) edit(tb testing.TB, f func(x *Tx)) {
	tb.Helper()
	if err := s.Do("edit", func() error { s.Transact(f); return s.Measure() }); err != nil {
		tb.Fatalf("edit: %v", err)
	}
}

// put inserts into the text.
func (s *sheet) put(tb testing.TB, pos int, chars string) {
	tb.Helper()
	s.edit(tb, func(x *Tx) { x.InsertText(s.text, pos, chars) })
}

func (s *sheet) take(tb testing.TB, update []byte) {
	tb.Helper()
	if err := s.Apply(update); err != nil {
		tb.Fatalf("apply: %v", err)
	}
}

// whole returns the encoded state, which must be valid.
func (s *sheet) whole(tb testing.TB) []byte {
	tb.Helper()
	u, err := s.Diff(nil)
	if err != nil {
		tb.Fatalf("diff: %v", err)
	}
	if err := wire.CheckUpdate(u, wire.DefaultLimits); err != nil {
		tb.Fatalf("our own update: %v", err)
	}
	return u
}

func (s *sheet) vector(tb testing.TB) []byte {
	tb.Helper()
	sv, err := s.StateVector()
	if err != nil {
		tb.Fatalf("state vector: %v", err)
	}
	return sv
}

// content returns the content of the sheet as JSON.
func (s *sheet) content(tb testing.TB) string {
	tb.Helper()
	var b []byte
	err := s.Do("read", func() (err error) {
		b, err = json.Marshal([]any{s.text.Value(), s.list.Value(), s.meta.Value()})
		return err
	})
	if err != nil {
		tb.Fatalf("read: %v", err)
	}
	return string(b)
}

// letters are the parts of random texts.
var letters = []string{"a", "é", "😀", "日本", "\n", "word "}

// change makes one random transaction, or undoes one of the sheet's own.
func (s *sheet) change(tb testing.TB, r *rand.Rand) {
	tb.Helper()
	err := s.Do("change", func() error {
		if len(s.steps) > 0 && r.IntN(8) == 0 {
			last := s.steps[len(s.steps)-1]
			s.steps = s.steps[:len(s.steps)-1]
			s.Release(s.Revert((*Revert).Run, last))
			return s.Measure()
		}
		step := s.Record(func(x *Tx) {
			for range 1 + r.IntN(3) {
				s.write(x, r)
			}
		})
		if s.steps = append(s.steps, step); len(s.steps) > 3 {
			s.Release(s.steps[0])
			s.steps = s.steps[1:]
		}
		return s.Measure()
	})
	if err != nil {
		tb.Fatalf("change: %v", err)
	}
}

func (s *sheet) write(x *Tx, r *rand.Rand) {
	switch r.IntN(8) {
	case 0, 1, 2:
		writeText(x, s.text, r)
	case 3:
		x.Set(s.meta, fmt.Sprint("k", r.IntN(4)), r.IntN(100))
	case 4:
		if k := s.meta.Keys(); len(k) > 0 {
			x.Unset(s.meta, k[r.IntN(len(k))])
		}
	case 5:
		m := x.InsertType(s.list, r.IntN(s.list.Len()+1), KindMap)
		x.Set(m, "v", []any{r.IntN(9), "x"})
		x.InsertText(x.SetType(m, "text", KindText), 0, letters[r.IntN(len(letters))])
	default:
		s.writeList(x, r)
	}
}

// writeList edits, moves or removes an element of the list.
func (s *sheet) writeList(x *Tx, r *rand.Rand) {
	if s.list.Len() == 0 {
		return
	}
	var all []*Type
	for t := range s.list.Entries() {
		all = append(all, t)
	}
	at := r.IntN(len(all))
	switch t := all[at]; r.IntN(4) {
	case 0:
		x.Remove(s.list, at, 1)
	case 1:
		x.Remove(s.list, at, 1)
		made := x.InsertType(s.list, r.IntN(s.list.Len()+1), KindMap)
		x.Becomes(t, made)
		x.Fill(made, t)
		x.Replaced(t, made, "moved")
	default:
		if text := t.Child("text", KindText); text != nil {
			writeText(x, text, r)
		}
	}
}

// writeText inserts or removes characters.
func writeText(x *Tx, t *Type, r *rand.Rand) {
	chars := []rune(t.Characters())
	at := r.IntN(len(chars) + 1)
	pos := unitsOf(string(chars[:at]))
	if n := min(r.IntN(4), len(chars)-at); n > 0 {
		x.RemoveText(t, pos, unitsOf(string(chars[at:at+n])))
	}
	if r.IntN(3) > 0 {
		x.InsertText(t, pos, letters[r.IntN(len(letters))])
	}
}

// deliver applies to a sheet what another has not sent it yet.
func deliver(tb testing.TB, from, to *sheet) {
	tb.Helper()
	u, err := from.Diff(to.vector(tb))
	if err != nil {
		tb.Fatal(err)
	}
	to.take(tb, u)
}
