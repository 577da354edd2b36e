package target

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
)

// cellsWith makes code cells with these ids, whose sources name them.
func cellsWith(ids ...string) []ydoc.Cell {
	out := make([]ydoc.Cell, len(ids))
	for i, id := range ids {
		out[i] = ydoc.Cell{ID: id, Type: ydoc.Code, Source: "in " + id}
	}
	return out
}

// after returns the view of a client that was shown some cells, once the notebook has others.
func after(shown, now []ydoc.Cell) View {
	v := View{Listed: slices.Clone(shown), Now: now}
	for i, c := range shown {
		if !slices.ContainsFunc(now, func(n ydoc.Cell) bool { return n.ID == c.ID }) {
			v.Listed[i] = ydoc.Cell{ID: c.ID}
		}
	}
	return v
}

// An id, or the beginning of one, means one cell, or is refused.
func TestFind(t *testing.T) {
	many := cellsWith("cell-1", "cell-10", "cell-11", "cell-12", "cell-13", "cell-14", "cell-2", "Über-a", "Übel-b")
	for name, c := range map[string]struct {
		view View
		id   string
		want string   // id of the cell, "" for a refusal
		says []string // of a refusal
	}{
		"the id":                              {after(many, many), "cell-2", "cell-2", nil},
		"the id, with which others begin":     {after(many, many), "cell-1", "cell-1", nil},
		"the beginning of one":                {after(many, many), "Übe", "", []string{`"Über"`, `"Übel"`, "give more of the id"}},
		"in another case":                     {after(many, many), "CELL-2", "", []string{"no cell with the id"}},
		"one character":                       {after(many, cellsWith("a1", "b1")), "b", "b1", nil},
		"not the beginning":                   {after(many, cellsWith("a1", "b1")), "1", "", []string{"no cell with the id"}},
		"more than the id":                    {after(many, many), "cell-22", "", []string{"no cell with the id", "9 cells"}},
		"nothing":                             {after(many, many), "", "", []string{"no cell with the id"}},
		"several":                             {after(many, many), "cell-1x", "", []string{"no cell with the id"}},
		"many":                                {after(many, many), "cell", "", []string{"0 is", "4 is", `"in cell-13"`, "and 2 more", "nothing was changed"}},
		"of one that is gone":                 {after(many, many[1:]), "cell-1", "", []string{`"cell-1" was deleted by someone else`, `"cell-10"`, "nothing was changed"}},
		"of one that is gone, and another's":  {after(many, many[:6]), "ce", "", []string{"0 is", "and 2 more"}},
		"one that is there, one that is gone": {after(cellsWith("abcd", "abce"), cellsWith("abcd")), "abc", "", []string{`0 is "abcd"`, `"abce" was deleted`, "nothing was changed"}},
		"the id of one, another is gone":      {after(cellsWith("abc", "abcd"), cellsWith("abc")), "abc", "abc", nil},
		"only of one that is gone":            {after(cellsWith("abcd", "x"), cellsWith("x")), "abc", "", []string{`"abcd" was deleted by someone else`}},
		"left before":                         {View{Listed: many[1:2], Now: many[1:2], left: []string{"cell-1"}}, "cell-1", "", []string{`"cell-1" was deleted:`}},
		"left before, and back":               {View{Listed: many[:2], Now: many[:2], left: []string{"cell-1"}}, "cell-1", "cell-1", nil},
		"known, where indexes are of now":     {View{Listed: many[1:2], Now: many[1:2], known: []string{"cell-1"}}, "cell-", "", []string{`0 is "cell-10"`, `"cell-1" was deleted`}},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := c.view.Find(c.id, "cell_id")
			if c.says == nil {
				must.NoError(t, err)
				test.Eq(t, c.want, c.view.Now[at].ID)
				return
			}
			if err == nil {
				t.Fatalf("it is %q", c.view.Now[at].ID)
			}
			for _, want := range append(c.says, "cell_id: ") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			var unknown *UnknownCellError
			if errors.As(err, &unknown) != strings.Contains(err.Error(), "no cell with the id") {
				t.Errorf("%q is %T", err, err)
			}
		})
	}
}

