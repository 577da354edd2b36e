package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// pages is a journal in memory.
type pages struct {
	all   []Recorded
	owner map[string]string
	err   error
}

func (p *pages) Add(_ Place, a origin.Author, s Step, edits []ydoc.CellEdit) {
	p.all = slices.DeleteFunc(p.all, func(r Recorded) bool { return r.Undone && p.owner[r.ID] == a.Owner })
	at := slices.IndexFunc(p.all, func(r Recorded) bool { return r.ID == s.ID })
	if at < 0 {
		at = len(p.all)
		p.all = append(p.all, Recorded{Step: s})
		p.owner[s.ID] = a.Owner
	}
	p.all[at].Edits = append(p.all[at].Edits, edits)
}

func (p *pages) Mark(step string, undone bool) {
	at := slices.IndexFunc(p.all, func(r Recorded) bool { return r.ID == step })
	r := p.all[at]
	r.Undone = undone
	p.all = append(slices.Delete(p.all, at, at+1), r)
}

func (p *pages) Steps(_ context.Context, _ Place, owner string) ([]Recorded, error) {
	return slices.DeleteFunc(slices.Clone(p.all), func(r Recorded) bool { return p.owner[r.ID] != owner }), p.err
}

func (p *pages) Prefix() string { return fmt.Sprint("s", len(p.all), "-") }

// kept is a notebook whose steps a journal keeps.
type kept struct {
	*book
	pages *pages
	calls uint64
}

func newKept(t *testing.T, sources ...string) *kept {
	t.Helper()
	k := &kept{pages: &pages{owner: map[string]string{}}}
	k.book = newBook(t, &Keeper{Journal: k.pages}, sources...)
	k.h.Keep(func() Place { return Place{} })
	return k
}

var author = origin.Author{Client: "a", Owner: "me"}

// restart gives the notebook a new replica and a new history, as a restart of the program does.
func (k *kept) restart() {
	k.t.Helper()
	vector, err := ydoc.NewNotebook().StateVector()
	must.NoError(k.t, err)
	state, err := k.nb.Diff(vector)
	must.NoError(k.t, err)
	k.h.End()
	k.nb = ydoc.NewNotebook()
	must.NoError(k.t, k.nb.ApplyState(state))
	k.h = (&Keeper{Journal: k.pages}).Begin(k.nb, Opened)
	k.h.Keep(func() Place { return Place{} })
}

// edits makes an edit of a call.
func (k *kept) edits(fn func(e *ydoc.Editor) error) {
	k.t.Helper()
	k.calls++
	a := author
	a.Call, a.Tool = k.calls, "modify_nb_cells"
	s, err := k.nb.Record("test", fn)
	must.NoError(k.t, err)
	if s != nil {
		k.h.Note(a, k.h.Add(a, s))
	}
}

// types makes a person give a cell another source.
func (k *kept) types(id, source string) {
	k.t.Helper()
	must.NoError(k.t, k.nb.Edit("type", func(e *ydoc.Editor) error { return e.SetSource(id, source) }))
}

func (k *kept) list() []string { return ids(Of(k, author).List(k.t.Context())) }

func (k *kept) back(n int) Outcome {
	k.t.Helper()
	o, err := Of(k, author).Undo(k.t.Context(), n)
	must.NoError(k.t, err)
	return o
}

func (k *kept) again(n int) Outcome {
	k.t.Helper()
	o, err := Of(k, author).Redo(k.t.Context(), n)
	must.NoError(k.t, err)
	return o
}

