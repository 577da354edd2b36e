package notebook_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

type dict = toolstest.Dict

// modification is a call of modify_nb_cells with these modifications.
func modification(path string, mods ...dict) dict {
	return dict{"path": path, "modifications": mods}
}

// at names the cell at an index.
func at(index int) dict { return dict{"start": index} }

// Cells are retyped, split, merged and moved in one call, which is one step for undo.
func TestReshape(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a = 1\nb = 2\n\nc = 3", "d", "e", "# Title")
		before := r.Read(path).Cells
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0, "end": 1}}}, &ran)
		var got notebook.ModifyResult
		r.Good("modify_nb_cells", modification(path,
			dict{"range": at(0), "split_at": []int{2, 4}},
			dict{"range": dict{"start": 1, "end": 3}, "merge": true},
			dict{"range": at(3), "type": "markdown", "position": 0},
		), &got)
		test.False(t, got.Executed)
		now := r.Read(path).Cells
		test.Eq(t, []string{"# Title", "a = 1", "b = 2", "c = 3", "d\n\ne"}, r.Sources(path))
		test.Eq(t, before[3].ID, now[0].ID)
		test.Eq(t, before[0].ID, now[3].ID)
		test.Eq(t, before[1].ID, now[4].ID)
		test.Eq(t, "markdown", now[0].CellType)
		test.NotNil(t, now[3].ExecutionCount)
		test.Nil(t, now[1].ExecutionCount)
		r.Good("undo_agent", dict{"path": path}, nil)
		test.Eq(t, []string{"a = 1\nb = 2\n\nc = 3", "d", "e", "# Title"}, r.Sources(path))
		after := r.Read(path).Cells
		for i := range before {
			test.Eq(t, before[i].ID, after[i].ID)
			test.Eq(t, before[i].CellType, after[i].CellType)
		}
	})
}

// A new source and a new type in one modification; only code with new content is run.
func TestRetypeWithContent(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a", "b")
		r.Read(path)
		var got notebook.ModifyResult
		r.Good("modify_nb_cells", modification(path, dict{"range": at(0), "type": "raw", "content": "raw text"}, dict{"range": at(1), "content": "1"}), &got)
		must.SliceLen(t, 1, got.Results)
		test.Eq(t, got.CellIDs[1], got.Results[0].CellID)
		cells := r.Read(path).Cells
		test.Eq(t, "raw", cells[0].CellType)
		test.Eq(t, "raw text", cells[0].Source)
		r.Good("insert_nb_cells", dict{"path": path, "position": 0, "cells": []dict{{"type": "raw", "content": "r"}}}, nil)
		test.Eq(t, "raw", r.Read(path).Cells[0].CellType)
	})
}

// Changes of the shape that do not fit are refused with the reason, and nothing is changed.
func TestReshapeRefused(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a\nb", "c", "# d")
		r.Good("modify_nb_cells", modification(path, dict{"range": dict{"id": r.Read(path).Cells[2].ID}, "type": "markdown"}), nil)
		before := r.Read(path).Cells
		for says, mod := range map[string]dict{
			"changes nothing":       {"range": at(0)},
			"more than one of":      {"range": at(0), "content": "x", "split_at": []int{2}},
			"splits 2 cells":        {"range": dict{"start": 0, "end": 2}, "split_at": []int{2}},
			"before line 1":         {"range": at(0), "split_at": []int{1}},
			"before line 3":         {"range": at(0), "split_at": []int{3}},
			"merges one cell":       {"range": at(0), "merge": true},
			"two cells of one type": {"range": dict{"start": 1, "end": 3}, "merge": true},
		} {
			r.Bad("modify_nb_cells", modification(path, mod), says)
		}
		test.Eq(t, before, r.Read(path).Cells)
		r.Good("modify_nb_cells", modification(path, dict{"range": dict{"start": 1, "end": 3}, "merge": true, "type": "markdown"}), nil)
		test.Eq(t, []string{"a\nb", "c\n\n# d"}, r.Sources(path))
	})
}

// The same split again by the same index, which is now that of the first part, is refused.
func TestSplitTwice(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a\nb\nc\nd")
		r.Read(path)
		split := modification(path, dict{"range": at(0), "split_at": []int{2, 3}})
		r.Good("modify_nb_cells", split, nil)
		r.Bad("modify_nb_cells", split, "before line 2")
		test.Eq(t, []string{"a", "b", "c\nd"}, r.Sources(path))
	})
}

// A range past the end is cut, and the answer says so.
func TestRangePastTheEnd(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a", "b", "c")
		var got notebook.ReadResult
		res := r.Good("read_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 99}}}, &got)
		test.SliceLen(t, 2, got.Cells)
		test.StrContains(t, toolstest.MessageOf(res), "ranges[0] (start 1, end 99) was cut: the notebook has 3 cells, indexes 0 to 2")
		r.Read(path)
		res = r.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 2, "end": 4}}}, nil)
		test.StrContains(t, toolstest.MessageOf(res), "was cut")
	})
}
