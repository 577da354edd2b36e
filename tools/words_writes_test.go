package tools_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// revisionIn finds the revision in the first line of an answer.
var revisionIn = regexp.MustCompile(`\brevision (\w+)`)

// letters writes a notebook with the cells a = 1, b = 2 …, which the client has read.
func (m *talk) letters(n int) (path string) {
	m.T.Helper()
	var cells []toolstest.Dict
	for i := range n {
		cells = append(cells, code(fmt.Sprintf("%c%03d", 'a'+i, i), fmt.Sprintf("%c = %d", 'a'+i, i+1)))
	}
	path = m.book(cells...)
	m.says("read_nb_cells", toolstest.Dict{"path": path})
	return path
}

// Each write answers a revision, from which changes are listed, and the neighbors of the changed cells.
func TestWritesTellTheirPlace(t *testing.T) {
	for name, one := range map[string]struct {
		tool string
		args toolstest.Dict
		want string
	}{
		"insert":           {"insert_nb_cells", toolstest.Dict{"position": 1, "exec": false, "cells": newCell("new")}, `, after 0 a000, before 2 b001`},
		"insert and run":   {"insert_nb_cells", toolstest.Dict{"position": 1, "cells": newCell("new = 1")}, `, after 0 a000, before 2 b001`},
		"insert at top":    {"insert_nb_cells", toolstest.Dict{"position": 0, "exec": false, "cells": newCell("new")}, `, before 1 a000`},
		"insert at end":    {"insert_nb_cells", toolstest.Dict{"position": 4, "exec": false, "cells": newCell("new")}, `, after 3 d003`},
		"modify":           {"modify_nb_cells", toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 1}, "content": "b"}}}, `, after 0 a000, before 2 c002`},
		"modify two apart": {"modify_nb_cells", toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "a"}, {"range": toolstest.Dict{"start": 3}, "content": "d"}}}, `, before 1 b001; after 2 c002`},
		"split":            {"modify_nb_cells", toolstest.Dict{"modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 1, "end": 3}, "merge": true}}}, `, after 0 a000, before 2 d003`},
		"edit":             {"edit_text", toolstest.Dict{"old_text": "c = 3", "new_text": "c = 4"}, `, after 1 b001, before 3 d003`},
		"move":             {"move_nb_cells", toolstest.Dict{"ranges": atCell(0), "position": 4}, `, after 2 d003`},
		"delete":           {"delete_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1, "end": 3}}}, `, after 0 a000, before 1 d003`},
		"clear outputs":    {"delete_nb_cells", toolstest.Dict{"ranges": atCell(0), "what": "outputs"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				m := newTalk(t)
				path := m.letters(4)
				first, _, _ := strings.Cut(m.says(one.tool, toolstest.With(one.args, "path", path)), "\n")
				test.StrHasSuffix(t, one.want, first)
				found := revisionIn.FindStringSubmatch(first)
				must.SliceLen(t, 2, found, must.Sprint(first))
				test.StrContains(t, m.says("changes_since", toolstest.Dict{"path": path, "revision": found[1]}), "nothing changed, ")
				if one.want != "" {
					m.says("undo_agent", toolstest.Dict{"path": path})
					test.Eq(t, "a = 1", m.there(path)[0].Source)
				}
			})
		})
	}
}

// The neighbors of at most three places are named.
func TestManyPlaces(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.letters(9)
		var mods []toolstest.Dict
		for i := 1; i < 9; i += 2 {
			mods = append(mods, toolstest.Dict{"range": toolstest.Dict{"start": i}, "content": "x"})
		}
		answer := m.says("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": mods})
		test.StrHasSuffix(t, `after 4 e004, before 6 g006; and 1 more place`, answer)
	})
}

// The indexes of an answer to a write refer to the notebook after it: the next call may use those of the neighbors.
func TestNeighborsAreNamedForTheNextCall(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.letters(4)
		m.says("delete_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(1)})
		m.says("edit_text", toolstest.Dict{"path": path, "range": toolstest.Dict{"start": 1}, "old_text": "c = 3", "new_text": "c = 30"})
		test.Eq(t, "c = 30", m.there(path)[1].Source)
	})
}

// The beginning of a neighbor's source is shown if the client does not know it. It cannot be mistaken for the answer's own
// words, and takes one line.
func TestHostileNeighbors(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		m := newTalk(t)
		for _, hostile := range hostileSources(30) {
			path := m.book(code("aaaa", hostile), code("bbbb", "b = 1"), code("cccc", hostile))
			m.says("read_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"id": "bbbb"}}})
			answer := m.says("edit_text", toolstest.Dict{"path": path, "range": toolstest.Dict{"id": "bbbb"}, "old_text": "b = 1", "new_text": "b = 2"})
			test.False(t, strings.Contains(answer, "\n"), test.Sprintf("%q", answer))
			test.StrHasPrefix(t, "replaced 1 in 1 bbbb; revision ", answer)
			test.StrContains(t, answer, `, after 0 aaaa "`)
			test.StrContains(t, answer, `, before 2 cccc "`)
			test.Less(t, 500, len(answer))
		}
	})
}