// Each kind of edit is undone after a restart, and redone after another.
func TestUndoAfterARestart(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(e *ydoc.Editor) error
		then []string
	}{
		"set": {func(e *ydoc.Editor) error { return e.SetSource("c1", "two 2") }, []string{"one", "two 2", "three"}},
		"insert": {func(e *ydoc.Editor) error {
			_, err := e.Insert(1, ydoc.NewCell{ID: "n", Type: ydoc.Code, Source: "new"})
			return err
		}, []string{"one", "new", "two", "three"}},
		"delete":  {func(e *ydoc.Editor) error { return e.Delete("c0", "c1") }, []string{"three"}},
		"deleted": {func(e *ydoc.Editor) error { return e.Delete("c2", "c1") }, []string{"one"}},
		"move":    {func(e *ydoc.Editor) error { return e.Move("c0", 2) }, []string{"two", "three", "one"}},
		"moves":   {func(e *ydoc.Editor) error { return cmp.Or(e.Move("c2", 0), e.Move("c1", 0)) }, []string{"two", "three", "one"}},
		"retype":  {func(e *ydoc.Editor) error { return e.SetType("c1", ydoc.Markdown) }, []string{"one", "two", "three"}},
		"join":    {func(e *ydoc.Editor) error { return e.Join("c0", "c1") }, []string{"one\n\ntwo", "three"}},
		"all":     {func(e *ydoc.Editor) error { return e.Delete("c0", "c1", "c2") }, []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKept(t, "one", "two", "three")
			before := k.nb.Cells()
			k.edits(c.do)
			k.has(c.then...)
			after := k.nb.Cells()
			same := func(want []ydoc.Cell) {
				t.Helper()
				got := k.nb.Cells()
				must.SliceLen(t, len(want), got)
				for i := range want {
					test.Eq(t, want[i].ID, got[i].ID)
					test.Eq(t, want[i].Type, got[i].Type)
					test.Eq(t, want[i].Source, got[i].Source)
				}
			}
			for range 2 {
				k.restart()
				must.SliceLen(t, 1, k.list())
				o := k.back(5)
				test.SliceLen(t, 1, o.Steps)
				same(before)
				k.restart()
				test.StrHasSuffix(t, " undone", k.list()[0])
				k.again(1)
				same(after)
			}
			// In one replica, too.
			k.back(1)
			same(before)
			k.again(1)
			same(after)
		})
	}
}

// Cells in which a person changed the same words stay, and are named.
func TestPersonsWordsStay(t *testing.T) {
	k := newKept(t, "one", "two", "three", "four", "five")
	must.NoError(t, k.nb.Edit("run", func(e *ydoc.Editor) error { return e.AppendStream("c2", "stdout", "three") }))
	k.edits(func(e *ydoc.Editor) error { return e.SetSource("c0", "one 1") })
	k.edits(func(e *ydoc.Editor) error { return e.SetSource("c1", "TWO") })
	k.edits(func(e *ydoc.Editor) error {
		_, err := e.Insert(5, ydoc.NewCell{ID: "n", Type: ydoc.Code, Source: "new\n"})
		return err
	})
	k.edits(func(e *ydoc.Editor) error { return e.Delete("c2") })
	k.edits(func(e *ydoc.Editor) error { return e.Join("c3", "c4") })
	k.restart()
	k.types("c0", "# mine\none 1")
	k.types("c1", "TWOO")
	k.types("n", "new\n# mine")
	k.types("c3", "four\n\nfive and mine")
	o := k.back(5)
	k.has("# mine\none", "TWOO", "three", "four and mine", "five", "# mine")
	slices.Sort(o.Kept)
	test.SliceEqOp(t, []string{"c1", "n"}, o.Kept)
	test.SliceEqOp(t, []string{"c2"}, o.Bare)
}

// A client sees its own steps alone; after a new edit the undone ones cannot be redone; a task ends with a pause of ten minutes.
func TestStepsOfTheJournal(t *testing.T) {
	k := newKept(t, "0")
	for i := range 4 {
		k.edits(func(e *ydoc.Editor) error { return e.SetSource("c0", fmt.Sprint(i+1)) })
	}
	for i := range k.pages.all[:2] {
		k.pages.all[i].At = time.Now().Add(-time.Hour)
	}
	k.restart()
	test.SliceLen(t, 4, k.list())
	test.Eq(t, 2, Of(k, author).Task(t.Context()))
	test.SliceEmpty(t, Of(k, origin.Author{Client: "b", Owner: "other"}).List(t.Context()))
	test.SliceEmpty(t, Of(k, origin.Author{Client: "c"}).List(t.Context()))
	test.True(t, Of(k, author).Journaled())
	test.False(t, Of(k, origin.Author{Client: "c"}).Journaled())
	k.back(2)
	k.has("2")
	k.restart()
	k.edits(func(e *ydoc.Editor) error { return e.SetSource("c0", "other") })
	_, err := Of(k, author).Redo(t.Context(), 1)
	test.ErrorIs(t, err, ErrNothing)
	test.SliceLen(t, 3, k.list())
	k.back(9)
	k.has("0")
	// A journal that cannot be read is asked again.
	k.restart()
	k.pages.err = errors.New("locked")
	test.SliceEmpty(t, k.list())
	test.False(t, Of(k, author).Journaled())
	k.pages.err = nil
	test.SliceLen(t, 3, k.list())
}

