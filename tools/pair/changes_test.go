package pair_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// Changes by people are listed with their names, even if they have left, and the agent's own changes only on request.
func TestChangesSince(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1\nb = 2\n", "c = 3")
		read := d.Read(d.path)
		first, second := read.Cells[0].ID, read.Cells[1].ID
		if got := d.since(read.Revision, false); len(got.Changes) != 0 || got.Revision != read.Revision {
			t.Errorf("%+v", got)
		}
		ada := d.person("Ada")
		d.types(ada, func(e *ydoc.Editor) error { return e.SetSource(first, "a = 1\nb = 22\n") })
		d.types(ada, func(e *ydoc.Editor) error { return e.SetSource(first, "a = 1\nb = 222\n") })
		d.types(ada, func(e *ydoc.Editor) error { return e.Move(second, 0) })
		d.Good("insert_nb_cells", toolstest.Dict{"path": d.path, "position": 0, "exec": false, "cells": []toolstest.Dict{{"content": "mine"}}}, nil)
		d.types(ada, func(e *ydoc.Editor) error { return e.Delete(second) })
		ada.Leave()
		got := d.since(read.Revision, false)
		must.SliceLen(t, 3, got.Changes)
		must.False(t, got.More)
		c := got.Changes[0]
		test.Eq(t, first, c.CellID)
		test.Eq(t, "edited", c.What)
		test.Eq(t, "Ada", c.By)
		test.Eq(t, " a = 1\n-b = 2\n+b = 222", c.Diff)
		test.Eq(t, 1, *c.Index)
		c = got.Changes[1]
		test.Eq(t, second, c.CellID)
		test.Eq(t, "moved", c.What)
		test.Eq(t, "Ada", c.By)
		test.Eq(t, "", *c.After)
		test.Nil(t, c.Index)
		c = got.Changes[2]
		test.Eq(t, second, c.CellID)
		test.Eq(t, "deleted", c.What)
		test.Eq(t, "-c = 3", c.Diff)
		own := d.since(read.Revision, true)
		must.SliceLen(t, 4, own.Changes)
		test.Eq(t, "you", own.Changes[2].By)
		test.Eq(t, "added", own.Changes[2].What)
		test.Eq(t, "+mine", own.Changes[2].Diff)
		if got = d.since(got.Revision, true); len(got.Changes) != 0 {
			t.Errorf("%+v", got)
		}
		says := d.says("changes_since", toolstest.Dict{"revision": read.Revision})
		for _, want := range []string{"4 changes by ", "edited by Ada", "moved at the top by Ada", "added at the top by another client of nbduet", "\n-b = 2\n+b = 222\n", ", revision " + got.Revision} {
			if !strings.Contains(says, want) {
				t.Errorf("%q is not in\n%s", want, says)
			}
		}
	})
}

// Without a revision, changes are those since the client last read the notebook or its changes; a client that has read
// nothing gets the whole notebook.
func TestChangesSinceLastRead(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1", "b = 2")
		first := d.Read(d.path).Cells[0].ID
		ada := d.person("Ada")
		for _, source := range []string{"a = 11", "a = 111"} {
			d.types(ada, func(e *ydoc.Editor) error { return e.SetSource(first, source) })
			got := d.since("", false)
			must.SliceLen(t, 1, got.Changes)
			test.StrContains(t, got.Changes[0].Diff, "+"+source)
			test.SliceEmpty(t, d.since("", false).Changes)
		}
		d.types(ada, func(e *ydoc.Editor) error { return e.SetSource(first, "a = 0") })
		d.Read(d.path)
		test.SliceEmpty(t, d.since("", false).Changes)
		var whole notebook.ReadResult
		d.Person().Good("changes_since", toolstest.Dict{"path": d.path}, &whole)
		must.SliceLen(t, 2, whole.Cells)
		test.StrContains(t, whole.Message, "you have not read this notebook")
	})
}

