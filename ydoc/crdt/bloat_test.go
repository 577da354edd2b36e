package crdt

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// TestBloatTellsContentFromLeftovers edits until a document is mostly leftovers.
func TestBloatTellsContentFromLeftovers(t *testing.T) {
	s := newSheet(Options{ClientID: 1})
	if b := s.Bloat(); b != (Bloat{}) {
		t.Errorf("empty: %+v", b)
	}
	var m, text *Type
	s.edit(t, func(x *Tx) {
		m = x.InsertType(s.list, 0, KindMap)
		text = x.SetType(m, "text", KindText)
		for i := range 1_000 {
			x.InsertText(text, text.Len(), fmt.Sprintf("a_%04d = x\n", i))
		}
	})
	fresh := s.Bloat()
	test.Eq(t, fresh.Live, fresh.Structs, test.Sprint("fresh"))
	test.Eq(t, 0, fresh.Deleted, test.Sprint("fresh"))
	test.GreaterEq(t, 11_000, fresh.Bytes, test.Sprint("fresh"))
	test.LessEq(t, 12_000, fresh.Bytes, test.Sprint("fresh"))
	// Every other line is typed again: each leaves a stretch of deleted characters between two of content.
	s.edit(t, func(x *Tx) {
		for i := range 500 {
			x.InsertText(text, 22*i+10, "y")
			x.RemoveText(text, 22*i+9, 1)
		}
	})
	edited := s.Bloat()
	test.GreaterEq(t, fresh.Live+900, edited.Live, test.Sprint("edited"))
	test.GreaterEq(t, edited.Live+450, edited.Structs, test.Sprint("edited"))
	test.GreaterEq(t, 500, edited.Deleted, test.Sprint("edited"))
	// After its parent is deleted, almost nothing of it is left over, as in Yjs.
	s.edit(t, func(x *Tx) { x.Remove(s.list, 0, 1) })
	gone := newSheet(Options{})
	gone.take(t, s.whole(t))
	b := gone.Bloat()
	test.LessEq(t, 20, b.Structs, test.Sprint("deleted"))
	test.GreaterEq(t, 7_000, b.Deleted, test.Sprint("deleted"))
}

// TestEncodedIsTheSizeOfTheState checks the size in random programs.
func TestEncodedIsTheSizeOfTheState(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 6))
		all := sheets(2)
		for range 40 {
			i := r.IntN(2)
			all[i].change(t, r)
			if r.IntN(2) == 0 {
				deliver(t, all[i], all[1-i])
			}
		}
		for _, s := range all {
			size, b := len(s.whole(t)), s.Bloat()
			must.GreaterEq(t, size, b.Encoded, must.Sprint(seed))
			must.LessEq(t, size+size/4+6*b.Structs, b.Encoded, must.Sprint(seed))
			must.LessEq(t, b.Structs, b.Live, must.Sprint(seed))
			must.LessEq(t, b.Encoded+structBytes*b.Live, b.Bytes, must.Sprint(seed))
		}
	}
}

func TestOutgrew(t *testing.T) {
	joined := Bloat{Structs: 30_000, Live: 10_000, Bytes: 1 << 20, Encoded: 2 << 20, Deleted: 500_000}
	for name, c := range map[string]struct {
		now  Bloat
		want bool
	}{
		"as it was":        {joined, false},
		"content added":    {Bloat{Structs: 500_000, Live: 480_000, Bytes: 90 << 20, Encoded: 91 << 20, Deleted: 500_000}, false},
		"some leftovers":   {Bloat{Structs: 100_000, Live: 10_000, Bytes: 1 << 20, Encoded: 3 << 20, Deleted: 900_000}, false},
		"many leftovers":   {Bloat{Structs: 120_000, Live: 10_000, Bytes: 1 << 20, Encoded: 3 << 20, Deleted: 900_000}, true},
		"bytes left over":  {Bloat{Structs: 30_000, Live: 10_000, Bytes: 1 << 20, Encoded: 22 << 20, Deleted: 500_000}, true},
		"content shrunken": {Bloat{Structs: 30_000, Live: 10, Bytes: 100, Encoded: 2 << 20, Deleted: 600_000}, false},
	} {
		if got := c.now.Outgrew(joined); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
