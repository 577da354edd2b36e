package pair_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func change(path string, index int, content, reason string) dict {
	return dict{
		"path": path, "exec": false, "reason": reason,
		"modifications": []dict{{"range": dict{"start": index}, "content": content}},
	}
}

// What a call did is one step, with the reason that it gave; it is taken back, and made again, beside what a person does.
// What was run is told.
func TestUndoTools(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a = 1", "b = 2", "c = 3")
		cells := r.Read(path).Cells
		at := dict{"path": path}
		var done pair.UndoResult
		r.Good("undo_agent", at, &done)
		if len(done.Steps) != 0 || !strings.Contains(done.Message, "was opened here at ") {
			t.Errorf("with nothing done: %+v", done)
		}
		r.Good("modify_nb_cells", change(path, 0, "a = 10", "rename\n  the a"), nil)
		var inserted notebook.InsertResult
		r.Good("insert_nb_cells", dict{"path": path, "position": 1, "cells": []dict{{"content": "new = 1"}}}, &inserted)
		r.Good("delete_nb_cells", dict{"path": path, "ranges": []dict{{"id": cells[2].ID}}, "reason": "unused"}, nil)
		r.Good("get_nb_stat", dict{"path": path, "reason": strings.Repeat("long ", 100)}, nil)
		var list pair.ListEditsResult
		r.Good("list_agent_edits", at, &list)
		var names []string
		for _, s := range list.Steps {
			names = append(names, s.Tool)
		}
		if !slices.Equal(names, []string{"delete_nb_cells", "insert_nb_cells", "modify_nb_cells"}) || list.Steps[2].Reason != "rename the a" ||
			list.Steps[0].Reason != "unused" || !slices.Equal(list.Steps[1].Ran, inserted.CellIDs) || !slices.Equal(list.Steps[2].CellIDs, []string{cells[0].ID}) {
			t.Errorf("%+v", list)
		}
		r.Bad("undo_agent", dict{"path": path, "step": "s9999"}, `no step "s9999"`, list.Steps[0].Step+", "+list.Steps[1].Step+", "+list.Steps[2].Step)
		r.Bad("undo_agent", dict{"path": path, "step": list.Steps[0].Step, "count": 1}, "step and count are both given")

		// A person goes on in the new cell, and in that which is not shown to the agent again.
		person := r.Person()
		person.Read(path)
		r.AwaitRevision(path, func() {
			person.Good("edit_text", dict{"path": path, "old_text": "new = 1", "new_text": "new = 1 # mine"}, nil)
		})
		r.Good("undo_agent", dict{"path": path, "count": 3}, &done)
		if got := r.Sources(path); !slices.Equal(got, []string{"a = 1", " # mine", "b = 2", "c = 3"}) {
			t.Errorf("%q", got)
		}
		if len(done.Steps) != 3 || len(done.Left) != 1 || done.Left[0].CellID != inserted.CellIDs[0] || !slices.Equal(done.Ran, inserted.CellIDs) {
			t.Errorf("%+v", done)
		}
		r.Good("redo_agent", dict{"path": path, "count": 2}, &done)
		if got := r.Sources(path); !slices.Equal(got, []string{"a = 10", "new = 1 # mine", "b = 2", "c = 3"}) {
			t.Errorf("%q", got)
		}
		// Another client of the same program has steps of its own.
		other := r.Other()
		if res := r.CallAs(other, "undo_agent", at); res.IsError || !strings.Contains(toolstest.MessageOf(res), "nothing of yours") {
			t.Errorf("%s", toolstest.MessageOf(res))
		}
		r.Good("modify_nb_cells", change(path, 2, "b = 20", ""), nil)
		r.Good("redo_agent", at, &done)
		if len(done.Steps) != 0 || !strings.Contains(done.Message, "can be made again") {
			t.Errorf("after an edit: %+v", done)
		}
	})
}

// What an undo brings back was not shown: a change from what was read before is merged with it, or refused, and destroys
// nothing. The tools of a set of its own take a reason, too.
func TestUndoneIsNotRead(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "one\ntwo\nthree")
		r.Read(path)
		person := r.Person()
		person.Read(path)
		r.Good("modify_nb_cells", change(path, 0, "three", ""), nil)
		person.Await(path, "three")
		r.Good("undo_agent", dict{"path": path}, nil)
		person.Await(path, "one\ntwo\nthree")
		r.Good("modify_nb_cells", change(path, 0, "three 3", ""), nil)
		if got := r.Sources(path); !slices.Equal(got, []string{"one\ntwo\nthree 3"}) {
			t.Errorf("%q", got)
		}
		text := r.TextFile("alpha beta")
		r.Content(text)
		r.Good("replace_document_text", dict{"path": text, "position": 0, "length": 5, "text": "ALPHA", "reason": "louder"}, nil)
		var list pair.ListEditsResult
		r.Good("list_agent_edits", dict{"path": text}, &list)
		if len(list.Steps) != 1 || list.Steps[0].Reason != "louder" || list.Steps[0].CellIDs != nil {
			t.Errorf("%+v", list)
		}
		r.Good("undo_agent", dict{"path": text}, nil)
		if got := r.Content(text).Content; got != "alpha beta" {
			t.Errorf("%q", got)
		}
	})
}

// The answers in words name steps and cells, show short cells, and say what was left.
func TestUndoInWords(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a = 1", "b = 2")
		c := r.Connect(tools.Config{Work: r.Work, Version: "test", Activity: r.Record})
		t.Cleanup(func() { _ = c.Close() })
		say := func(name string, args dict) string {
			t.Helper()
			res := r.CallAs(c, name, args)
			if res.IsError {
				t.Fatalf("%s: %s", name, toolstest.MessageOf(res))
			}
			return toolstest.MessageOf(res)
		}
		say("read_nb_cells", dict{"path": path})
		say("modify_nb_cells", change(path, 0, "a = 10", "tens"))
		say("insert_nb_cells", dict{"path": path, "position": 2, "exec": false, "cells": []dict{{"content": "c"}}})
		list := say("list_agent_edits", dict{"path": path})
		if !strings.HasPrefix(list, "2 steps of yours, last first:\n") || !strings.Contains(list, "insert_nb_cells, 0s ago, 2 ") || !strings.HasSuffix(list, "0 c0: tens") {
			t.Errorf("%s", list)
		}
		gone := say("undo_agent", dict{"path": path})
		if !strings.Contains(gone, "took back ") || !strings.Contains(gone, " insert_nb_cells; no longer there ") {
			t.Errorf("%s", gone)
		}
		back := say("undo_agent", dict{"path": path})
		if !strings.HasSuffix(back, " modify_nb_cells; changed, now:\n@@0 c0\na = 1") {
			t.Errorf("%s", back)
		}
		if again := say("undo_agent", dict{"path": path}); !strings.HasPrefix(again, "all that you changed in ") {
			t.Errorf("%s", again)
		}
		t.Logf("%s\n\n%s\n\n%s", list, gone, back)
	})
}
