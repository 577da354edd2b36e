package ydoc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// doing makes an edit that is recorded as a step.
func doing(t *testing.T, n *Notebook, fn func(e *Editor) error) *Step {
	t.Helper()
	s, err := n.Record("test", fn)
	must.NoError(t, err, must.Sprint("no step"))
	must.NotNil(t, s, must.Sprint("no step"))
	return s
}

// revert undoes steps.
func revert(t *testing.T, n *Notebook, steps ...*Step) (Undone, *Step) {
	t.Helper()
	u, inverse, err := n.Revert(steps...)
	if err != nil {
		t.Fatal(err)
	}
	return u, inverse
}

// agentAndTab makes a replica whose edits are steps, and a person's, with cells of the person's.
func agentAndTab(t *testing.T, cells ...NewCell) (agent, tab *Notebook) {
	t.Helper()
	agent, tab = pair(t)
	forward(t, tab.Doc, agent.Doc)
	insert(t, tab, 0, cells...)
	return agent, tab
}

func set(id, source string) func(e *Editor) error {
	return func(e *Editor) error { return e.SetSource(id, source) }
}

func wantSource(t *testing.T, n *Notebook, id, want string) {
	t.Helper()
	c, ok := n.Cell(id)
	must.True(t, ok, must.Sprint(id))
	test.Eq(t, want, c.Source, test.Sprint(id))
}

// Steps of two clients of one replica are undone separately, in any order.
func TestStepsOfOneReplicaStandAlone(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}} {
		n, tab := agentAndTab(t, NewCell{ID: "c", Type: Code, Source: "one two three"})
		steps := []*Step{
			doing(t, n, set("c", "1 two three")),
			doing(t, n, set("c", "1 2 three")),
			doing(t, n, set("c", "1 2 3")),
		}
		edit(t, tab, set("c", "1 2 3!"))
		words, numbers := []string{"one", "two", "three"}, []string{"1", "2", "3"}
		now := slices.Clone(numbers)
		for _, at := range order {
			_, steps[at] = revert(t, n, steps[at])
			now[at] = words[at]
			wantSource(t, tab, "c", strings.Join(now, " ")+"!")
		}
		for _, at := range order {
			revert(t, n, steps[at])
			now[at] = numbers[at]
			wantSource(t, tab, "c", strings.Join(now, " ")+"!")
		}
	}
}

// A cell made by a step stays if others, including another client of the same replica, have written in it, and loses
// the step's text; redo restores all of it.
func TestACreatedCellKeepsWhatOthersWrote(t *testing.T) {
	for _, who := range []string{"person", "client"} {
		t.Run(who, func(t *testing.T) {
			n, tab := agentAndTab(t, NewCell{ID: "x", Type: Raw})
			made := doing(t, n, func(e *Editor) error {
				_, err := e.Insert(0, NewCell{ID: "c", Type: Code, Source: "agent"})
				return err
			})
			other := tab
			if who == "client" {
				other = n
			}
			edit(t, other, set("c", "mine agent ours"))
			u, inverse := revert(t, n, made)
			wantSource(t, tab, "c", "mine  ours")
			test.SliceEqOp(t, []string{"c"}, u.Kept)
			test.Nil(t, u.Gone)
			revert(t, n, inverse)
			wantSource(t, tab, "c", "mine agent ours")
		})
	}
}

// A cell restored by an undo is not deleted again if another client has written in it: all its text stays.
func TestARestoredCellIsNotDeletedWithWhatOthersWrote(t *testing.T) {
	n, tab := agentAndTab(t, NewCell{ID: "c", Type: Code, Source: "a person's"}, NewCell{ID: "x", Type: Raw})
	three := 3
	edit(t, tab, func(e *Editor) error { _ = e.AppendStream("c", "stdout", "out"); return e.FinishRun("c", &three) })
	gone := doing(t, n, func(e *Editor) error { return e.Delete("c") })
	_, inverse := revert(t, n, gone)
	c, _ := tab.Cell("c")
	test.Eq(t, "a person's", c.Source)
	must.SliceLen(t, 1, c.Outputs)
	test.Eq(t, 3, *c.ExecutionCount)
	edit(t, tab, set("c", "a person's text"))
	u, _ := revert(t, n, inverse)
	wantSource(t, tab, "c", "a person's text")
	if !slices.Equal(u.Kept, []string{"c"}) {
		t.Errorf("%+v", u)
	}
}

