package notebook_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// An outline has a line for each cell: its heading, the names that it defines or its first line, and its state.
func TestOutline(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 1\ndef f():\n    return x", "1/0", "print(x)", "## Plots\ntext")
		r.Read(path)
		r.Good("modify_nb_cells", modification(path, dict{"range": at(3), "type": "markdown"}), nil)
		r.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0, "end": 2}}}, nil)
		var got notebook.ReadResult
		r.Good("read_nb_cells", dict{"path": path, "outline": true}, &got)
		must.SliceLen(t, 4, got.Outline)
		test.Eq(t, []string{"x", "f()"}, got.Outline[0].Defines)
		test.Eq(t, "done", got.Outline[0].State)
		test.Eq(t, "failed", got.Outline[1].State)
		test.Eq(t, "print(x)", got.Outline[2].Line)
		test.Eq(t, "", got.Outline[2].State)
		test.Eq(t, "## Plots", got.Outline[3].Line)
		test.SliceLen(t, 0, got.Cells)
		got = notebook.ReadResult{}
		r.Good("read_nb_cells", dict{"path": path, "outline": true, "ranges": []dict{{"start": 3}}}, &got)
		test.SliceLen(t, 1, got.Outline)
		r.Bad("read_nb_cells", dict{"path": path, "outline": true, "cursor": "x"}, "cursor and outline")
	})
}
