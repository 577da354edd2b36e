package ydoc

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// TestUndoIsExactAlone undoes and redoes random edits without other editors: each must restore the earlier content.
func TestUndoIsExactAlone(t *testing.T) {
	for seed := range uint64(60) {
		p := newProgram(t, seed, 2)
		n := NewNotebookWith(Options{ClientID: 5})
		recorded(t, 64, n)
		peer := NewNotebookWith(Options{ClientID: 6})
		forward(t, n.Doc, peer.Doc)
		p.peers = []*Notebook{n, peer}
		// The first cells are another client's.
		foreign := NewNotebookWith(Options{ClientID: 9})
		for range 3 {
			p.change(foreign)
		}
		for _, m := range p.peers {
			apply(t, m.Doc, diff(t, foreign.Doc, nil))
		}
		states := [][]Cell{content(n)}
		for len(states) < 12 {
			steps := len(historyOf(n.Doc).undo)
			if p.change(n); len(historyOf(n.Doc).undo) > steps {
				states = append(states, content(n))
			} else {
				states[len(states)-1] = content(n) // a run's output is not a step, it stays
			}
		}
		for range 3 {
			at := len(states) - 1
			down := 1 + p.IntN(at)
			for range down {
				at--
				if u := undo(t, n); len(u.Kept) > 0 {
					p.fatalf("kept %v", u.Kept)
				}
				if got := content(n); !sameRuns(got, states[at]) {
					p.fatalf("after undo to %d\n got %+v\nwant %+v", at, got, states[at])
				}
			}
			for range down {
				at++
				redo(t, n)
				if got := content(n); !sameRuns(got, states[at]) {
					p.fatalf("after redo to %d\n got %+v\nwant %+v", at, got, states[at])
				}
			}
			if at != len(states)-1 {
				p.fatalf("at %d", at)
			}
			p.check(n)
			sameCells(t, n, peer)
		}
	}
}

// sameRuns compares everything except the results of runs, which are not undone.
func sameRuns(a, b []Cell) bool {
	return slices.EqualFunc(a, b, func(x, y Cell) bool {
		return x.differs(&y, allFields&^(fieldOutputs|fieldCount|fieldState)) == 0 && x.Fault == y.Fault
	})
}

func TestUndoLeavesWhatOthersDid(t *testing.T) {
	a, b := pair(t)
	recorded(t, 64, a)
	forward(t, b.Doc, a.Doc)
	source := func(want string) {
		t.Helper()
		for _, n := range []*Notebook{a, b} {
			if c, _ := n.Cell("c"); c.Source != want {
				t.Errorf("%q, want %q", c.Source, want)
			}
		}
	}
	insert(t, b, 0, NewCell{ID: "c", Type: Code, Source: "one two three"}, NewCell{ID: "d", Type: Raw})
	edit(t, a, func(e *Editor) error { return e.SetSource("c", "one 2 three four") })
	edit(t, b, func(e *Editor) error { return e.SetSource("c", "zero one 2 three four five") })
	undo(t, a)
	source("zero one two three five")
	edit(t, b, func(e *Editor) error { return e.SetSource("c", "zero one two, three five") })
	redo(t, a)
	source("zero one 2, three four five")
	undo(t, a)
	source("zero one two, three five")

	// A value that another client has set since stays.
	edit(t, a, func(e *Editor) error { _ = e.SetCellMetadata("c", "k", 1); return e.SetCellMetadata("c", "l", 1) })
	edit(t, b, func(e *Editor) error { return e.SetCellMetadata("c", "k", 2) })
	undo(t, a)
	if c, _ := b.Cell("c"); !crdt.EqualObjects(c.Metadata, map[string]any{"k": 2}) {
		t.Errorf("metadata %v", c.Metadata)
	}

	// A deleted cell returns with all its content, between the same neighbours.
	was, _ := a.Cell("c")
	edit(t, a, func(e *Editor) error { return e.Delete("c") })
	edit(t, b, func(e *Editor) error { _, err := e.Insert(0, NewCell{ID: "x", Type: Raw}); return err })
	undo(t, a)
	now, _ := b.Cell("c")
	test.Eq(t, 0, was.differs(&now, allFields))
	test.SliceEqOp(t, []string{"c", "x", "d"}, b.IDs())
	// An earlier undo can still be redone in the restored cell, and undone.
	edit(t, a, func(e *Editor) error { return e.SetSource("c", now.Source+"!") })
	undo(t, a)
	source("zero one two, three five")

	// A new cell is removed, unless another client has written in it.
	for _, write := range []bool{false, true} {
		edit(t, a, func(e *Editor) error { _, err := e.Insert(0, NewCell{ID: "n", Type: Code, Source: "ours"}); return err })
		if write {
			edit(t, b, func(e *Editor) error { return e.SetSource("n", "ours theirs") })
		}
		u := undo(t, a)
		c, there := b.Cell("n")
		test.Eq(t, write, there)
		test.False(t, write && (c.Source != " theirs" || !slices.Equal(u.Kept, []string{"n"})))
	}
	sameCells(t, a, b)
}

