package crdt

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/shoenig/test/must"
)

// TestReplicasConverge makes replicas change at random, undo and exchange updates: all must read the same in the end,
// like a fresh replica of the same state, and the caches of their lists must be right all the time.
func TestReplicasConverge(t *testing.T) {
	// Small enough for the short lists here to have marks and for their texts to be spliced.
	defer func(m, s int) { MarkEvery, SpliceRuns = m, s }(MarkEvery, SpliceRuns)
	MarkEvery, SpliceRuns = 2, 1
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 11))
		all := sheets(2 + int(seed%2))
		for range 60 {
			i := r.IntN(len(all))
			if r.IntN(3) == 0 {
				deliver(t, all[i], all[(i+1+r.IntN(len(all)-1))%len(all)])
			} else {
				all[i].change(t, r)
			}
			all[i].check(t)
		}
		for range 2 {
			for _, from := range all {
				for _, to := range all {
					if from != to {
						deliver(t, from, to)
					}
				}
			}
		}
		fresh := newSheet(Options{})
		fresh.take(t, all[0].whole(t))
		for _, s := range append(all[1:], fresh) {
			s.check(t)
			if got, want := s.content(t), all[0].content(t); got != want {
				t.Fatalf("seed %d:\n%s\n%s", seed, got, want)
			}
			if !bytes.Equal(s.vector(t), all[0].vector(t)) {
				t.Fatalf("seed %d: state vectors differ", seed)
			}
		}
	}
}

// check verifies the caches of the lists.
func (s *sheet) check(t *testing.T) {
	t.Helper()
	s.Read("check", func() {
		checkList(t, s.list)
		checkList(t, s.text)
		for m := range s.list.Entries() {
			if text := m.Child("text", KindText); text != nil {
				checkList(t, text)
			}
		}
	})
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

// checkList verifies the cached positions, the length and the characters of a list.
func checkList(t *testing.T, list *Type) {
	t.Helper()
	at := 0
	pos := map[any]int{}
	for item := list.Start; item != nil; item = item.Right {
		pos[item] = at
		if visible(item) {
			at += item.Length
		}
	}
	if at != list.Len() {
		t.Fatalf("a list of length %d says %d", at, list.Len())
	}
	for _, m := range list.marks.list {
		got, ok := pos[m.item]
		must.True(t, ok)
		must.Eq(t, m.pos, got)
	}
	if list.Kind() != KindText {
		return
	}
	was := list.Characters()
	list.known = false
	s := list.Characters()
	must.Eq(t, was, s)
	must.Eq(t, at, unitsOf(s))
}
