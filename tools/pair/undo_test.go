package pair_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// change returns the arguments of a call that gives a cell another source.
func change(index int, content, reason string) dict {
	return dict{"exec": false, "reason": reason, "modifications": []dict{{"range": dict{"start": index}, "content": content}}}
}

// The edits of a call are one step, with its reason; a step is undone and redone beside a person's edits. The answer lists
// runs.
func TestUndoTools(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1", "b = 2", "c = 3")
		cells := d.Read(d.path).Cells
		at := d.in(nil)
		var done pair.UndoResult
		d.Good("undo_agent", at, &done)
		must.SliceEmpty(t, done.Steps, must.Sprint("with nothing done"))
		test.StrContains(t, done.Message, "you made no edits of the last 30 days", test.Sprint("with nothing done"))
		d.Good("modify_nb_cells", d.in(change(0, "a = 10", "rename\n  the a")), nil)
		var inserted notebook.InsertResult
		d.Good("insert_nb_cells", d.in(dict{"position": 1, "cells": []dict{{"content": "new = 1"}}}), &inserted)
		d.Good("delete_nb_cells", d.in(dict{"ranges": []dict{{"id": cells[2].ID}}, "reason": "unused"}), nil)
		d.Good("get_nb_stat", d.in(dict{"reason": strings.Repeat("long ", 100)}), nil)
		var list pair.ListEditsResult
		d.Good("list_agent_edits", at, &list)
		var names []string
		for _, s := range list.Steps {
			names = append(names, s.Tool)
		}
		test.SliceEqOp(t, []string{"delete_nb_cells", "insert_nb_cells", "modify_nb_cells"}, names)
		test.Eq(t, "rename the a", list.Steps[2].Reason)
		test.Eq(t, "unused", list.Steps[0].Reason)
		test.SliceEqOp(t, inserted.CellIDs, list.Steps[1].Ran)
		test.SliceEqOp(t, []string{cells[0].ID}, list.Steps[2].CellIDs)
		d.Bad("undo_agent", d.in(dict{"step": "s9999"}), `no step "s9999"`, list.Steps[0].Step+", "+list.Steps[1].Step+", "+list.Steps[2].Step)
		d.Bad("undo_agent", d.in(dict{"step": list.Steps[0].Step, "count": 1}), "more than one of step, count and task is given")

		// A person continues in the new cell, and in the cell that is not shown to the agent again.
		person := d.Person()
		person.Read(d.path)
		person.Good("edit_text", d.in(dict{"old_text": "new = 1", "new_text": "new = 1 # mine"}), nil)
		d.UpToDate(d.path)
		d.Good("undo_agent", d.in(dict{"count": 3}), &done)
		if got := d.Sources(d.path); !slices.Equal(got, []string{"a = 1", " # mine", "b = 2", "c = 3"}) {
			t.Errorf("%q", got)
		}
		must.SliceLen(t, 3, done.Steps)
		must.SliceLen(t, 1, done.Left)
		test.Eq(t, inserted.CellIDs[0], done.Left[0].CellID)
		test.SliceEqOp(t, inserted.CellIDs, done.Ran)
		d.Good("redo_agent", d.in(dict{"count": 2}), &done)
		if got := d.Sources(d.path); !slices.Equal(got, []string{"a = 10", "new = 1 # mine", "b = 2", "c = 3"}) {
			t.Errorf("%q", got)
		}
		// Another client of the same program has separate steps.
		other := d.Other()
		res := d.CallAs(other, "undo_agent", at)
		test.False(t, res.IsError)
		test.StrContains(t, toolstest.MessageOf(res), "no edit of yours")
		d.Good("modify_nb_cells", d.in(change(2, "b = 20", "")), nil)
		d.Good("redo_agent", at, &done)
		must.SliceEmpty(t, done.Steps, must.Sprint("after an edit"))
		test.StrContains(t, done.Message, "can be redone", test.Sprint("after an edit"))
	})
}