// If the place of a step is gone, nothing is done, and the result says so: a cell that another client deleted, moved
// as tabs do, or split.
func TestStepsWhosePlaceIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(e *Editor) error
		want Undone
		left string // all sources
	}{
		"deleted": {func(e *Editor) error { return e.Delete("c") }, Undone{Gone: []string{"c"}, Missed: true}, "|x"},
		"moved": {func(e *Editor) error {
			_ = e.Delete("c")
			_, err := e.Insert(1, NewCell{ID: "c", Type: Code, Source: "NEW two"})
			return err
		}, Undone{Gone: []string{"c"}, Missed: true}, "|x|NEW two"},
		"split": {func(e *Editor) error {
			_ = e.SetSource("c", "NE")
			_, err := e.Insert(1, NewCell{ID: "d", Type: Code, Source: "W two"})
			return err
		}, Undone{Cells: []string{"c"}, Cut: []string{"c"}}, "|one|W two|x"},
	} {
		t.Run(name, func(t *testing.T) {
			n, tab := agentAndTab(t, NewCell{ID: "c", Type: Code, Source: "one two"}, NewCell{ID: "x", Type: Raw, Source: "x"})
			s := doing(t, n, set("c", "NEW two"))
			edit(t, tab, c.do)
			u, _ := revert(t, n, s)
			if fmt.Sprint(u) != fmt.Sprint(c.want) {
				t.Errorf("%+v, want %+v", u, c.want)
			}
			left := ""
			for _, c := range tab.Cells() {
				left += "|" + c.Source
			}
			if left != c.left {
				t.Errorf("%q is left, want %q", left, c.left)
			}
			sameCells(t, n, tab)
		})
	}
}

// Steps of one call are undone in one transaction, and redone in one.
func TestStepsTogether(t *testing.T) {
	n, tab := agentAndTab(t, NewCell{ID: "x", Type: Raw, Source: "x"}, NewCell{ID: "y", Type: Raw, Source: "y"})
	before := content(tab)
	steps := []*Step{
		doing(t, n, func(e *Editor) error { _, err := e.Insert(0, NewCell{ID: "c", Type: Code, Source: "abx"}); return err }),
		doing(t, n, set("c", "ab")),
		doing(t, n, func(e *Editor) error { return e.Move("x", 2) }),
		doing(t, n, func(e *Editor) error { return e.Move("x", 0) }),
		doing(t, n, func(e *Editor) error { return e.Delete("y") }),
		doing(t, n, set("c", "abc")),
		doing(t, n, func(e *Editor) error { return e.Delete("c") }),
	}
	after := content(tab)
	updates := 0
	n.OnUpdate(func(u []byte) { updates++; apply(t, tab.Doc, u) })
	for range 3 {
		u, inverse := revert(t, n, steps...)
		got := content(tab)
		must.True(t, sameRuns(got, before))
		must.Nil(t, u.Kept)
		must.False(t, u.Missed)
		must.Nil(t, u.Gone)
		u, again := revert(t, n, inverse)
		got = content(tab)
		must.True(t, sameRuns(got, after))
		must.Nil(t, u.Kept)
		must.False(t, u.Missed)
		must.Nil(t, u.Gone)
		steps = []*Step{again}
	}
	if updates != 6 {
		t.Errorf("%d updates, want 6", updates)
	}
}

