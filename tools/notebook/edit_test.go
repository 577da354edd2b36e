package notebook_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestInsertNbCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "first", "last")
		var got notebook.InsertResult
		r.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 1, "exec": false, "cells": []toolstest.Dict{
			{"content": "x = 1\r\ny = 2"}, {"type": "markdown", "content": "# é😀"},
		}}, &got)
		test.Eq(t, "Successfully inserted cells", got.Message)
		test.False(t, got.Executed)
		must.Nil(t, got.Results)
		test.SliceLen(t, 2, got.CellIDs)
		r.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 4, "exec": false, "cells": []toolstest.Dict{{"content": "end"}}}, nil)
		cells := r.Read(path).Cells
		if got := r.Sources(path); !slices.Equal(got, []string{"first", "x = 1\ny = 2", "# é😀", "last", "end"}) {
			t.Errorf("sources = %q", got)
		}
		test.Eq(t, got.CellIDs[0], cells[1].ID)
		test.Eq(t, got.CellIDs[1], cells[2].ID)
		test.Eq(t, "markdown", cells[2].CellType)
		test.Eq(t, "code", cells[1].CellType)
		r.OnDisk(path, "first", "x = 1\ny = 2", "# é😀", "last", "end")
		r.Good("insert_nb_cells", toolstest.Dict{"path": path, "after_id": got.CellIDs[0], "exec": false, "cells": []toolstest.Dict{{"content": "by id"}}}, nil)
		if got := r.Sources(path); got[2] != "by id" {
			t.Errorf("sources = %q", got)
		}
	})
}

func TestInsertNbCellsRefuses(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a", "b")
		defer r.Unchanged(path)()
		insert := func(position any, cells ...toolstest.Dict) toolstest.Dict {
			return toolstest.Dict{"path": path, "position": position, "cells": cells}
		}
		r.Bad("insert_nb_cells", insert(3, toolstest.Dict{"content": ""}), "position 3", "2 cells", "2 appends")
		r.Bad("insert_nb_cells", insert(-1, toolstest.Dict{"content": ""}), "position -1", "2 cells")
		r.Bad("insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{}}, "cells is a list of 0")
		r.Bad("insert_nb_cells", insert(0, toolstest.Dict{"type": "heading", "content": ""}), `"heading"`, `"markdown"`)
		r.Bad("insert_nb_cells", insert(0, toolstest.Dict{"type": "code"}), `cells[0] lacks "content"`)
		r.Bad("insert_nb_cells", insert("top", toolstest.Dict{"content": ""}), `position is the string "top"`)
		r.Bad("insert_nb_cells", toolstest.Dict{"path": path, "cells": []toolstest.Dict{{"content": ""}}}, "position is missing", "2 cells")
		r.Bad("insert_nb_cells", toolstest.Dict{"path": path, "after_id": "gone", "cells": []toolstest.Dict{{"content": ""}}}, "after_id", `"gone"`)
		r.Bad("insert_nb_cells", toolstest.Dict{"path": path, "after_id": "c0", "position": 0, "cells": []toolstest.Dict{{"content": ""}}}, "both given")
		r.Bad("insert_nb_cells", insert(0, toolstest.Dict{"content": "a" + textfmt.Marker(1234) + "b"}), "cells[0].content", "mark of a cut text", "nothing was inserted")
		big := toolstest.Dict{"content": strings.Repeat("x", tool.MaxSource)}
		r.Bad("insert_nb_cells", insert(0, big, big, big, big, big), "5.0 MB", "4.0 MB")
	})
}

func TestModifyNbCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a", "b", "c", "d")
		before := r.Read(path).Cells
		var got notebook.ModifyResult
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{
			{"range": toolstest.Dict{"start": 3}, "content": "D\r\nd"},
			{"range": toolstest.Dict{"start": 0, "end": 2}, "content": "same"},
		}}, &got)
		test.Eq(t, "Successfully modified 2 cell ranges", got.Message)
		test.Eq(t, 2, got.ModifiedRanges)
		test.False(t, got.Executed)
		test.Nil(t, got.Merged)
		if want := []string{before[3].ID, before[0].ID, before[1].ID}; !slices.Equal(got.CellIDs, want) {
			t.Errorf("cell_ids = %v, want %v", got.CellIDs, want)
		}
		if got := r.Sources(path); !slices.Equal(got, []string{"same", "same", "c", "D\nd"}) {
			t.Errorf("sources = %q", got)
		}
		for i, c := range r.Read(path).Cells {
			if c.ID != before[i].ID {
				t.Errorf("cell %d has a new id", i)
			}
		}
		r.OnDisk(path, "same", "same", "c", "D\nd")
	})
}