// A step between others is undone and redone alone, whatever the number of later steps.
func TestRedoOfAStepInTheMiddle(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "one two three")
		d.Read(d.path)
		for _, s := range []string{"1 two three", "1 2 three", "1 2 3"} {
			d.Good("modify_nb_cells", d.in(change(0, s, s)), nil)
		}
		steps := func() (reasons []string) {
			t.Helper()
			var list pair.ListEditsResult
			d.Good("list_agent_edits", d.in(nil), &list)
			for _, s := range list.Steps {
				reasons = append(reasons, fmt.Sprint(s.Reason, " ", s.Undone))
			}
			return reasons
		}
		has := func(source string, want ...string) {
			t.Helper()
			got := d.Sources(d.path)[0]
			test.Eq(t, source, got)
			test.SliceEqOp(t, want, steps())
		}
		var list pair.ListEditsResult
		d.Good("list_agent_edits", d.in(nil), &list)
		d.Good("undo_agent", d.in(dict{"step": list.Steps[1].Step}), nil)
		has("1 two 3", "1 2 3 false", "1 two three false", "1 2 three true")
		var done pair.UndoResult
		d.Good("redo_agent", d.in(nil), &done)
		has("1 2 3", "1 2 three false", "1 2 3 false", "1 two three false")
		must.SliceLen(t, 1, done.Steps)
		test.Eq(t, list.Steps[1].Step, done.Steps[0].Step)
		d.Good("undo_agent", d.in(dict{"count": 3}), nil)
		has("one two three", "1 two three true", "1 2 3 true", "1 2 three true")
		d.Good("redo_agent", d.in(dict{"count": 2}), nil)
		has("1 two 3", "1 2 3 false", "1 two three false", "1 2 three true")
	})
}

// Text restored by an undo has not been shown: a change from earlier text is merged with it, or refused, and destroys
// nothing. The tools of other sets take a reason, too.
func TestUndoneIsNotRead(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "one\ntwo\nthree")
		d.Read(d.path)
		person := d.Person()
		person.Read(d.path)
		d.Good("modify_nb_cells", d.in(change(0, "three", "")), nil)
		person.Await(d.path, "three")
		d.Good("undo_agent", d.in(nil), nil)
		person.Await(d.path, "one\ntwo\nthree")
		d.Good("modify_nb_cells", d.in(change(0, "three 3", "")), nil)
		if got := d.Sources(d.path); !slices.Equal(got, []string{"one\ntwo\nthree 3"}) {
			t.Errorf("%q", got)
		}
		text := d.TextFile("alpha beta")
		d.Content(text)
		d.Good("replace_document_text", dict{"path": text, "position": 0, "length": 5, "text": "ALPHA", "reason": "louder"}, nil)
		var list pair.ListEditsResult
		d.Good("list_agent_edits", dict{"path": text}, &list)
		must.SliceLen(t, 1, list.Steps)
		test.Eq(t, "louder", list.Steps[0].Reason)
		test.Nil(t, list.Steps[0].CellIDs)
		d.Good("undo_agent", dict{"path": text}, nil)
		if got := d.Content(text).Content; got != "alpha beta" {
			t.Errorf("%q", got)
		}
	})
}

// The answers in words name steps and cells, show short cells, and say which parts were left.
func TestUndoInWords(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1", "b = 2")
		d.says("read_nb_cells", nil)
		d.says("modify_nb_cells", change(0, "a = 10", "tens"))
		d.says("insert_nb_cells", dict{"position": 2, "exec": false, "cells": []dict{{"content": "c"}}})
		list := d.says("list_agent_edits", nil)
		test.StrHasPrefix(t, "2 steps of yours, latest first:\n", list)
		test.StrContains(t, list, "insert_nb_cells, 0s ago, 2 ")
		test.StrHasSuffix(t, "0 c0: tens", list)
		gone := d.says("undo_agent", nil)
		test.StrContains(t, gone, "undid ")
		test.StrContains(t, gone, " insert_nb_cells; revision ")
		test.StrContains(t, gone, "; no longer there ")
		back := d.says("undo_agent", nil)
		test.StrContains(t, back, " modify_nb_cells; revision ")
		test.StrHasSuffix(t, ", before 1 c1; changed, now:\n@@0 c0\na = 1", back)
		if again := d.says("undo_agent", nil); !strings.HasPrefix(again, "all your edits in ") {
			t.Errorf("%s", again)
		}
		t.Logf("%s\n\n%s\n\n%s", list, gone, back)
	})
}
