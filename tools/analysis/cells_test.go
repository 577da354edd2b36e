package analysis_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// cellsIn returns the cells of a notebook file on disk.
func cellsIn(t *testing.T, file string) (metadata map[string]any, cells []map[string]any) {
	t.Helper()
	var nb struct {
		Cells    []map[string]any `json:"cells"`
		Metadata map[string]any   `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(file), &nb); err != nil {
		t.Fatal(err)
	}
	return nb.Metadata, nb.Cells
}

// A notebook is made beside the session's, and cells are added to it, which all participants see.
func TestAC4NotebookCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		person := r.Person()
		folder := r.Folder()
		own := folder + "/own.ipynb"
		r.Server.Write(t, own, r.Server.Read(t, r.Server.Notebook(t, "1")))
		s := r.Create(toolstest.Dict{"notebook_path": own})

		var made analysis.NotebookCreateResult
		r.Good("notebook_create", toolstest.Dict{"session_id": s.ID, "name": "résumé 日本"}, &made)
		path := folder + "/résumé 日本.ipynb"
		must.Eq(t, path, made.Path)
		must.Eq(t, "résumé 日本.ipynb", made.Name)
		must.SliceLen(t, 1, made.CellIDs)
		metadata, onDisk := cellsIn(t, r.Server.Read(t, path))
		spec, _ := metadata["kernelspec"].(map[string]any)
		test.EqOp[any](t, "python3", spec["name"], test.Sprint(metadata))
		test.NotEqOp[any](t, "", spec["display_name"], test.Sprint(metadata))
		must.SliceLen(t, 1, onDisk, must.Sprint(metadata))
		test.EqOp[any](t, made.CellIDs[0], onDisk[0]["id"], test.Sprint(metadata))
		test.EqOp[any](t, ydoc.Code, onDisk[0]["cell_type"], test.Sprint(metadata))
		test.Eq(t, "", render.JoinText(onDisk[0]["source"]), test.Sprint(metadata))

		var first, second, third analysis.CellResult
		r.Good("notebook_add_cell", toolstest.Dict{"session_id": s.ID, "notebook_name": "résumé 日本", "cell_type": "markdown", "source": "# 見出し 😀\r\nzwei"}, &first)
		test.Eq(t, path, first.Path)
		test.Eq(t, 1, *first.Index)
		test.Eq(t, 2, first.Count)
		test.NotEq(t, "", first.CellID)
		test.NotEq(t, "", first.Revision)
		r.Good("notebook_add_cell", toolstest.Dict{"session_id": s.ID, "notebook_name": "résumé 日本.ipynb", "cell_type": "code", "source": "print(1)", "position": 0}, &second)
		r.Good("notebook_add_cell", toolstest.Dict{"session_id": s.ID, "notebook_name": "/" + path, "cell_type": "code", "source": "", "position": 3}, &third)
		test.Eq(t, 0, *second.Index)
		test.Eq(t, 3, *third.Index)
		test.Eq(t, 4, third.Count)
		want := []string{second.CellID, made.CellIDs[0], first.CellID, third.CellID}
		got := r.Get(s.ID, "résumé 日本")
		test.SliceEqOp(t, want, toolstest.Ids(got.Cells))
		test.Eq(t, "# 見出し 😀\nzwei", got.Cells[2].Source)
		test.Eq(t, ydoc.Markdown, got.Cells[2].CellType)
		test.Eq(t, first.Revision, got.Cells[2].Revision)
		test.Eq(t, path, got.Path)
		test.Eq(t, 4, got.CellCount)
		if seen := person.Read(path); !slices.Equal(toolstest.Ids(seen.Cells), want) {
			t.Errorf("the person sees %+v", seen.Cells)
		}
		// The session stays in its notebook.
		got = r.Get(s.ID, "own")
		test.Eq(t, own, got.Path)
		test.SliceLen(t, 1, got.Cells)
	})
}

// A notebook is made with cells, in the root folder or any other that a path names, and never overwrites another.
func TestNotebookCreate(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		s := r.Create(nil)
		folder := r.Folder()
		name := r.Server.Name(t, ".ipynb")
		cells := []toolstest.Dict{{"cell_type": "markdown", "source": "# A\r\nB"}, {"cell_type": "code", "source": "x = '日'"}}
		var made analysis.NotebookCreateResult
		r.Good("notebook_create", toolstest.Dict{"session_id": s.ID, "name": name, "cells": cells}, &made)
		test.Eq(t, name, made.Path)
		test.Eq(t, name, made.Name)
		test.SliceLen(t, 2, made.CellIDs)
		got := r.Get(s.ID, strings.TrimSuffix(name, ".ipynb"))
		test.SliceEqOp(t, made.CellIDs, toolstest.Ids(got.Cells))
		test.Eq(t, "# A\nB", got.Cells[0].Source)
		test.Eq(t, ydoc.Markdown, got.Cells[0].CellType)
		test.Eq(t, "x = '日'", got.Cells[1].Source)
		r.Good("notebook_create", toolstest.Dict{"session_id": s.ID, "name": "/" + folder + "/v1.2"}, &made)
		if made.Path != folder+"/v1.2.ipynb" {
			t.Errorf("%+v", made)
		}
		unchanged := r.Server.Read(t, made.Path)
		args := func(name string) toolstest.Dict {
			return toolstest.Dict{"session_id": s.ID, "name": name, "cells": cells}
		}
		r.Refused(r.Client, "notebook_create", args(folder+"/v1.2"), analysis.CodeExists, "v1.2.ipynb", "another name")
		r.Refused(r.Client, "notebook_create", args(folder+"/v1.2.ipynb"), analysis.CodeExists)
		if r.Server.Read(t, made.Path) != unchanged {
			t.Error("the notebook was overwritten")
		}
		r.Refused(r.Client, "notebook_create", args(folder+"/none/a"), analysis.CodeFolder, folder+"/none", "file_list")
		for _, bad := range []string{"../a", "..", "a/../../b", "/", ".", ".ipynb", "  ", folder + "/", folder + "/.ipynb", "a\x00b"} {
			r.Refused(r.Client, "notebook_create", args(bad), analysis.CodePath)
		}
		r.Bad("notebook_create", args(strings.Repeat("x", 300)), "has 300 bytes, at most 255 are allowed")
		r.Refused(r.Client, "notebook_create", toolstest.Dict{"session_id": "none", "name": folder + "/b"}, deps.CodeSession, "session_create")
		r.Refused(r.Other(), "notebook_create", toolstest.Dict{"session_id": s.ID, "name": folder + "/b"}, deps.CodeSession)
		r.Bad("notebook_create", toolstest.Dict{"name": "b"}, `"session_id" is missing`)
		r.Bad("notebook_create", toolstest.Dict{"session_id": s.ID}, `"name" is missing`)
		r.Bad("notebook_create", toolstest.Dict{"session_id": s.ID, "name": 7}, "name is 7, wanted string")
		r.Bad("notebook_create", toolstest.Dict{"session_id": s.ID, "name": folder + "/b", "cells": []toolstest.Dict{{"cell_type": "raw", "source": ""}}}, `"code", "markdown"`)
		r.Bad("notebook_create", toolstest.Dict{"session_id": s.ID, "name": folder + "/b", "cells": []toolstest.Dict{{"cell_type": "code", "source": textfmt.Marker(5)}}}, "cells[0].source", "nothing was created")
		var list analysis.FileListResult
		r.Good("file_list", toolstest.Dict{"session_id": s.ID, "path": folder}, &list)
		if len(list.Files) != 1 {
			t.Errorf("left behind: %+v", list.Files)
		}
	})
}

// Cells are changed, moved and deleted by index and by id, by default in the session's own notebook.
func TestNotebookCellsAreChanged(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		person := r.Person()
		path := r.Server.Notebook(t, "a = 1", "b = 2", "c = 3")
		s := r.Create(toolstest.Dict{"notebook_path": path})
		person.Read(path)
		r.Read(path)

		var edited analysis.EditCellResult
		r.Good("notebook_edit_cell", toolstest.Dict{"session_id": s.ID, "cell_index": 1, "source": "b = 20"}, &edited)
		test.Eq(t, "c1", edited.CellID)
		test.Eq(t, 1, *edited.Index)
		must.Nil(t, edited.Merged)
		test.NotEq(t, "", edited.Revision)
		test.Eq(t, path, edited.Path)
		test.Eq(t, 3, edited.Count)
		r.Good("notebook_edit_cell", toolstest.Dict{"session_id": s.ID, "cell_id": "c1", "source": "b = 21", "revision": edited.Revision}, &edited)
		var moved analysis.CellResult
		r.Good("notebook_move_cell", toolstest.Dict{"session_id": s.ID, "cell_id": "c1", "position": 0}, &moved)
		test.Eq(t, "c1", moved.CellID)
		test.Eq(t, 0, *moved.Index)
		test.Eq(t, 3, moved.Count)
		r.Good("notebook_move_cell", toolstest.Dict{"session_id": s.ID, "cell_index": 0, "position": 2}, &moved)
		person.Sees(path, "a = 1", "c = 3", "b = 21")
		if got := person.Read(path).Cells; !slices.Equal(toolstest.Ids(got), []string{"c0", "c2", "c1"}) {
			t.Errorf("the person sees %+v", got)
		}
		var gone analysis.DeleteCellResult
		r.Good("notebook_delete_cell", toolstest.Dict{"session_id": s.ID, "cell_index": 1}, &gone)
		test.Eq(t, "c2", gone.Deleted)
		test.Eq(t, "c1", gone.Next)
		test.Eq(t, 2, gone.Count)
		r.Good("notebook_delete_cell", toolstest.Dict{"session_id": s.ID, "cell_id": "c1"}, &gone)
		test.Eq(t, "c1", gone.Deleted)
		test.Eq(t, "c0", gone.Next)
		test.Eq(t, 1, gone.Count)
		r.Good("notebook_delete_cell", toolstest.Dict{"session_id": s.ID, "cell_id": "c0"}, &gone)
		person.Sees(path, "")
		got := person.Read(path).Cells
		test.Eq(t, 1, gone.Count)
		must.SliceLen(t, 1, got)
		test.Eq(t, gone.Next, got[0].ID)
		test.Eq(t, "", got[0].Source)
		test.Eq(t, ydoc.Code, got[0].CellType)
	})
}

// A new source is a change from the text that the client was last shown; it loses nothing that people have typed since.
func TestNotebookEditIsMerged(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		person := r.Person()
		path := r.Server.Notebook(t, "first = 1\nsecond = 2\n", "x = 1")
		s := r.Create(toolstest.Dict{"notebook_path": path})
		shown := r.Get(s.ID, path).Cells
		types := func(at int, source string, then ...string) {
			t.Helper()
			person.UpToDate(path)
			person.Read(path)
			person.Good("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": at}, "content": source}}}, nil)
			r.Sees(path, then...)
		}
		types(0, "first = 1\nsecond = 22\n", "first = 1\nsecond = 22\n", "x = 1")
		var out analysis.EditCellResult
		r.Good("notebook_edit_cell", toolstest.Dict{"session_id": s.ID, "cell_index": 0, "source": "first = 11\nsecond = 2\n"}, &out)
		must.NotNil(t, out.Merged)
		test.Eq(t, "first = 11\nsecond = 22\n", *out.Merged)
		test.False(t, out.Truncated)
		test.StrContains(t, out.Message, "merged")
		types(1, "x = 100", "first = 11\nsecond = 22\n", "x = 100")
		before, _ := r.Room(path)
		r.Bad("notebook_edit_cell", toolstest.Dict{"session_id": s.ID, "cell_index": 1, "source": "x = 2"}, "nothing was changed", "Their change", "Your change")
		r.Bad("notebook_edit_cell", toolstest.Dict{"session_id": s.ID, "cell_id": "c1", "source": "x = 2", "revision": shown[1].Revision}, "nothing was changed")
		if after, _ := r.Room(path); after != before {
			t.Error("the notebook was changed")
		}
		now := r.Get(s.ID, path).Cells[1]
		r.Good("notebook_edit_cell", toolstest.Dict{"session_id": s.ID, "cell_index": 1, "source": "x = 2", "revision": now.Revision}, &out)
		person.Sees(path, "first = 11\nsecond = 22\n", "x = 2")
	})
}

// A refused call leaves the notebook unchanged.
func TestNotebookCellsRefuse(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a", "b")
		folder := r.Folder()
		r.Server.Write(t, folder+"/notes.md", "text")
		r.Server.Write(t, folder+"/sub.ipynb/inner.txt", "a folder with a notebook's name")
		s, bare := r.Create(toolstest.Dict{"notebook_path": path}), r.Create(nil)
		defer r.Unchanged(path)()

		elsewhere := r.Other()
		edits := map[string]toolstest.Dict{
			"notebook_add_cell":    {"notebook_name": path, "cell_type": "code", "source": "new"},
			"notebook_edit_cell":   {"cell_index": 0, "source": "new"},
			"notebook_delete_cell": {"cell_index": 0},
			"notebook_move_cell":   {"cell_index": 0, "position": 1},
			"notebook_get":         {},
		}
		for tool, good := range edits {
			with := func(more toolstest.Dict) toolstest.Dict {
				args := toolstest.Dict{"session_id": s.ID}
				for _, m := range []toolstest.Dict{good, more} {
					for k, v := range m {
						if args[k] = v; v == nil {
							delete(args, k)
						}
					}
				}
				return args
			}
			r.Refused(r.Client, tool, with(toolstest.Dict{"session_id": "nobody"}), deps.CodeSession, `"nobody"`, "session_create")
			r.Refused(elsewhere, tool, with(nil), deps.CodeSession, s.ID)
			r.Bad(tool, with(toolstest.Dict{"session_id": nil}), `"session_id" is missing`)
			r.Refused(r.Client, tool, with(toolstest.Dict{"notebook_name": "no such"}), deps.CodeNotebook, `"no such.ipynb"`, "notebook_create")
			r.Refused(r.Client, tool, with(toolstest.Dict{"notebook_name": folder + "/notes.md"}), analysis.CodeNotNotebook, "notes.md", "file_read")
			r.Refused(r.Client, tool, with(toolstest.Dict{"notebook_name": folder}), analysis.CodeNotNotebook, "folder", "file_list")
			r.Refused(r.Client, tool, with(toolstest.Dict{"notebook_name": folder + "/sub"}), analysis.CodeNotNotebook, "sub.ipynb", "folder")
			for _, bad := range []string{"../" + path, "..", "/", ".", "a/../../b", ".ipynb"} {
				r.Refused(r.Client, tool, with(toolstest.Dict{"notebook_name": bad}), analysis.CodePath)
			}
			r.Bad(tool, with(toolstest.Dict{"notebook_name": 1}), "notebook_name is 1, wanted string")
			r.Bad(tool, with(toolstest.Dict{"path": path}), `no argument "path"`)
			if tool == "notebook_add_cell" {
				continue
			}
			r.Refused(r.Client, tool, with(toolstest.Dict{"session_id": bare.ID}), deps.CodeNone, "give notebook_name")
			if tool == "notebook_get" {
				continue
			}
			r.Bad(tool, with(toolstest.Dict{"cell_index": nil}), "either cell_index or cell_id")
			r.Bad(tool, with(toolstest.Dict{"cell_id": "c0"}), "either cell_index or cell_id")
			r.Bad(tool, with(toolstest.Dict{"cell_index": -1}), "cell_index is -1")
			r.Bad(tool, with(toolstest.Dict{"cell_index": "first"}), "cell_index is the string")
			r.Bad(tool, with(toolstest.Dict{"cell_index": 0.5}), "cell_index is 0.5")
			r.Refused(r.Client, tool, with(toolstest.Dict{"cell_index": 2}), deps.CodeCell, "no cell 2", "2 cells, indexes 0 to 1")
			r.Refused(r.Client, tool, with(toolstest.Dict{"cell_index": nil, "cell_id": "none"}), deps.CodeCell, `"none"`, "notebook_get")
		}
		add := func(more toolstest.Dict) toolstest.Dict {
			args := toolstest.Dict{"session_id": s.ID, "notebook_name": path, "cell_type": "code", "source": "new"}
			for k, v := range more {
				args[k] = v
			}
			return args
		}
		r.Bad("notebook_add_cell", add(toolstest.Dict{"position": 3}), "position 3 is out of range", "2 appends", "nothing was added")
		r.Bad("notebook_add_cell", add(toolstest.Dict{"position": -1}), "position -1 is out of range")
		r.Bad("notebook_add_cell", add(toolstest.Dict{"position": "end"}), `position is the string "end"`)
		r.Bad("notebook_add_cell", add(toolstest.Dict{"cell_type": "raw"}), `"code", "markdown"`)
		r.Bad("notebook_add_cell", add(toolstest.Dict{"source": textfmt.Marker(9)}), "source contains the mark")
		r.Bad("notebook_add_cell", add(toolstest.Dict{"source": strings.Repeat("x", tool.MaxSource+1)}), "at most 1,000,000 allowed")
		edit := toolstest.Dict{"session_id": s.ID, "cell_index": 0, "source": textfmt.Marker(9)}
		r.Bad("notebook_edit_cell", edit, "contains the mark", "nothing was changed")
		edit["source"], edit["revision"] = "new", "the latest"
		r.Bad("notebook_edit_cell", edit, `revision "the latest" is not a revision`)
		move := toolstest.Dict{"session_id": s.ID, "cell_index": 0, "position": 2}
		r.Bad("notebook_move_cell", move, "position 2 is out of range", "indexes 0 to 1", "nothing was moved")
		move["position"] = -1
		r.Bad("notebook_move_cell", move, "position -1 is out of range")
		r.Bad("notebook_get", toolstest.Dict{"session_id": s.ID, "cursor": "x"}, "cursor")
	})
}

// If two notebooks have the name, it means the one beside the session's; one in the root folder is found from everywhere.
func TestNotebookNames(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		root := r.Server.Notebook(t, "in the root")
		folder := r.Folder()
		own := r.Server.Write(t, folder+"/own.ipynb", r.Server.Read(t, root))
		s := r.Create(toolstest.Dict{"notebook_path": own})
		if got := r.Get(s.ID, root); got.Path != root {
			t.Errorf("%s", got.Path)
		}
		beside := r.Server.Write(t, folder+"/"+root, r.Server.Read(t, root))
		for name, want := range map[string]string{root: beside, "/" + root: root, beside: beside, strings.TrimSuffix(beside, ".ipynb"): beside, "own": own} {
			if got := r.Get(s.ID, name); got.Path != want {
				t.Errorf("%s is %s, want %s", name, got.Path, want)
			}
		}
	})
}

// A notebook that does not fit in one answer is read in several.
func TestNotebookGetPages(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		var sources []string
		for range 12 {
			sources = append(sources, strings.Repeat("日本語 ", 20_000))
		}
		path := r.Server.Notebook(t, sources...)
		s := r.Create(toolstest.Dict{"notebook_path": path})
		args := toolstest.Dict{"session_id": s.ID, "maxCellData": notebook.MaxCellData}
		var got []string
		pages := 0
		for {
			pages++
			var page notebook.ReadResult
			r.Good("notebook_get", args, &page)
			got = append(got, toolstest.Ids(page.Cells)...)
			if page.Next == "" {
				break
			}
			args["cursor"] = page.Next
		}
		test.GreaterEq(t, 2, pages)
		must.SliceLen(t, 12, got)
		test.Eq(t, "c0", got[0])
		test.Eq(t, "c11", got[11])
		if got := r.Get(s.ID, path); !got.Truncated || len(got.Cells) != 12 || !got.Cells[0].Truncated.Source {
			t.Errorf("%+v", got)
		}
	})
}

// The next edit by a client is a change from the content that it created, even if it has not read it.
func TestNotebookCreatedIsKnown(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		s := r.Create(nil)
		var made analysis.NotebookCreateResult
		r.Good("notebook_create", toolstest.Dict{"session_id": s.ID, "name": r.Server.Name(t, ""), "cells": []toolstest.Dict{{"cell_type": "code", "source": "x = 1"}}}, &made)
		person := r.Person()
		person.Read(made.Path)
		person.Good("modify_nb_cells", toolstest.Dict{"path": made.Path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "x = 100"}}}, nil)
		edit := toolstest.Dict{"session_id": s.ID, "notebook_name": made.Path, "cell_id": made.CellIDs[0], "source": "x = 2"}
		r.Bad("notebook_edit_cell", edit, "nothing was changed", "| x = 100")
		r.Sees(made.Path, "x = 100")
		r.Bad("notebook_edit_cell", edit, "just refused")
		r.Good("notebook_edit_cell", toolstest.With(edit, "force", true), nil)
		person.Sees(made.Path, "x = 2")
	})
}