// A short id has as many characters as distinguish it from the others, and at least four.
func TestShortIDs(t *testing.T) {
	for name, c := range map[string]struct {
		view View
		want []string // of each cell of now
	}{
		"far apart":            {View{Now: cellsWith("abcdefgh", "bcdefghi")}, []string{"abcd", "bcde"}},
		"alike":                {View{Now: cellsWith("abcdeX12", "abcdeY12")}, []string{"abcdeX", "abcdeY"}},
		"one begins another":   {View{Now: cellsWith("cell-1", "cell-10", "cell-2")}, []string{"cell-1", "cell-10", "cell-2"}},
		"short ones":           {View{Now: cellsWith("a", "bcd", "efgh")}, []string{"a", "bcd", "efgh"}},
		"one that is gone":     {after(cellsWith("abcdeX12", "abcdeY12"), cellsWith("abcdeX12")), []string{"abcdeX"}},
		"one that was left":    {View{Now: cellsWith("abcdeX12"), left: []string{"abcdeY12"}}, []string{"abcdeX"}},
		"one that began it":    {after(cellsWith("cell-1", "cell-10"), cellsWith("cell-10")), []string{"cell-10"}},
		"characters":           {View{Now: cellsWith("日本語日本語", "日本語日日語")}, []string{"日本語日本", "日本語日日"}},
		"bytes of a character": {View{Now: cellsWith("aaaaé", "aaaaè")}, []string{"aaaaé", "aaaaè"}},
		"twins":                {View{Now: cellsWith("abcdefgh", "same-one", "same-one~1x2y")}, []string{"abcd", "same-one", "same-one~"}},
		"without an id":        {View{Now: cellsWith("abcdefgh", "~1x2y")}, []string{"abcd", "~1x2"}},
	} {
		t.Run(name, func(t *testing.T) {
			short := c.view.ShortIDs()
			var got []string
			for _, cell := range c.view.Now {
				got = append(got, short(cell.ID))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("short ids are %q, want %q", got, c.want)
			}
			if got := short("of another notebook"); got != "of another notebook" {
				t.Errorf("an unknown id became %q", got)
			}
		})
	}
}

// Every short id means its own cell; and after any deletions and insertions, it never means another one.
func TestShortIDsStayTrue(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		some := func(n int) (ids []string) {
			for range n {
				id := make([]byte, 1+rnd.IntN(9))
				for i := range id {
					id[i] = "ab-é"[rnd.IntN(4)] // 'é' is two bytes, this is the first
				}
				if s := strings.ToValidUTF8(string(id), "é"); !slices.Contains(ids, s) {
					ids = append(ids, s)
				}
			}
			return ids
		}
		shown := cellsWith(some(1 + rnd.IntN(30))...)
		first := View{Listed: shown, Now: shown}
		short := first.ShortIDs()
		for _, c := range shown {
			at, err := first.Find(short(c.ID), "")
			must.NoError(t, err, must.Sprint(seed))
			must.Eq(t, c.ID, shown[at].ID, must.Sprint(seed))
		}
		now := slices.DeleteFunc(slices.Clone(shown), func(ydoc.Cell) bool { return rnd.IntN(2) == 0 })
		for _, c := range cellsWith(some(10)...) {
			begins := func(s ydoc.Cell) bool { return short(s.ID) == c.ID || s.ID == c.ID }
			if !slices.ContainsFunc(shown, begins) { // the exact id always wins
				now = append(now, c)
			}
		}
		later := after(shown, now)
		for _, c := range shown {
			if at, err := later.Find(short(c.ID), ""); err == nil && now[at].ID != c.ID {
				t.Fatalf("seed %d: %q, shown for %q, became %q", seed, short(c.ID), c.ID, now[at].ID)
			}
		}
	}
}

// BenchmarkShortIDs compares making the short ids of a large notebook with sorting its ids.
func BenchmarkShortIDs(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 1))
			var ids []string
			for range n {
				ids = append(ids, fmt.Sprintf("%016x-%016x", rnd.Uint64(), rnd.Uint64()))
			}
			cells := cellsWith(ids...)
			v := View{Listed: cells, Now: cells}
			b.ReportAllocs()
			for b.Loop() {
				v.ShortIDs()
			}
		})
	}
}