// An unknown revision returns the whole notebook, and a malformed one an error.
func TestUnknownRevision(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1")
		read := d.Read(d.path)
		other := d.Server.Notebook(t, "b = 2")
		theirs := d.Read(other).Revision
		ada := d.person("Ada")
		d.types(ada, func(e *ydoc.Editor) error { return e.SetSource(read.Cells[0].ID, "a = 2") })
		var all notebook.ReadResult
		d.Good("changes_since", toolstest.Dict{"path": d.path, "revision": theirs}, &all)
		must.SliceLen(t, 1, all.Cells)
		test.Eq(t, "a = 2", all.Cells[0].Source)
		test.StrContains(t, all.Message, "not known")
		says := d.says("changes_since", toolstest.Dict{"revision": theirs})
		test.StrHasPrefix(t, "the changes since revision", says)
		test.StrHasSuffix(t, "a = 2", says)
		d.Bad("changes_since", toolstest.Dict{"path": d.path, "revision": "?"}, "is not a revision")
		if got := d.since(all.Revision, false); len(got.Changes) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// Answers have at most 20 KB, and the next call continues where the last answer ended.
func TestLongAnswers(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a", "b", "c")
		read := d.Read(d.path)
		ada := d.person("Ada")
		people := []*sessiontest.Person{ada, d.person("Bob")}
		for i := range 60 {
			d.types(people[i%2], func(e *ydoc.Editor) error {
				return e.SetSource(read.Cells[i%3].ID, strings.Repeat(fmt.Sprintf("line %d\n", i), 200))
			})
		}
		revision, answers := read.Revision, 0
		for {
			answers++
			says := d.says("changes_since", toolstest.Dict{"revision": revision})
			if len(says) > 20_000 {
				t.Fatalf("%d bytes", len(says))
			}
			got := d.since(revision, false)
			if revision = got.Revision; !got.More {
				break
			}
		}
		now := d.since(revision, true)
		test.GreaterEq(t, 3, answers)
		test.SliceEmpty(t, now.Changes)
		// One change that is too long, and many at once.
		d.types(ada, func(e *ydoc.Editor) error { return e.SetSource(read.Cells[0].ID, strings.Repeat("0123456789", 3_000)) })
		says := d.says("changes_since", toolstest.Dict{"revision": revision})
		must.LessEq(t, 20_000, len(says))
		test.StrContains(t, says, "cut: read the cell")
		revision = d.since(revision, false).Revision
		d.types(ada, func(e *ydoc.Editor) error {
			for i := range 500 {
				if _, err := e.Insert(i, ydoc.NewCell{Type: ydoc.Code, Source: strings.Repeat("x = 1\n", 20)}); err != nil {
					return err
				}
			}
			return nil
		})
		says = d.says("changes_since", toolstest.Dict{"revision": revision})
		must.LessEq(t, 20_000, len(says))
		test.StrContains(t, says, "400 changes more")
	})
}

// A rename does not affect the history.
func TestRename(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1")
		read := d.Read(d.path)
		ada := d.person("Ada")
		d.types(ada, func(e *ydoc.Editor) error { return e.SetSource(read.Cells[0].ID, "a = 2") })
		d.Good("rename_document", toolstest.Dict{"path": d.path, "newPath": "renamed-" + d.path}, nil)
		d.path = "renamed-" + d.path
		got := d.since(read.Revision, false)
		must.SliceLen(t, 1, got.Changes)
		test.Eq(t, "Ada", got.Changes[0].By)
	})
}

// Changes from before the notebook was closed, and of the time in which it was not open, are found by a revision or a time.
func TestChangesSinceBefore(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "x = 1", "y = 2", "z = 3")
		read := d.Read(d.path)
		person := d.Person()
		person.Read(d.path)
		time.Sleep(time.Hour)
		person.Read(d.path)
		person.Good("modify_nb_cells", d.in(change(0, "x = 10", "")), nil)
		person.Good("delete_nb_cells", d.in(toolstest.Dict{"ranges": []toolstest.Dict{{"id": read.Cells[2].ID}}}), nil)
		d.UpToDate(d.path)
		got := d.since(read.Revision, false)
		must.SliceLen(t, 2, got.Changes, must.Sprint(got))
		for _, c := range got.Changes {
			test.Eq(t, "unknown", c.By)
		}
		test.StrContains(t, got.Message, "by whom is not known")
		// After that, the changes are known again.
		person.Good("modify_nb_cells", d.in(change(0, "x = 100", "")), nil)
		person.Await(d.path, "x = 100")
		d.UpToDate(d.path)
		test.SliceLen(t, 1, d.since(got.Revision, false).Changes)
		for _, since := range []string{time.Now().Add(-30 * time.Minute).Format("15:04"), "today 00:01", time.Now().Add(-30 * time.Minute).Format(time.DateTime)} {
			holds(t, d.says("changes_since", toolstest.Dict{"time": since}), "x = 100", "deleted by unknown")
		}
		holds(t, d.says("changes_since", toolstest.Dict{"time": "yesterday 18:00"}), "are not known", "This is the current notebook")
		d.Bad("changes_since", d.in(toolstest.Dict{"time": "soon"}), `"soon" is not a time`, "yesterday 18:00")
		d.Bad("changes_since", d.in(toolstest.Dict{"time": "18:00", "revision": read.Revision}), "give one of them")
	})
}

// Without a revision, the changes since the client's last look are found also after the notebook was closed.
func TestChangesSinceLastLook(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t, "x = 1", "y = 2")
		d.Read(d.path)
		time.Sleep(time.Hour)
		ada := d.person("Ada")
		first := ada.Notebook.Cells()[0].ID
		must.NoError(t, ada.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource(first, "x = 10") }))
		ada.Reaches()
		got := d.since("", false)
		must.SliceLen(t, 1, got.Changes, must.Sprint(got))
		test.StrContains(t, got.Changes[0].Diff, "+x = 10")
		test.StrContains(t, got.Message, "by whom is not known")
		test.SliceEmpty(t, d.since("", false).Changes)
	})
}