func TestModifyNbCellsRefuses(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a", "b")
		defer r.Unchanged(path)()
		modify := func(mods ...toolstest.Dict) toolstest.Dict {
			return toolstest.Dict{"path": path, "modifications": mods}
		}
		ok := toolstest.Dict{"range": toolstest.Dict{"start": 0}, "content": "changed"}
		r.Bad("modify_nb_cells", modify(ok, toolstest.Dict{"range": toolstest.Dict{"start": 2}, "content": ""}), "modifications[1].range", "start 2", "2 cells")
		r.Bad("modify_nb_cells", modify(ok, toolstest.Dict{"range": toolstest.Dict{"start": -1}, "content": ""}), "start -1", "2 cells")
		r.Bad("modify_nb_cells", modify(ok, toolstest.Dict{"range": toolstest.Dict{"start": 1, "end": 0}, "content": ""}), "reversed", "2 cells")
		r.Bad("modify_nb_cells", modify(ok, toolstest.Dict{"range": toolstest.Dict{"start": 0, "end": 2}, "content": ""}), "both name cell 0")
		r.Bad("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{}}, "modifications is a list of 0")
		r.Bad("modify_nb_cells", modify(toolstest.Dict{"range": []toolstest.Dict{}, "content": ""}), "modifications[0].range is a list, wanted object")
		r.Bad("modify_nb_cells", modify(ok, toolstest.Dict{"range": toolstest.Dict{"id": "gone"}, "content": ""}), "modifications[1].range", `"gone"`)
		r.Bad("modify_nb_cells", modify(ok, toolstest.Dict{"range": toolstest.Dict{"id": "c0"}, "content": ""}), "both name cell 0")
		r.Bad("modify_nb_cells", modify(ok, toolstest.Dict{"range": toolstest.Dict{}, "content": ""}), "modifications[1].range lacks start")
		r.Bad("modify_nb_cells", modify(toolstest.Dict{"range": toolstest.Dict{"start": 0}, "content": "a" + textfmt.Marker(1234) + "b"}), "mark of a cut text", "nothing was changed")
		r.Bad("modify_nb_cells", modify(toolstest.Dict{"range": toolstest.Dict{"start": 0}}), "modifications[0] changes nothing")
	})
}

// A change is merged with other participants' changes of the cell since this client was shown it.
func TestModifyMergesWithOthers(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "price = 10\nlabel = 'old'\n", "untouched")
		person := r.Person()
		r.Read(path)
		person.Read(path)
		person.Good("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{
			{"range": toolstest.Dict{"start": 0}, "content": "price = 10\nlabel = 'old'  # by hand\n"},
		}}, nil)
		r.Await(path, "price = 10\nlabel = 'old'  # by hand\n")
		const merged = "price = 20\nlabel = 'old'  # by hand\n"
		var got notebook.ModifyResult
		change := toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "price = 20\nlabel = 'old'\n"}}}
		r.Good("modify_nb_cells", change, &got)
		must.SliceLen(t, 1, got.Merged)
		test.Eq(t, merged, got.Merged[0].Source)
		test.Eq(t, "c0", got.Merged[0].ID)
		person.Await(path, merged)

		// Both change the same word.
		person.Good("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{
			{"range": toolstest.Dict{"start": 0}, "content": strings.Replace(merged, "20", "33", 1), "revision": person.Read(path).Cells[0].Revision},
		}}, nil)
		r.UpToDate(path)
		r.Bad("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{
			{"range": toolstest.Dict{"start": 1}, "content": "must not be written either"},
			{"range": toolstest.Dict{"start": 0}, "content": strings.Replace(merged, "20", "21", 1)},
		}}, "nothing was changed", "Their change", "33", "Your change", "21")
		if got := r.Sources(path); !slices.Equal(got, []string{strings.Replace(merged, "20", "33", 1), "untouched"}) {
			t.Errorf("sources = %q", got)
		}
	})
}