// A deletion answers the deleted sources, each cut, and not more than fit in the answer.
func TestDeletedSourcesAreShown(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		m := newTalk(t)
		long := strings.Repeat("x = 1\n", 200)
		path := m.book(code("aaaa", "a = 1"), code("bbbb", long), code("cccc", "c"))
		m.says("read_nb_cells", toolstest.Dict{"path": path})
		answer := m.says("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 2}}})
		test.StrHasPrefix(t, "deleted 2 cells, 1 left; revision ", answer)
		test.StrContains(t, answer, "\n@@ deleted 0 aaaa\na = 1\n@@ deleted 1 bbbb\nx = 1\n")
		test.StrContains(t, answer, "characters left out")
		test.Less(t, 700, len(answer))

		var cells []toolstest.Dict
		for i := range 500 {
			cells = append(cells, code(fmt.Sprintf("%04x", 0xa000+i), strings.Repeat("y = 1\n", 100)))
		}
		path = m.book(cells...)
		m.says("read_nb_cells", toolstest.Dict{"path": path, "outline": true})
		answer = m.says("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 500}}, "force": true})
		test.StrContains(t, answer, "deleted 500 cells, 1 left")
		test.StrContains(t, answer, "more deleted cells not shown; undo_agent restores them")
		test.Less(t, 10_000, len(answer))
	})
}

// The runs of several cells say whether all ran, which did not, and which are silent.
func TestRunsAreSummarised(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.book(code("aaaa", "a = 1"), code("bbbb", "print(a)"), code("cccc", "c = 1"), code("dddd", "1/0"), code("eeee", "e = 1"))
		first := func(start, end int) string {
			line, _, _ := strings.Cut(m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": start, "end": end}}}), "\n")
			return line
		}
		test.Eq(t, "all 3 ran; no output: 0 aaaa, 2 cccc", first(0, 3))
		test.Eq(t, "all 2 ran; no output: 2 cccc", first(1, 3))
		test.Eq(t, "3 of 5 succeeded; failed 3 dddd; not run 4 eeee; no output: 0 aaaa, 2 cccc", first(0, 5))
	})
}

// A client is sent a picture once, unless it reads the picture's cell alone; another client is sent it, too.
func TestPicturesAreSentOnce(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		m := newTalk(t)
		other := m.Connect(tools.Config{Work: m.Work})
		t.Cleanup(func() { test.NoError(t, other.Close()) })
		path := m.book(code("aaaa", "from IPython.display import display\ndisplay({'image/png': '"+onePixel+"'}, raw=True)"), code("bbbb", "b = 1"))
		pictures := func(name string, args toolstest.Dict) int {
			return len(toolstest.ImagesOf(m.result(name, toolstest.With(args, "path", path))))
		}
		test.Eq(t, 1, pictures("execute_nb_cells", toolstest.Dict{"ranges": atCell(0)}))
		test.Eq(t, 0, pictures("read_nb_cells", toolstest.Dict{}))
		again := regexp.MustCompile(`@@ image, 1×1, sent before; inspect_data shows it again: (jupyter://images/\w+)`).FindStringSubmatch(m.says("read_nb_cells", toolstest.Dict{"path": path}))
		must.SliceLen(t, 2, again)
		test.SliceLen(t, 1, toolstest.ImagesOf(m.result("inspect_data", toolstest.Dict{"path": again[1]})))
		test.Eq(t, 1, pictures("read_nb_cells", toolstest.Dict{"ranges": atCell(0)}))
		test.SliceLen(t, 1, toolstest.ImagesOf(m.CallAs(other, "read_nb_cells", toolstest.Dict{"path": path})))
		test.SliceLen(t, 0, toolstest.ImagesOf(m.CallAs(other, "read_nb_cells", toolstest.Dict{"path": path})))
		time.Sleep(11 * time.Minute) // perhaps another conversation
		test.Eq(t, 1, pictures("read_nb_cells", toolstest.Dict{}))
	})
}

// Answers and errors write the id of a cell in the same form.
func TestIDsHaveOneForm(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		m := newTalk(t)
		const id = "0f9a63be-6b0c-4c53-9f63-1de2b6d0c001"
		path := m.book(code(id, "a = 1"), code("77aa63be-6b0c-4c53-9f63-1de2b6d0c002", "print(1)"))
		unread := m.refuses("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": id}, "content": "b"}}})
		test.StrContains(t, unread, `cell "0f9a"`)
		m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(1)})
		test.StrContains(t, m.says("watch_runs", toolstest.Dict{}), ", 1 77aa, ")
		test.StrContains(t, m.says("watch_runs", toolstest.Dict{"run_id": "run-1"}), "\n@@1 77aa [1]\n@@ out\n1")
	})
}