// The steps of the journal count as the oldest ones in memory.
func TestStepsOfTheJournalGoFirst(t *testing.T) {
	k := newKept(t, "")
	for i := range 8 {
		k.edits(func(e *ydoc.Editor) error { return e.SetSource("c0", strings.Repeat(string(rune('a'+i)), 4<<20)) })
	}
	k.restart()
	k.edits(func(e *ydoc.Editor) error { return e.SetSource("c0", "last") })
	list := k.list()
	test.Between(t, 2, len(list), 5)
	test.Eq(t, k.pages.all[8].ID, list[0])
	test.Eq(t, k.pages.all[7].ID, list[1])
}

// In 1,000 random programs with restarts, undo keeps every character of a person, and makes none twice. If people have typed
// nothing since, it restores the notebook.
func TestRandomUndoAfterRestarts(t *testing.T) {
	for seed := range 1000 {
		r := rand.New(rand.NewPCG(uint64(seed), 66))
		k := newKept(t, "first\nline", "second\nline", "third\nline")
		next := rune(0x4e00)
		person := func() {
			c, _ := k.nb.CellAt(r.IntN(k.nb.Len()))
			text := []rune(c.Source)
			k.types(c.ID, string(slices.Insert(text, r.IntN(len(text)+1), next)))
			next++
		}
		for range r.IntN(4) {
			person()
		}
		before := k.nb.Cells()
		typing := seed%2 == 0
		for range 1 + r.IntN(8) {
			k.edits(func(e *ydoc.Editor) error { return act(r, e) })
			if typing && r.IntN(2) == 0 {
				person()
			}
			if r.IntN(4) == 0 {
				k.restart()
			}
		}
		k.restart()
		had := standing(k.nb)
		for len(k.list()) > 0 && !strings.HasSuffix(k.list()[0], "undone") {
			k.back(1 + r.IntN(2))
			if r.IntN(3) == 0 {
				k.restart()
			}
		}
		has := standing(k.nb)
		for c := range had {
			must.Eq(t, 1, has[c], must.Sprintf("seed %d: %q", seed, c))
		}
		for c, n := range has {
			must.Eq(t, 1, n, must.Sprintf("seed %d: %q", seed, c))
		}
		if !typing {
			now := k.nb.Cells()
			must.SliceLen(t, len(before), now, must.Sprintf("seed %d", seed))
			for i := range now {
				must.Eq(t, before[i].Source, now[i].Source, must.Sprintf("seed %d, cell %d", seed, i))
				must.Eq(t, before[i].Type, now[i].Type, must.Sprintf("seed %d, cell %d", seed, i))
			}
		}
	}
}

// act makes a random edit that writes no person's character.
func act(r *rand.Rand, e *ydoc.Editor) error {
	c, _ := e.CellAt(r.IntN(e.Len()))
	text := []rune(c.Source)
	switch k := r.IntN(8); {
	case k == 0:
		_, err := e.Insert(r.IntN(e.Len()+1), ydoc.NewCell{Type: ydoc.Code, Source: "new\ncell"})
		return err
	case k == 1 && e.Len() > 2:
		return e.Delete(c.ID)
	case k == 2:
		return e.Move(c.ID, r.IntN(e.Len()))
	case k == 3:
		return e.SetType(c.ID, ydoc.Markdown)
	case k == 4 && strings.Count(c.Source, "\n") > 1:
		_, err := e.Split(c.ID, 1)
		return err
	}
	at := r.IntN(len(text) + 1)
	return e.SetSource(c.ID, string(text[:at])+"ABC"[:1+r.IntN(3)]+string(text[min(len(text), at+r.IntN(3)):]))
}

// standing counts people's characters.
func standing(nb *ydoc.Notebook) map[rune]int {
	count := map[rune]int{}
	for _, c := range nb.Cells() {
		for _, r := range c.Source {
			if r >= 0x4e00 {
				count[r]++
			}
		}
	}
	return count
}
