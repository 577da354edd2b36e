package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/session/words"

	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/notebook"
)

// onDisk waits until the file holds the sources, as the server's autosave writes them.
func (r *rig) onDisk(path string, want ...string) {
	r.t.Helper()
	var got []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var nb struct {
			Cells []struct{ Source any } `json:"cells"`
		}
		if err := json.Unmarshal([]byte(r.server.Read(r.t, path)), &nb); err == nil {
			got = nil
			for _, c := range nb.Cells {
				got = append(got, desk.JoinText(c.Source))
			}
			if slices.Equal(got, want) {
				return
			}
		}
	}
	r.t.Errorf("the file holds %q, want %q", got, want)
}

func TestInsertNbCells(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, "first", "last")
	var got notebook.InsertResult
	r.good("insert_nb_cells", dict{"path": path, "position": 1, "exec": false, "cells": []dict{
		{"content": "x = 1\r\ny = 2"}, {"type": "markdown", "content": "# é😀"},
	}}, &got)
	if got.Message != "Successfully inserted cells" || got.Executed || got.Results != nil || len(got.CellIDs) != 2 {
		t.Errorf("insert = %+v", got)
	}
	r.good("insert_nb_cells", dict{"path": path, "position": 4, "exec": false, "cells": []dict{{"content": "end"}}}, nil)
	cells := r.read(path).Cells
	if got := r.sources(path); !slices.Equal(got, []string{"first", "x = 1\ny = 2", "# é😀", "last", "end"}) {
		t.Errorf("sources = %q", got)
	}
	if cells[1].ID != got.CellIDs[0] || cells[2].ID != got.CellIDs[1] || cells[2].CellType != "markdown" || cells[1].CellType != "code" {
		t.Errorf("cells = %+v, ids %v", cells, got.CellIDs)
	}
	r.onDisk(path, "first", "x = 1\ny = 2", "# é😀", "last", "end")
	r.good("insert_nb_cells", dict{"path": path, "after_id": got.CellIDs[0], "exec": false, "cells": []dict{{"content": "by id"}}}, nil)
	if got := r.sources(path); got[2] != "by id" {
		t.Errorf("sources = %q", got)
	}
}

func TestInsertNbCellsRefuses(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, "a", "b")
	defer r.unchanged(path)()
	insert := func(position any, cells ...dict) dict {
		return dict{"path": path, "position": position, "cells": cells}
	}
	r.bad("insert_nb_cells", insert(3, dict{"content": ""}), "position 3", "2 cells", "2 appends")
	r.bad("insert_nb_cells", insert(-1, dict{"content": ""}), "position -1", "2 cells")
	r.bad("insert_nb_cells", dict{"path": path, "position": 0, "cells": []dict{}}, "cells is a list of 0")
	r.bad("insert_nb_cells", insert(0, dict{"type": "heading", "content": ""}), `"heading"`, `"markdown"`)
	r.bad("insert_nb_cells", insert(0, dict{"type": "code"}), `cells[0] lacks "content"`)
	r.bad("insert_nb_cells", insert("0", dict{"content": ""}), `position is the string "0"`)
	r.bad("insert_nb_cells", dict{"path": path, "cells": []dict{{"content": ""}}}, "position is missing", "2 cells")
	r.bad("insert_nb_cells", dict{"path": path, "after_id": "gone", "cells": []dict{{"content": ""}}}, "after_id", `"gone"`)
	r.bad("insert_nb_cells", dict{"path": path, "after_id": "c0", "position": 0, "cells": []dict{{"content": ""}}}, "both given")
	r.bad("insert_nb_cells", insert(0, dict{"content": "a" + words.Marker(1234) + "b"}), "cells[0].content", "mark of a cut text", "nothing was inserted")
	big := dict{"content": strings.Repeat("x", desk.MaxSource)}
	r.bad("insert_nb_cells", insert(0, big, big, big, big, big), "5.0 MB", "4.0 MB")
}

func TestModifyNbCells(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, "a", "b", "c", "d")
	before := r.read(path).Cells
	var got notebook.ModifyResult
	r.good("modify_nb_cells", dict{"path": path, "exec": false, "modifications": []dict{
		{"range": dict{"start": 3}, "content": "D\r\nd"},
		{"range": dict{"start": 0, "end": 2}, "content": "same"},
	}}, &got)
	if got.Message != "Successfully modified 2 cell ranges" || got.ModifiedRanges != 2 || got.Executed || got.Merged != nil {
		t.Errorf("modify = %+v", got)
	}
	if want := []string{before[3].ID, before[0].ID, before[1].ID}; !slices.Equal(got.CellIDs, want) {
		t.Errorf("cell_ids = %v, want %v", got.CellIDs, want)
	}
	if got := r.sources(path); !slices.Equal(got, []string{"same", "same", "c", "D\nd"}) {
		t.Errorf("sources = %q", got)
	}
	for i, c := range r.read(path).Cells {
		if c.ID != before[i].ID {
			t.Errorf("cell %d has a new id", i)
		}
	}
	r.onDisk(path, "same", "same", "c", "D\nd")
}