func TestUndoOfAMoveKeepsWhatTheCellHasBecome(t *testing.T) {
	a, b := pair(t)
	recorded(t, 64, a)
	forward(t, b.Doc, a.Doc)
	insert(t, b, 0, NewCell{ID: "c", Type: Code, Source: "one"}, NewCell{ID: "d", Type: Raw}, NewCell{ID: "e", Type: Raw})
	edit(t, a, func(e *Editor) error { _ = e.SetSource("c", "one two"); return e.Move("c", 2) })
	edit(t, b, func(e *Editor) error { return e.SetSource("c", "ONE two three") })
	edit(t, b, func(e *Editor) error { _, err := e.Insert(1, NewCell{ID: "f", Type: Raw}); return err })
	check := func(source, typ string, ids ...string) {
		t.Helper()
		sameCells(t, a, b)
		c, ok := b.Cell("c")
		must.True(t, ok)
		test.Eq(t, source, c.Source)
		test.Eq(t, typ, c.Type)
		test.Eq(t, "", c.Fault)
		test.SliceEqOp(t, ids, b.IDs())
	}
	u := undo(t, a)
	check("ONE three", Code, "c", "d", "f", "e")
	if u.Kept != nil {
		t.Errorf("%+v", u)
	}
	redo(t, a)
	check("ONE two three", Code, "d", "f", "e", "c")

	edit(t, a, func(e *Editor) error { return e.SetType("c", Markdown) })
	edit(t, b, func(e *Editor) error { return e.SetSource("c", "ONE two three four") })
	undo(t, a)
	check("ONE two three four", Code, "d", "f", "e", "c")

	// If another client has replaced the cell in turn, its copy stays, and nothing is duplicated.
	edit(t, a, func(e *Editor) error { return e.Move("c", 0) })
	edit(t, b, func(e *Editor) error { return e.Move("c", 1) })
	undo(t, a)
	check("ONE two three four", Code, "d", "c", "f", "e")

	// The same for a deleted cell that another client has made again.
	edit(t, a, func(e *Editor) error { return e.Delete("c") })
	edit(t, b, func(e *Editor) error { _, err := e.Insert(0, NewCell{ID: "c", Type: Raw, Source: "new"}); return err })
	u = undo(t, a)
	check("new", Raw, "c", "d", "f", "e")
	if !slices.Equal(u.Kept, []string{"c"}) {
		t.Errorf("%+v", u)
	}
}

// A run's writes are not a step, nor is an edit that changes nothing; a step keeps its deletions until it is
// released.
func TestStepsAreOfEditsThatChangeSomething(t *testing.T) {
	n := NewNotebook()
	insert(t, n, 0, NewCell{ID: "c", Type: Code, Source: "0"})
	three := 3
	for name, fn := range map[string]func(e *Editor) error{
		"run": func(e *Editor) error {
			_ = e.StartRun("c")
			_ = e.AppendStream("c", "stdout", "x")
			return e.FinishRun("c", &three)
		},
		"nothing": func(e *Editor) error { return e.SetSource("c", "0") },
	} {
		s, err := n.Record(name, fn)
		must.Nil(t, s, must.Sprint(name))
		test.NoError(t, err, test.Sprint(name))
	}
	s, err := n.Record("source", func(e *Editor) error { _ = e.SetSource("c", "one"); return e.SetSource("c", "two") })
	must.NoError(t, err)
	test.Eq(t, 1, s.Bytes())
	test.SliceEqOp(t, []string{"c"}, s.Cells())
	n.Release(s)
	u, inverse, err := n.Revert()
	must.NoError(t, err, must.Sprint("of no step"))
	must.Nil(t, inverse, must.Sprint("of no step"))
	test.False(t, u.Missed, test.Sprint("of no step"))
}

func TestUndoOfATextDocument(t *testing.T) {
	a, b := NewTextWith(Options{ClientID: 1}), NewTextWith(Options{ClientID: 2})
	forward(t, a.Doc, b.Doc)
	forward(t, b.Doc, a.Doc)
	set := func(x *Text, s string) *Step {
		t.Helper()
		step, err := x.Record("set", func(e *TextEditor) error { return e.SetText(s) })
		if err != nil {
			t.Fatal(err)
		}
		return step
	}
	set(b, "a b c")
	step := set(a, "a B c d")
	set(b, "1 a B! c d 2")
	_, inverse, err := a.Revert(step)
	if err != nil {
		t.Fatal(err)
	}
	test.Eq(t, "1 a b! c 2", a.String())
	test.Eq(t, a.String(), b.String())
	if _, _, err := a.Revert(inverse); err != nil {
		t.Fatal(err)
	}
	if b.String() != "1 a B! c d 2" {
		t.Errorf("%q", b.String())
	}
}

