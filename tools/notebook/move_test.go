package notebook_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Cells are moved together, in the order given, and keep their ids.
func TestMoveCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "a", "b", "c", "d", "e")
		cells := r.Read(path).Cells
		move := func(args toolstest.Dict, first int, want ...string) {
			t.Helper()
			args["path"] = path
			var got notebook.MoveResult
			r.Good("move_nb_cells", args, &got)
			now := r.Sources(path)
			test.SliceEqOp(t, want, now, test.Sprint(args))
			test.Eq(t, first, got.Position, test.Sprint(args))
		}
		move(toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1, "end": 3}}, "position": 5}, 3, "a", "d", "e", "b", "c")
		move(toolstest.Dict{"ranges": []toolstest.Dict{{"start": 4}, {"start": 0}}, "position": 0}, 0, "c", "a", "d", "e", "b")
		move(toolstest.Dict{"ranges": []toolstest.Dict{{"id": cells[2].ID}}, "after_id": cells[3].ID}, 2, "a", "d", "c", "e", "b")
		move(toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1, "end": 4}}, "position": 2}, 1, "a", "d", "c", "e", "b")
		r.Bad("move_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}, "position": 6}, "out of range")
		r.Bad("move_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, "position is missing")
	})
}

// watch_runs shows a run, waits for it, and lists runs; delete_nb_cells can clear only outputs.
func TestWatchRunsAndClear(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "print('hello')", "1")
		r.Read(path)
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &ran)
		var view notebook.RunView
		r.Good("watch_runs", toolstest.Dict{"run_id": ran.Results[0].RunID, "wait": 5}, &view)
		test.Eq(t, "done", view.State)
		test.SliceLen(t, 1, view.Outputs)
		var list notebook.ListRunsResult
		r.Good("watch_runs", toolstest.Dict{}, &list)
		test.NotEq(t, 0, list.Total)
		test.Eq(t, ran.Results[0].RunID, list.Runs[0].RunID)
		r.Bad("watch_runs", toolstest.Dict{"wait": 1}, "run_id is missing")
		r.Bad("watch_runs", toolstest.Dict{"run_id": "none"}, "no run")
		var cleared notebook.DeleteResult
		r.Good("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 2}}, "what": "outputs"}, &cleared)
		cells := r.Read(path).Cells
		test.Eq(t, 2, cleared.Cleared)
		test.Eq(t, 0, cleared.Deleted)
		must.SliceLen(t, 2, cells)
		test.SliceEmpty(t, cells[0].Outputs)
	})
}