// 200 steps are undone, redone and undone while a person types; then one of a million characters.
func TestManyAndLargeSteps(t *testing.T) {
	n, tab := agentAndTab(t, NewCell{ID: "c", Type: Code, Source: "0"})
	typed := ""
	typeOne := func() {
		c, _ := tab.Cell("c")
		typed += "."
		edit(t, tab, set("c", c.Source+"."))
	}
	var steps []*Step
	for i := range 200 {
		steps = append(steps, doing(t, n, set("c", fmt.Sprint(i+1)+typed)))
		if i%20 == 0 {
			typeOne()
		}
	}
	for round, want := range []string{"0", "200", "0"} {
		var back []*Step
		for _, s := range slices.Backward(steps) {
			_, inverse := revert(t, n, s)
			back = append(back, inverse)
		}
		wantSource(t, tab, "c", want+typed)
		steps = back
		typeOne()
		if round == 1 {
			wantSource(t, n, "c", "200"+typed)
		}
	}
	large := strings.Repeat("0123456789", 100_000)
	s := doing(t, n, set("c", large))
	if s.Bytes() > 1_000 {
		t.Errorf("%d bytes are kept for what was deleted", s.Bytes())
	}
	typed = ""
	edit(t, tab, func(e *Editor) error { return e.SetSource("c", large[:500_000]+"person"+large[500_000:]) })
	_, inverse := revert(t, n, s)
	c, _ := tab.Cell("c")
	test.StrContains(t, c.Source, "person", test.Sprint("a million characters undone"))
	test.LessEq(t, 100, len(c.Source), test.Sprint("a million characters undone"))
	revert(t, n, inverse)
	if c, _ := tab.Cell("c"); len(c.Source) != len(large)+len("person") {
		t.Errorf("and made again: %d characters", len(c.Source))
	}
	sameCells(t, n, tab)
}

// A value set again stays, whether a person or another client set it.
func TestASetValueStays(t *testing.T) {
	n, tab := agentAndTab(t, NewCell{ID: "c", Type: Code, Metadata: map[string]any{"k": "was", "l": "was"}})
	s := doing(t, n, func(e *Editor) error { _ = e.SetCellMetadata("c", "k", "s"); return e.SetCellMetadata("c", "l", "s") })
	edit(t, tab, func(e *Editor) error { return e.SetCellMetadata("c", "k", "person") })
	edit(t, n, func(e *Editor) error { return e.SetCellMetadata("c", "l", "client") })
	revert(t, n, s)
	c, _ := tab.Cell("c")
	test.EqOp[any](t, "person", c.Metadata["k"])
	test.EqOp[any](t, "client", c.Metadata["l"])
}

// A step's changes in a cell that was locked since stay, and so does a cell that it added.
func TestRevertLeavesLockedCells(t *testing.T) {
	n := NewNotebook()
	set := func(id, key string) {
		t.Helper()
		must.NoError(t, n.Edit("lock", func(e *Editor) error { return e.SetCellMetadata(id, key, false) }))
	}
	step := func(fn func(e *Editor) error) *Step {
		t.Helper()
		s, err := n.Record("test", fn)
		must.NoError(t, err)
		return s
	}
	added := step(func(e *Editor) error {
		_, err := e.Insert(0, NewCell{ID: "a", Type: Code, Source: "a = 1"})
		_, err2 := e.Insert(1, NewCell{ID: "b", Type: Code, Source: "b = 1"})
		return errors.Join(err, err2)
	})
	changed := step(func(e *Editor) error { return errors.Join(e.SetSource("a", "a = 2"), e.SetSource("b", "b = 2")) })
	moved := step(func(e *Editor) error { return errors.Join(e.SetType("a", Markdown), e.Move("a", 1)) })
	set("a", KeyEditable)
	set("a", KeyDeletable)
	for _, s := range []*Step{moved, changed, added} {
		u, _, err := n.Revert(s)
		must.NoError(t, err)
		test.SliceContains(t, u.Kept, "a")
	}
	cells := n.Cells()
	must.SliceLen(t, 1, cells)
	test.Eq(t, "a = 2", cells[0].Source)
	test.Eq(t, Markdown, cells[0].Type)
}