// TestUndoInRandomPrograms undoes and redoes on replicas that exchange edits: they must still converge, and no
// replica may lose another's characters that were not deleted.
func TestUndoInRandomPrograms(t *testing.T) {
	defer func(m, s int) { crdt.MarkEvery, crdt.SpliceRuns = m, s }(crdt.MarkEvery, crdt.SpliceRuns)
	crdt.MarkEvery, crdt.SpliceRuns = 2, 1
	for seed := range uint64(60) {
		p := newProgram(t, seed+10_000, 2+int(seed%2))
		for range 80 {
			n := p.peers[p.IntN(len(p.peers))]
			switch k := p.IntN(12); {
			case k < 4:
				p.change(n)
			case k < 6:
				if _, err := back(n.Doc, false); err != nil && !errors.Is(err, errNothing) {
					p.fatalf("undo: %v", err)
				}
			case k < 7:
				if _, err := back(n.Doc, true); err != nil && !errors.Is(err, errNothing) {
					p.fatalf("redo: %v", err)
				}
			case k == 7 && p.IntN(4) == 0:
				p.check(n)
			default:
				p.network()
			}
		}
		p.settle()
	}
}

// TestUndoNeverTakesTheCharactersOfOthers makes one replica edit, undo and redo at random while another only types.
func TestUndoNeverTakesTheCharactersOfOthers(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		a, b := pair(t)
		recorded(t, 64, a)
		forward(t, b.Doc, a.Doc)
		insert(t, b, 0, NewCell{ID: "c", Type: Code, Source: "abc"}, NewCell{ID: "d", Type: Code, Source: "def"})
		typed := map[rune]bool{}
		next := rune(0x4e00)
		for range 60 {
			switch r.IntN(6) {
			case 0, 1:
				ids := b.IDs()
				c, _ := b.Cell(ids[r.IntN(len(ids))])
				runes := []rune(c.Source)
				at := r.IntN(len(runes) + 1)
				edit(t, b, func(e *Editor) error {
					return e.SetSource(c.ID, string(runes[:at])+string(next)+string(runes[at:]))
				})
				typed[next] = true
				next++
			case 2:
				edit(t, a, func(e *Editor) error { return e.Move("c", r.IntN(e.Len())) })
			case 3:
				edit(t, a, func(e *Editor) error { return e.SetType("c", []string{Raw, Code, Markdown}[r.IntN(3)]) })
			case 4:
				_, _ = back(a.Doc, true)
			default:
				if _, err := back(a.Doc, false); err != nil && !errors.Is(err, errNothing) {
					t.Fatal(err)
				}
			}
		}
		sameCells(t, a, b)
		for _, c := range b.Cells() {
			for _, ch := range c.Source {
				delete(typed, ch)
			}
		}
		must.LessEq(t, 0, len(typed), must.Sprint(seed))
		must.Eq(t, 2, b.Len(), must.Sprint(seed))
		must.False(t, t.Failed(), must.Sprint(seed))
	}
}

// TestUndoOfATypeLeavesNothingOfARun undoes a change of type after the cell was run: the run is not a step, and a
// markdown cell with an execution count is invalid in a file.
func TestUndoOfATypeLeavesNothingOfARun(t *testing.T) {
	n := NewNotebook()
	recorded(t, 64, n)
	edit := func(fn func(*Editor) error) {
		t.Helper()
		edit(t, n, fn)
	}
	var id string
	edit(func(e *Editor) error {
		ids, err := e.Insert(0, NewCell{Type: Markdown, Source: "1"})
		if err == nil {
			id = ids[0]
		}
		return err
	})
	edit(func(e *Editor) error { return e.SetType(id, Code) })
	count := 7
	edit(func(e *Editor) error {
		if err := e.AppendStream(id, "stdout", "text"); err != nil {
			return err
		}
		return e.FinishRun(id, &count)
	})
	undo(t, n)
	cell, _ := n.Cell(id)
	for _, key := range []string{keyOutputs, keyCount, keyState} {
		if n.order[0].typ.Has(key) {
			t.Errorf("the %s cell has %s", cell.Type, key)
		}
	}
	test.Eq(t, Markdown, cell.Type)
	must.Nil(t, cell.ExecutionCount)
	test.Nil(t, cell.Outputs)
	redo(t, n)
	cell, _ = n.Cell(id)
	test.Eq(t, Code, cell.Type)
	must.NotNil(t, cell.Outputs)
	test.Eq(t, "", cell.Fault)
}
