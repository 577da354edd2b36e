package pair_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/ydoc"
)

// A person marks cells in their metadata: one that agents do not touch, and one that they do not run.
func TestMarksInMetadata(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "x = 1", "y = 2", "z = 3")
		d.Read(d.path)
		ada := d.person("Ada")
		marks := func(cell string, value any) {
			t.Helper()
			d.types(ada, func(e *ydoc.Editor) error { return e.SetCellMetadata(cell, "nbduet", value) })
			ada.Reaches()
			settle()
		}
		marks("c1", dict{"hands_off": dict{"name": "Ada"}})
		marks("c2", dict{"ask_to_run": true})
		runs := func(at int) dict { return d.in(dict{"ranges": []dict{{"start": at}}}) }
		holds(t, d.says("read_nb_cells", nil), "hands off", "runs with permission")
		d.Bad("modify_nb_cells", d.in(change(1, "y = 3", "")), "hands_off: Ada keeps agents out of cell 1", "nothing was written")
		d.Bad("execute_nb_cells", runs(1), "hands_off: Ada", "nothing was run")
		d.Bad("execute_nb_cells", runs(2), "ask_to_run: cell 2", "nothing was run", "ask your user to run it in the tab")
		d.Bad("restart_nb_kernel", d.in(nil), "hands_off: Ada")
		d.Good("modify_nb_cells", d.in(change(2, "z = 4", "")), nil)
		marks("c1", nil)
		var out notebook.RestartResult
		d.Good("restart_nb_kernel", d.in(nil), &out)
		test.StrContains(t, out.Message, "executed cells; passed over 1 cell that only a person may run (ask_to_run): c2")
		must.SliceLen(t, 2, out.Results)
		holds(t, d.says("restart_nb_kernel", nil), "passed over 1 cell")
		marks("c0", dict{"ask_to_run": true})
		marks("c1", dict{"ask_to_run": true})
		d.Good("restart_nb_kernel", d.in(nil), &out)
		test.StrContains(t, out.Message, "no code cells to execute; passed over 3 cells")
		test.False(t, out.CellsExecuted)
	})
}
