package notebook_test

import (
	"slices"
	"testing"

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
			if now := r.Sources(path); !slices.Equal(now, want) || got.Position != first {
				t.Errorf("%v: %q, %+v", args, now, got)
			}
		}
		move(toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1, "end": 3}}, "position": 5}, 3, "a", "d", "e", "b", "c")
		move(toolstest.Dict{"ranges": []toolstest.Dict{{"start": 4}, {"start": 0}}, "position": 0}, 0, "c", "a", "d", "e", "b")
		move(toolstest.Dict{"ranges": []toolstest.Dict{{"id": cells[2].ID}}, "after_id": cells[3].ID}, 2, "a", "d", "c", "e", "b")
		move(toolstest.Dict{"ranges": []toolstest.Dict{{"start": 1, "end": 4}}, "position": 2}, 1, "a", "d", "c", "e", "b")
		r.Bad("move_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}, "position": 6}, "out of range")
		r.Bad("move_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, "position is missing")
	})
}

// watch_runs looks at a run, waits for it, and lists runs; delete_nb_cells clears outputs alone.
func TestWatchRunsAndClear(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "print('hello')", "1")
		r.Read(path)
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &ran)
		var view notebook.RunView
		r.Good("watch_runs", toolstest.Dict{"run_id": ran.Results[0].RunID, "wait": 5}, &view)
		if view.State != "done" || len(view.Outputs) != 1 {
			t.Errorf("%+v", view)
		}
		var list notebook.ListRunsResult
		r.Good("watch_runs", toolstest.Dict{}, &list)
		if list.Total == 0 || list.Runs[0].RunID != ran.Results[0].RunID {
			t.Errorf("%+v", list)
		}
		r.Bad("watch_runs", toolstest.Dict{"wait": 1}, "run_id is missing")
		r.Bad("watch_runs", toolstest.Dict{"run_id": "none"}, "there is no run")
		var cleared notebook.DeleteResult
		r.Good("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 2}}, "what": "outputs"}, &cleared)
		if cells := r.Read(path).Cells; cleared.Cleared != 2 || cleared.Deleted != 0 || len(cells) != 2 || len(cells[0].Outputs) != 0 {
			t.Errorf("%+v, %+v", cleared, cells)
		}
	})
}