func TestModifyNbCellsRefuses(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, "a", "b")
	defer r.unchanged(path)()
	modify := func(mods ...dict) dict { return dict{"path": path, "modifications": mods} }
	ok := dict{"range": dict{"start": 0}, "content": "changed"}
	r.bad("modify_nb_cells", modify(ok, dict{"range": dict{"start": 2}, "content": ""}), "modifications[1].range", "start 2", "2 cells")
	r.bad("modify_nb_cells", modify(ok, dict{"range": dict{"start": -1}, "content": ""}), "start -1", "2 cells")
	r.bad("modify_nb_cells", modify(ok, dict{"range": dict{"start": 1, "end": 0}, "content": ""}), "reversed", "2 cells")
	r.bad("modify_nb_cells", modify(ok, dict{"range": dict{"start": 0, "end": 2}, "content": ""}), "both name cell 0")
	r.bad("modify_nb_cells", dict{"path": path, "modifications": []dict{}}, "modifications is a list of 0")
	r.bad("modify_nb_cells", modify(dict{"range": []dict{}, "content": ""}), "modifications[0].range is a list, wanted object")
	r.bad("modify_nb_cells", modify(ok, dict{"range": dict{"id": "gone"}, "content": ""}), "modifications[1].range", `"gone"`)
	r.bad("modify_nb_cells", modify(ok, dict{"range": dict{"id": "c0"}, "content": ""}), "both name cell 0")
	r.bad("modify_nb_cells", modify(ok, dict{"range": dict{}, "content": ""}), "modifications[1].range lacks start")
	r.bad("modify_nb_cells", modify(dict{"range": dict{"start": 0}, "content": "a" + words.Marker(1234) + "b"}), "mark of a cut text", "nothing was changed")
	r.bad("modify_nb_cells", modify(dict{"range": dict{"start": 0}}), `modifications[0] lacks "content"`)
}

// A change is merged with what somebody else has done to the cell since this client was shown it.
func TestModifyMergesWithOthers(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, "price = 10\nlabel = 'old'\n", "untouched")
	person := r.person()
	r.read(path)
	person.good("modify_nb_cells", dict{"path": path, "exec": false, "modifications": []dict{
		{"range": dict{"start": 0}, "content": "price = 10\nlabel = 'old'  # by hand\n"},
	}}, nil)
	r.await(path, "price = 10\nlabel = 'old'  # by hand\n")
	const merged = "price = 20\nlabel = 'old'  # by hand\n"
	var got notebook.ModifyResult
	change := dict{"path": path, "exec": false, "modifications": []dict{{"range": dict{"start": 0}, "content": "price = 20\nlabel = 'old'\n"}}}
	r.good("modify_nb_cells", change, &got)
	if len(got.Merged) != 1 || got.Merged[0].Source != merged || got.Merged[0].ID != "c0" {
		t.Errorf("merged_cells = %+v", got.Merged)
	}
	person.await(path, merged)

	// Both change the same word.
	person.read(path)
	person.good("modify_nb_cells", dict{"path": path, "exec": false, "modifications": []dict{
		{"range": dict{"start": 0}, "content": strings.Replace(merged, "20", "33", 1)},
	}}, nil)
	r.awaitRevision(path, func() {
		r.bad("modify_nb_cells", dict{"path": path, "exec": false, "modifications": []dict{
			{"range": dict{"start": 1}, "content": "must not be written either"},
			{"range": dict{"start": 0}, "content": strings.Replace(merged, "20", "21", 1)},
		}}, "nothing was changed", "Their change", "33", "Your change", "21")
	})
	if got := r.sources(path); !slices.Equal(got, []string{strings.Replace(merged, "20", "33", 1), "untouched"}) {
		t.Errorf("sources = %q", got)
	}
}

