package changelog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// shelf keeps snapshots in memory.
type shelf struct{ all []Snapshot }

func (a *shelf) Keep(s Snapshot) { a.all = append(a.all, s) }

func (a *shelf) Find(_ context.Context, revision string, at time.Time) (Snapshot, bool) {
	for _, s := range slices.Backward(a.all) {
		if s.Name == revision || revision == "" && !s.At.After(at) {
			return s, true
		}
	}
	return Snapshot{}, false
}

func (a *shelf) Look(string, string) {}

func (a *shelf) Looked(context.Context, string) (revision string, at time.Time) { return "", at }

// sources returns the source of the first cell of each snapshot.
func (a *shelf) sources() string {
	var all []string
	for _, s := range a.all {
		all = append(all, s.Cells[0].Source)
	}
	return strings.Join(all, ", ")
}

// rebuilt applies changes to a snapshot: the cells in their order, and their texts after the diffs.
func rebuilt(s Snapshot, changes []Change) (ids []string) {
	for _, c := range s.Cells {
		ids = append(ids, c.ID)
	}
	for _, c := range changes {
		if c.Kinds&(Deleted|Moved) != 0 {
			ids = slices.DeleteFunc(ids, func(id string) bool { return id == c.Cell })
		}
		if c.Kinds&(Added|Moved) != 0 {
			ids = slices.Insert(ids, slices.Index(ids, c.After)+1, c.Cell)
		}
	}
	return ids
}

// The changes from a snapshot to the notebook are those between the two, whatever happened between.
func TestChangesSinceASnapshot(t *testing.T) {
	for seed := range 200 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		nb := ydoc.NewNotebook()
		must.NoError(t, nb.Edit("begin", func(e *ydoc.Editor) error {
			for i := range 5 {
				if _, err := e.Insert(i, ydoc.NewCell{ID: fmt.Sprint("c", i), Type: ydoc.Code, Source: fmt.Sprintf("line %d\nother %d", i, i)}); err != nil {
					return err
				}
			}
			return nil
		}))
		var kept shelf
		l := New(nb, nil)
		l.Keep(&kept)
		base := l.Seal().String()
		before := nb.Cells()
		for range r.IntN(12) {
			must.NoError(t, nb.Edit("act", func(e *ydoc.Editor) error {
				id, _ := e.IDAt(r.IntN(e.Len()))
				switch r.IntN(6) {
				case 0:
					_, err := e.Insert(r.IntN(e.Len()+1), ydoc.NewCell{Type: ydoc.Markdown, Source: "new"})
					return err
				case 1:
					if e.Len() > 1 {
						return e.Delete(id)
					}
				case 2:
					return e.Move(id, r.IntN(e.Len()))
				case 3:
					return e.SetType(id, ydoc.Markdown)
				}
				return e.SetSource(id, fmt.Sprint("line ", r.IntN(9), "\nother"))
			}))
		}
		told, from, ok := l.Before(t.Context(), base, time.Time{})
		must.True(t, ok)
		must.SliceLen(t, len(before), from.Cells)
		changes := told.Changes(told.Len(), nil)
		var want []string
		for _, c := range nb.Cells() {
			want = append(want, c.ID)
		}
		must.SliceEqOp(t, want, rebuilt(from, changes), must.Sprintf("seed %d: %+v", seed, changes))
		for _, c := range changes {
			test.True(t, c.Who.Unknown)
		}
		l.Stop()
	}
}

// The notebook is kept as it was at its opening, when it was last shown before the log lost its history, and at the end.
func TestKeepsSnapshots(t *testing.T) {
	nb := ydoc.NewNotebook()
	write := func(source string) {
		t.Helper()
		must.NoError(t, nb.Edit("write", func(e *ydoc.Editor) error {
			if e.Len() == 0 {
				_, err := e.Insert(0, ydoc.NewCell{ID: "c0", Type: ydoc.Code, Source: source})
				return err
			}
			return e.SetSource("c0", source)
		}))
	}
	write("opened")
	var kept shelf
	l := New(nb, nil)
	l.Keep(&kept)
	write("shown")
	shown := l.Seal().String()
	write("later")
	l.Stop()
	test.Eq(t, "opened, shown, later", kept.sources())
	test.Eq(t, shown, kept.all[1].Name)
}

// The notebook is kept before the first edit of a client's task, and when a person has changed much of it.
func TestKeepsSnapshotsOfTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nb, person, l := pair(t, ydoc.NewCell{ID: "c0", Type: ydoc.Code, Source: "opened"})
		var kept shelf
		l.Keep(&kept)
		call := uint64(0)
		writes := func(client, source string) {
			call++
			must.NoError(t, l.By(origin.Author{Client: client, Call: call}, func() error {
				return nb.Edit("write", func(e *ydoc.Editor) error { return e.SetSource("c0", source) })
			}))
		}
		types := func(source string) { edits(t, person, func(e *ydoc.Editor) error { return e.SetSource("c0", source) }) }
		types("before a task")
		writes("a", "1")
		time.Sleep(taskPause - time.Second)
		writes("a", "2")
		time.Sleep(taskPause)
		writes("a", "3")
		writes("b", "4")
		test.Eq(t, "opened, before a task, 2, 3", kept.sources())
		long := strings.Repeat("x", maxChanged)
		types(long)
		types("short")
		test.SliceLen(t, 6, kept.all)
		test.Eq(t, long, kept.all[4].Cells[0].Source)
		test.Eq(t, "short", kept.all[5].Cells[0].Source)
		types("done")
		test.SliceLen(t, 6, kept.all)
		l.Stop()
	})
}

// A time that the log covers gives the changes since, with their authors.
func TestRevisionAtATime(t *testing.T) {
	nb := ydoc.NewNotebook()
	must.NoError(t, nb.Edit("begin", func(e *ydoc.Editor) error { _, err := e.Insert(0, ydoc.NewCell{ID: "c0", Type: ydoc.Code}); return err }))
	l := New(nb, nil)
	defer l.Stop()
	_, _, ok := l.Before(t.Context(), "", time.Now().Add(-time.Minute))
	test.False(t, ok)
	must.NoError(t, nb.Edit("one", func(e *ydoc.Editor) error { return e.SetSource("c0", "one") }))
	l.Seal()
	between := time.Now()
	must.NoError(t, nb.Edit("two", func(e *ydoc.Editor) error { return e.SetSource("c0", "two") }))
	told, from, ok := l.Before(t.Context(), "", between)
	must.True(t, ok)
	test.Eq(t, "", from.Name)
	changes := told.Changes(told.Len(), nil)
	must.SliceLen(t, 1, changes)
	test.StrContains(t, changes[0].Diff, "+two")
	test.StrContains(t, changes[0].Diff, "-one")
}