// A change can name the revision that it is based on, whatever the client was shown since.
func TestModifyFromANamedRevision(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a = 1\nb = 1\n", "other")
		first := r.Read(path).Cells[0].Revision
		modify := func(content, revision string) toolstest.Dict {
			return toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": content, "revision": revision}}}
		}
		r.Good("modify_nb_cells", modify("a = 2\nb = 1\n", first), nil)
		r.Read(path)
		var got notebook.ModifyResult
		r.Good("modify_nb_cells", modify("a = 1\nb = 3\n", first), &got)
		must.SliceLen(t, 1, got.Merged)
		test.Eq(t, "a = 2\nb = 3\n", got.Merged[0].Source)
		defer r.Unchanged(path)()
		r.Bad("modify_nb_cells", modify("a = 7\nb = 1\n", first), "nothing was changed", "Their change")
		r.Bad("modify_nb_cells", modify("x", "the last"), "modifications[0].revision", "the last")
		r.Bad("modify_nb_cells", modify("x", toolstest.ForeignRevision(first)), "nothing was changed", "| a = 2", "Give this revision")
		r.Bad("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0, "end": 2}, "content": "x", "revision": first}}}, "2 cells", "nothing was changed")
	})
}

// The record of shown text from before the session ended still protects text that others have written since.
func TestModifyAfterTheSessionEnded(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "shared = 1", "mine = 1")
		r.Read(path)
		r.Good("end_nb_session", toolstest.Dict{"path": path}, nil)
		person := r.Person()
		person.Read(path)
		person.Good("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "shared = 2"}}}, nil)
		change := func(index int, content string) toolstest.Dict {
			return toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": index}, "content": content}}}
		}
		r.Bad("modify_nb_cells", change(0, "shared = 3"), "nothing was changed", `"c0"`, "| shared = 2")
		r.Bad("modify_nb_cells", change(0, "shared = 3"), "just refused")
		r.Good("modify_nb_cells", change(1, "mine = 2"), nil)
		if got := r.Sources(path); !slices.Equal(got, []string{"shared = 2", "mine = 2"}) {
			t.Errorf("sources = %q", got)
		}
		// Other content is a change from the text that the refusal showed.
		r.Good("modify_nb_cells", change(0, "shared = 4"), nil)
	})
}

func TestDeleteNbCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a", "b", "c", "d", "e", "f")
		r.Read(path)
		var got notebook.DeleteResult
		r.Good("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 4}, {"start": 0, "end": 2}, {"start": 1, "end": 3}}}, &got)
		test.Eq(t, "Successfully deleted 4 cells", got.Message)
		test.Eq(t, 4, got.Deleted)
		test.NotEq(t, "", got.Revision)
		must.SliceLen(t, 4, got.Cells)
		test.Eq(t, "e", got.Cells[0].Source)
		if got := r.Sources(path); !slices.Equal(got, []string{"d", "f"}) {
			t.Errorf("sources = %q", got)
		}
		r.OnDisk(path, "d", "f")
		r.Good("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"id": "c5"}}}, &got)
		if got := r.Sources(path); !slices.Equal(got, []string{"d"}) {
			t.Errorf("sources = %q", got)
		}
		r.Good("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &got)
		cells := r.Read(path).Cells
		test.Eq(t, 1, got.Deleted, test.Sprint("all deleted"))
		must.SliceLen(t, 1, cells, must.Sprint("all deleted"))
		test.Eq(t, "", cells[0].Source, test.Sprint("all deleted"))
		test.Eq(t, "code", cells[0].CellType, test.Sprint("all deleted"))
	})
}

func TestDeleteNbCellsRefuses(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a", "b")
		defer r.Unchanged(path)()
		del := func(ranges ...toolstest.Dict) toolstest.Dict { return toolstest.Dict{"path": path, "ranges": ranges} }
		r.Bad("delete_nb_cells", del(toolstest.Dict{"start": 0}, toolstest.Dict{"start": 2}), "start 2", "2 cells")
		r.Bad("delete_nb_cells", del(toolstest.Dict{"start": 2, "end": 3}), "end 3", "2 cells")
		r.Bad("delete_nb_cells", del(toolstest.Dict{"start": -1}), "start -1", "2 cells")
		r.Bad("delete_nb_cells", del(toolstest.Dict{"start": 1, "end": 0}), "reversed", "2 cells")
		r.Bad("delete_nb_cells", del(toolstest.Dict{"start": 1, "end": 1}), "empty", "2 cells")
		r.Bad("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{}}, "ranges is a list of 0")
		r.Bad("delete_nb_cells", toolstest.Dict{"path": path}, `"ranges" is missing`)
	})
}
