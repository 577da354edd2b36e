package changelog

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
)

// tenCells are cells c0 to c9.
func tenCells() (cells []ydoc.NewCell) {
	for i := range 10 {
		cells = append(cells, ydoc.NewCell{ID: fmt.Sprint("c", i), Type: ydoc.Code, Source: fmt.Sprintf("x = %d", i)})
	}
	return cells
}

// without deletes n cells from the top.
func without(n int) func(e *ydoc.Editor) error {
	return func(e *ydoc.Editor) error {
		for range n {
			id, _ := e.IDAt(0)
			if err := e.Delete(id); err != nil {
				return err
			}
		}
		return nil
	}
}

// Half of the cells, and at least five, gone within two seconds by the hands of others are a loss.
func TestLosses(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(t *testing.T, nb, person *ydoc.Notebook)
		lost  int
		empty bool
	}{
		"half":            {func(t *testing.T, _, person *ydoc.Notebook) { edits(t, person, without(5)) }, 5, false},
		"all":             {func(t *testing.T, _, person *ydoc.Notebook) { edits(t, person, without(10)) }, 10, true},
		"less than half":  {func(t *testing.T, _, person *ydoc.Notebook) { edits(t, person, without(4)) }, 0, false},
		"by this program": {func(t *testing.T, nb, _ *ydoc.Notebook) { edits(t, nb, without(10)) }, 0, false},
		"in two parts": {func(t *testing.T, _, person *ydoc.Notebook) {
			edits(t, person, without(3))
			edits(t, person, without(3))
		}, 6, false},
		"one after another": {func(t *testing.T, _, person *ydoc.Notebook) {
			for range 9 {
				edits(t, person, without(1))
				time.Sleep(time.Second)
			}
		}, 0, false},
		"moved": {func(t *testing.T, _, person *ydoc.Notebook) {
			edits(t, person, func(e *ydoc.Editor) error {
				for i := range 10 {
					if err := e.Move(fmt.Sprint("c", i), 9-i); err != nil {
						return err
					}
				}
				return nil
			})
		}, 0, false},
		"loaded again with other ids": {func(t *testing.T, _, person *ydoc.Notebook) {
			edits(t, person, func(e *ydoc.Editor) error {
				if err := without(10)(e); err != nil {
					return err
				}
				_, err := e.Insert(0, anew(tenCells())...)
				return err
			})
		}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				nb, person, log := pair(t, tenCells()...)
				defer log.Stop()
				l := Watch(nb)
				defer l.Stop()
				edits(t, person, func(e *ydoc.Editor) error { return e.SetSource("c9", "x = 99") })
				before := nb.Revision()
				c.do(t, nb, person)
				loss, ok := l.Take()
				test.Eq(t, c.lost > 0, ok)
				test.Eq(t, c.lost, loss.Lost)
				test.Eq(t, c.empty, loss.Empty && ok)
				if ok {
					test.Eq(t, before.String(), loss.Before.Name)
					test.SliceLen(t, 10, loss.Before.Cells)
					test.Eq(t, "x = 99", loss.Before.Cells[9].Source)
				}
				_, again := l.Take()
				test.False(t, again)
			})
		})
	}
}

// A client that returns with another history brings its cells again, with the same ids. Copies by a person have new ones, and
// count only if they are of all cells.
func TestDoubled(t *testing.T) {
	for name, c := range map[string]struct {
		again          []ydoc.NewCell
		doubled, twins bool
	}{
		"all":               {tenCells(), true, true},
		"half":              {tenCells()[5:], true, true},
		"less than half":    {tenCells()[6:], false, false},
		"copies of all":     {anew(tenCells()), true, false},
		"copies of half":    {anew(tenCells()[5:]), false, false},
		"half, other texts": {rewritten(tenCells()[5:]), false, false},
		"three others":      {[]ydoc.NewCell{{Type: ydoc.Raw, Source: "1"}, {Type: ydoc.Raw, Source: "2"}, {Type: ydoc.Raw, Source: "3"}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			nb, person, log := pair(t, tenCells()...)
			defer log.Stop()
			l := Watch(nb)
			defer l.Stop()
			other := ydoc.NewNotebookWith(ydoc.Options{ClientID: 7})
			edits(t, other, func(e *ydoc.Editor) error { _, err := e.Insert(0, c.again...); return err })
			u, err := other.Diff(nil)
			must.NoError(t, err)
			must.NoError(t, person.Apply(u))
			must.NoError(t, nb.Apply(u))
			loss, ok := l.Take()
			must.Eq(t, c.doubled, ok)
			if !ok {
				return
			}
			test.Eq(t, 0, loss.Lost)
			test.Eq(t, len(c.again), loss.Doubled)
			test.Eq(t, c.twins, loss.Twins)
			test.SliceContains(t, loss.Clients, uint64(7))
			test.SliceLen(t, 10, loss.Before.Cells)
			// They are no loss if they go, and no doubled notebook if they are there before.
			edits(t, person, without(10))
			_, ok = l.Take()
			test.False(t, ok)
		})
	}
}

// anew is the cells with new ids.
func anew(cells []ydoc.NewCell) []ydoc.NewCell {
	for i := range cells {
		cells[i].ID = ""
	}
	return cells
}

// rewritten is the cells with other sources.
func rewritten(cells []ydoc.NewCell) []ydoc.NewCell {
	for i := range cells {
		cells[i].Source += "0"
	}
	return cells
}

// A joined notebook is compared with the notebook as it was before.
func TestLossAtAJoin(t *testing.T) {
	nb, _, log := pair(t, tenCells()...)
	defer log.Stop()
	l := Watch(nb)
	defer l.Stop()
	_, ok := l.Take()
	test.False(t, ok)
	now := l.Last()
	l.Since(now)
	l = Watch(nb)
	defer l.Stop()
	_, ok = l.Take()
	test.False(t, ok)
	l.Since(now)
	_, ok = l.Take()
	test.False(t, ok)
	l = Watch(nb)
	defer l.Stop()
	more := Snapshot{Name: "1ab", Cells: slices.Clone(now.Cells)}
	for i := range 10 {
		more.Cells = append(more.Cells, SnapshotCell{fmt.Sprint("d", i), ydoc.Code, fmt.Sprint("y = ", i)})
	}
	l.Since(more)
	loss, ok := l.Take()
	must.True(t, ok)
	test.Eq(t, 10, loss.Lost)
	test.True(t, loss.Joined)
	test.Eq(t, "1ab", loss.Before.Name)
}
