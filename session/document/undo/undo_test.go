package undo

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// book is a notebook with its history, as a document.
type book struct {
	t  *testing.T
	nb *ydoc.Notebook
	h  *History

	mu     sync.Mutex // guards asked
	asked  []string   // the cells that may be touched
	refuse error
}

func newBook(t *testing.T, k *Keeper, sources ...string) *book {
	t.Helper()
	b := &book{t: t, nb: ydoc.NewNotebook()}
	if err := b.nb.Edit("begin", func(e *ydoc.Editor) error {
		for i, s := range sources {
			if _, err := e.Insert(i, ydoc.NewCell{ID: fmt.Sprintf("c%d", i), Type: ydoc.Code, Source: s}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	b.h = k.Begin(b.nb, Opened)
	return b
}

func (b *book) History() *History { return b.h }

func (b *book) Revise(_ context.Context, _ string, edit func(*History, func([]string) error) error) error {
	return edit(b.h, func(cells []string) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.asked = cells
		return b.refuse
	})
}

// Settle makes the room pass the edit on, with the updates before it.
func (b *book) Settle(_ context.Context, _ *History, made *ydoc.Step) error {
	return b.nb.Settle(made, func(uint64) bool { return true }, true)
}

// does makes an edit as a client, in a call.
func (b *book) does(client string, call uint64, fn func(e *ydoc.Editor) error) {
	b.t.Helper()
	s, err := b.nb.Record("test", fn)
	if err != nil {
		b.t.Fatal(err)
	}
	b.h.Add(origin.Author{Client: client, Call: call, Tool: "modify_nb_cells", Reason: fmt.Sprint("call ", call)}, s)
}

func (b *book) sets(client string, call uint64, id, source string) {
	b.t.Helper()
	b.does(client, call, func(e *ydoc.Editor) error { return e.SetSource(id, source) })
}

func (b *book) has(want ...string) {
	b.t.Helper()
	var got []string
	for _, c := range b.nb.Cells() {
		got = append(got, c.Source)
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("%q, want %q", got, want)
	}
}

func (b *book) undo(client string, n int) Outcome {
	b.t.Helper()
	o, err := Of(b, origin.Author{Client: client}).Undo(b.t.Context(), n)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

func (b *book) redo(client string, n int) Outcome {
	b.t.Helper()
	o, err := Of(b, origin.Author{Client: client}).Redo(b.t.Context(), n)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

func ids(steps []Step) (out []string) {
	for _, s := range steps {
		id := s.ID
		if s.Undone {
			id += " undone"
		}
		out = append(out, id)
	}
	return out
}

// Each client undoes its own steps; the edits of one call are one step.
func TestEachClientItsOwn(t *testing.T) {
	b := newBook(t, &Keeper{}, "one two", "x")
	b.sets("a", 1, "c0", "1 two")
	b.sets("b", 2, "c0", "1 2")
	b.sets("a", 3, "c1", "y")
	b.does("a", 3, func(e *ydoc.Editor) error { _, err := e.Insert(2, ydoc.NewCell{ID: "n", Type: ydoc.Code}); return err })
	list := Of(b, origin.Author{Client: "a"}).List(b.t.Context())
	got := ids(list)
	test.SliceEqOp(t, []string{"s3", "s1"}, got)
	test.SliceEqOp(t, []string{"c1", "n"}, list[0].Cells)
	test.Eq(t, "call 3", list[0].Reason)
	b.h.Ran(origin.Author{Client: "a", Call: 3}, []string{"n", "c0"})
	o := b.undo("a", 5)
	b.has("one 2", "x")
	test.SliceEqOp(t, []string{"s3", "s1"}, ids(o.Steps))
	test.SliceEqOp(t, []string{"n", "c0"}, o.Ran())
	if _, err := Of(b, origin.Author{Client: "a"}).Undo(t.Context(), 1); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	// An edit of the other client keeps the steps to redo.
	b.sets("b", 4, "c1", "b's x")
	b.redo("a", 1)
	b.has("1 2", "b's x")
	b.redo("a", 1)
	b.has("1 2", "b's y", "")
	b.undo("a", 1)
	if got := ids(Of(b, origin.Author{Client: "a"}).List(b.t.Context())); !slices.Equal(got, []string{"s1", "s3 undone"}) {
		t.Errorf("%v", got)
	}
	// An edit of the same client does not.
	b.sets("a", 5, "c1", "z")
	if _, err := Of(b, origin.Author{Client: "a"}).Redo(t.Context(), 1); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	b.h.Forget("a")
	if got := Of(b, origin.Author{Client: "a"}).List(b.t.Context()); got != nil {
		t.Errorf("a client that has left has %+v", got)
	}
	if got := ids(Of(b, origin.Author{Client: "b"}).List(b.t.Context())); !slices.Equal(got, []string{"s4", "s2"}) {
		t.Errorf("%v", got)
	}
}

// A single step between others can be undone and redone; an unknown id is refused with a list of the known ones.
func TestAStepAlone(t *testing.T) {
	b := newBook(t, &Keeper{}, "one two three")
	b.sets("a", 1, "c0", "1 two three")
	b.sets("a", 2, "c0", "1 2 three")
	b.sets("a", 3, "c0", "1 2 3")
	if _, err := Of(b, origin.Author{Client: "a"}).UndoStep(t.Context(), "s2"); err != nil {
		t.Fatal(err)
	}
	b.has("1 two 3")
	var unknown *UnknownError
	_, err := Of(b, origin.Author{Client: "a"}).UndoStep(t.Context(), "s2")
	must.True(t, errors.As(err, &unknown))
	test.StrContains(t, err.Error(), "s3, s1")
	// After undo and redo of a step, those before it can still be undone (microsoft/vscode#244495).
	b.redo("a", 1)
	b.has("1 2 3")
	b.undo("a", 3)
	b.has("one two three")
}

// If the cells of steps may not be touched, nothing is undone, and the steps stay.
func TestRefused(t *testing.T) {
	b := newBook(t, &Keeper{}, "one", "two")
	b.sets("a", 1, "c0", "1")
	b.sets("a", 2, "c1", "2")
	b.refuse = errors.New("somebody types")
	_, err := Of(b, origin.Author{Client: "a"}).Undo(t.Context(), 2)
	test.ErrorIs(t, err, b.refuse)
	test.False(t, !slices.Equal(b.asked, []string{"c1", "c0"}) && !slices.Equal(b.asked, []string{"c0", "c1"}))
	b.has("1", "2")
	b.refuse = nil
	b.undo("a", 2)
	b.has("one", "two")
	b.refuse = errors.New("somebody types")
	_, err = Of(b, origin.Author{Client: "a"}).Redo(t.Context(), 1)
	test.ErrorIs(t, err, b.refuse)
	test.SliceEqOp(t, []string{"c0"}, b.asked)
	if got := ids(Of(b, origin.Author{Client: "a"}).List(b.t.Context())); !slices.Equal(got, []string{"s1 undone", "s2 undone"}) {
		t.Errorf("%v", got)
	}
}

// 200 steps are undone, redone, and undone again.
func TestManySteps(t *testing.T) {
	b := newBook(t, &Keeper{}, "0")
	for i := range 200 {
		b.sets("a", uint64(i+1), "c0", fmt.Sprint(i+1))
	}
	for range 2 {
		b.undo("a", 200)
		b.has("0")
		b.redo("a", 200)
		b.has("200")
	}
	b.undo("a", 1000)
	b.has("0")
}

// The oldest steps are dropped if a client has too many, too much was deleted, or the documents together keep too much. The
// newest stays.
func TestBounds(t *testing.T) {
	k := &Keeper{}
	b := newBook(t, k, "0")
	for i := range maxSteps + 10 {
		b.sets("a", uint64(i+1), "c0", fmt.Sprint(i+1))
	}
	if n := len(Of(b, origin.Author{Client: "a"}).List(b.t.Context())); n != maxSteps {
		t.Errorf("%d steps, want %d", n, maxSteps)
	}
	large := strings.Repeat("x", 3<<20)
	b.sets("a", 1000, "c0", large)
	for i := range 8 {
		b.does("a", uint64(1001+i), func(e *ydoc.Editor) error {
			_ = e.SetSource("c0", "")
			return e.SetSource("c0", strings.Repeat(string(rune('a'+i)), 3<<20))
		})
	}
	n := len(Of(b, origin.Author{Client: "a"}).List(b.t.Context()))
	test.LessEq(t, maxDocument, b.h.bytes)
	test.LessEq(t, 7, n)
	test.GreaterEq(t, 4, n)
	b.undo("a", 1)
	others := []*book{newBook(t, k, large, large, large, large), newBook(t, k, large, large, large, large)}
	for _, o := range others {
		for i := range 4 {
			o.sets("a", uint64(i+2000), fmt.Sprint("c", i), "")
		}
	}
	test.LessEq(t, maxAll, k.bytes)
	must.SliceLen(t, 4, Of(others[1], origin.Author{Client: "a"}).List(b.t.Context()))
	test.Eq(t, 0, b.h.bytes)
	others[1].undo("a", 4)
	others[1].has(large, large, large, large)
	for _, x := range append(others, b) {
		x.h.End()
		x.sets("a", 3000, "c0", "after its end") // is not recorded
	}
	test.Eq(t, 0, k.bytes)
	test.Eq(t, 0, k.steps.Len())
}

// TestMemory: 100 notebooks with 200 steps each take at most 30 MB more than without.
func TestMemory(t *testing.T) {
	const books, steps = 100, 200
	fill := func(k *Keeper) (all []*book, heap uint64) {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range books {
			b := newBook(t, &Keeper{}, strings.Repeat("a line of code\n", 10), strings.Repeat("another one = 2\n", 10))
			if k != nil {
				b.h = k.Begin(b.nb, Opened)
			}
			for i := range steps {
				fn := func(e *ydoc.Editor) error {
					// A line is changed, one is deleted, and another is added.
					c, _ := e.CellAt(i % 2)
					lines := strings.SplitAfter(c.Source, "\n")
					at := i % (len(lines) - 3)
					lines[at] = fmt.Sprintf("result_%d = compute(data, %d)\n", i, i*i)
					lines = slices.Insert(slices.Delete(lines, at+1, at+2), at/2, fmt.Sprintf("print(result_%d)\n", i))
					return e.SetSource(c.ID, strings.Join(lines, ""))
				}
				if k == nil {
					if err := b.nb.Edit("test", fn); err != nil {
						t.Fatal(err)
					}
				} else {
					b.does("a", uint64(i+1), fn)
				}
			}
			all = append(all, b)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		return all, after.HeapAlloc - before.HeapAlloc
	}
	plain, without := fill(nil)
	k := &Keeper{}
	kept, with := fill(k)
	more := float64(int64(with-without)) / 1e6
	t.Logf("%.1f MB more for %d steps that are kept (%d bytes as counted)", more, k.steps.Len(), k.bytes)
	if more > 30 {
		t.Errorf("%.1f MB more, at most 30 are allowed", more)
	}
	runtime.KeepAlive(plain)
	runtime.KeepAlive(kept)
}

// Clients edit, undo and redo concurrently, while others leave.
func TestAtOnce(t *testing.T) {
	k := &Keeper{}
	b := newBook(t, k, "")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			name := fmt.Sprint("client ", g%4)
			for i := range 30 {
				switch (i + g) % 5 {
				case 0, 1:
					b.sets(name, uint64(1000*g+i+1), "c0", fmt.Sprint(g, i))
				case 2:
					_, _ = Of(b, origin.Author{Client: name}).Undo(t.Context(), 2)
				case 3:
					_, _ = Of(b, origin.Author{Client: name}).Redo(t.Context(), 1)
				default:
					_ = Of(b, origin.Author{Client: name}).List(b.t.Context())
					b.h.Ran(origin.Author{Client: name}, []string{"c0"})
					if i%10 == 0 {
						b.h.Forget(name)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := b.nb.Err(); err != nil {
		t.Error(err)
	}
	b.h.End()
	test.Eq(t, 0, k.bytes)
	test.Eq(t, 0, b.h.bytes)
}
