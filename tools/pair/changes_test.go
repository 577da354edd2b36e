package pair_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// What people did is told with their names, though they have gone, and what the agent did itself only if it asks.
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
		if len(got.Changes) != 3 || got.More {
			t.Fatalf("%+v", got)
		}
		if c := got.Changes[0]; c.CellID != first || c.What != "edited" || c.By != "Ada" || c.Diff != " a = 1\n-b = 2\n+b = 222" || *c.Index != 1 {
			t.Errorf("%+v", c)
		}
		if c := got.Changes[1]; c.CellID != second || c.What != "moved" || c.By != "Ada" || *c.After != "" || c.Index != nil {
			t.Errorf("%+v", c)
		}
		if c := got.Changes[2]; c.CellID != second || c.What != "deleted" || c.Diff != "-c = 3" {
			t.Errorf("%+v", c)
		}
		if own := d.since(read.Revision, true); len(own.Changes) != 4 || own.Changes[2].By != "you" || own.Changes[2].What != "added" || own.Changes[2].Diff != "+mine" {
			t.Errorf("%+v", own)
		}
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

// A revision that is not known gets the whole notebook, and one that is none an error.
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
		if len(all.Cells) != 1 || all.Cells[0].Source != "a = 2" || !strings.Contains(all.Message, "not known") {
			t.Errorf("%+v", all)
		}
		if says := d.says("changes_since", toolstest.Dict{"revision": theirs}); !strings.HasPrefix(says, "from revision") || !strings.HasSuffix(says, "a = 2") {
			t.Error(says)
		}
		d.Bad("changes_since", toolstest.Dict{"path": d.path, "revision": "?"}, "is not a revision")
		if got := d.since(all.Revision, false); len(got.Changes) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// Answers are of 20 KB at most, and one goes on from where the last ended.
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
		if now := d.since(revision, true); answers < 3 || len(now.Changes) != 0 {
			t.Errorf("%d answers, then %+v", answers, now)
		}
		// One change that is too long, and many at once.
		d.types(ada, func(e *ydoc.Editor) error { return e.SetSource(read.Cells[0].ID, strings.Repeat("0123456789", 3_000)) })
		if says := d.says("changes_since", toolstest.Dict{"revision": revision}); len(says) > 20_000 || !strings.Contains(says, "cut: read the cell") {
			t.Errorf("%d bytes: %.300s", len(says), says)
		}
		revision = d.since(revision, false).Revision
		d.types(ada, func(e *ydoc.Editor) error {
			for i := range 500 {
				if _, err := e.Insert(i, ydoc.NewCell{Type: ydoc.Code, Source: strings.Repeat("x = 1\n", 20)}); err != nil {
					return err
				}
			}
			return nil
		})
		if says := d.says("changes_since", toolstest.Dict{"revision": revision}); len(says) > 20_000 || !strings.Contains(says, "400 changes more") {
			t.Errorf("%d bytes: %.300s", len(says), says)
		}
	})
}

// A rename leaves what is known as it is.
func TestRename(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1")
		read := d.Read(d.path)
		ada := d.person("Ada")
		d.types(ada, func(e *ydoc.Editor) error { return e.SetSource(read.Cells[0].ID, "a = 2") })
		d.Good("rename_document", toolstest.Dict{"path": d.path, "newPath": "renamed-" + d.path}, nil)
		d.path = "renamed-" + d.path
		if got := d.since(read.Revision, false); len(got.Changes) != 1 || got.Changes[0].By != "Ada" {
			t.Errorf("%+v", got)
		}
	})
}