// A change names the revision that it is from, whatever the client was shown since.
func TestModifyFromANamedRevision(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, "a = 1\nb = 1\n", "other")
	first := r.read(path).Cells[0].Revision
	modify := func(content, revision string) dict {
		return dict{"path": path, "exec": false, "modifications": []dict{{"range": dict{"start": 0}, "content": content, "revision": revision}}}
	}
	r.good("modify_nb_cells", modify("a = 2\nb = 1\n", first), nil)
	r.read(path)
	var got notebook.ModifyResult
	r.good("modify_nb_cells", modify("a = 1\nb = 3\n", first), &got)
	if len(got.Merged) != 1 || got.Merged[0].Source != "a = 2\nb = 3\n" {
		t.Errorf("merged_cells = %+v", got.Merged)
	}
	defer r.unchanged(path)()
	r.bad("modify_nb_cells", modify("a = 7\nb = 1\n", first), "nothing was changed", "Their change")
	r.bad("modify_nb_cells", modify("x", "abc"), "modifications[0].revision", "abc")
	r.bad("modify_nb_cells", modify("x", "1"), "nothing was changed", "read the cell again")
	r.bad("modify_nb_cells", dict{"path": path, "modifications": []dict{{"range": dict{"start": 0, "end": 2}, "content": "x", "revision": first}}}, "2 cells", "nothing was changed")
}

// await waits for the first cell's source in r's own replica, without r's client being shown anything.
func (r *rig) await(path, want string) {
	r.t.Helper()
	doc, err := r.work.Open(r.t.Context(), path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer doc.Release()
	var got string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		if c, ok := doc.Notebook().CellAt(0); ok {
			if got = c.Source; got == want {
				return
			}
		}
	}
	r.t.Fatalf("the first cell is %q, want %q", got, want)
}

// awaitRevision waits until r's replica holds what was written last by others, then does f.
func (r *rig) awaitRevision(path string, f func()) {
	r.t.Helper()
	r.upToDate(path)
	f()
}

// upToDate waits until r's replica holds all that the room has by now.
func (r *rig) upToDate(path string) {
	r.t.Helper()
	doc, err := r.work.Open(r.t.Context(), path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer doc.Release()
	if err := doc.Settled(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// What a client was shown before the session ended still protects what others have written since.
func TestModifyAfterTheSessionEnded(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, "shared = 1", "mine = 1")
	r.read(path)
	r.good("end_nb_session", dict{"path": path}, nil)
	person := r.person()
	person.good("modify_nb_cells", dict{"path": path, "exec": false, "modifications": []dict{{"range": dict{"start": 0}, "content": "shared = 2"}}}, nil)
	change := func(index int, content string) dict {
		return dict{"path": path, "exec": false, "modifications": []dict{{"range": dict{"start": index}, "content": content}}}
	}
	r.bad("modify_nb_cells", change(0, "shared = 3"), "nothing was changed", `"c0"`, "read the cell again")
	r.good("modify_nb_cells", change(1, "mine = 2"), nil)
	if got := r.sources(path); !slices.Equal(got, []string{"shared = 2", "mine = 2"}) {
		t.Errorf("sources = %q", got)
	}
	// Now it has been shown the cell.
	r.good("modify_nb_cells", change(0, "shared = 3"), nil)
}

func TestDeleteNbCells(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, "a", "b", "c", "d", "e", "f")
	var got notebook.DeleteResult
	r.good("delete_nb_cells", dict{"path": path, "ranges": []dict{{"start": 4}, {"start": 0, "end": 2}, {"start": 1, "end": 3}}}, &got)
	if got != (notebook.DeleteResult{Message: "Successfully deleted 4 cells", Deleted: 4}) {
		t.Errorf("delete = %+v", got)
	}
	if got := r.sources(path); !slices.Equal(got, []string{"d", "f"}) {
		t.Errorf("sources = %q", got)
	}
	r.onDisk(path, "d", "f")
	r.good("delete_nb_cells", dict{"path": path, "ranges": []dict{{"id": "c5"}}}, &got)
	if got := r.sources(path); !slices.Equal(got, []string{"d"}) {
		t.Errorf("sources = %q", got)
	}
	r.good("delete_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0}}}, &got)
	cells := r.read(path).Cells
	if got.Deleted != 1 || len(cells) != 1 || cells[0].Source != "" || cells[0].CellType != "code" {
		t.Errorf("all deleted: %+v, left %+v", got, cells)
	}
}

func TestDeleteNbCellsRefuses(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, "a", "b")
	defer r.unchanged(path)()
	del := func(ranges ...dict) dict { return dict{"path": path, "ranges": ranges} }
	r.bad("delete_nb_cells", del(dict{"start": 0}, dict{"start": 2}), "start 2", "2 cells")
	r.bad("delete_nb_cells", del(dict{"start": 0, "end": 3}), "end 3", "2 cells")
	r.bad("delete_nb_cells", del(dict{"start": -1}), "start -1", "2 cells")
	r.bad("delete_nb_cells", del(dict{"start": 1, "end": 0}), "reversed", "2 cells")
	r.bad("delete_nb_cells", del(dict{"start": 1, "end": 1}), "empty", "2 cells")
	r.bad("delete_nb_cells", dict{"path": path, "ranges": []dict{}}, "ranges is a list of 0")
	r.bad("delete_nb_cells", dict{"path": path}, `"ranges" is missing`)
}
