package notebook_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// epochs returns code that prints a line for each of n files, once it exists: the gate's name and a number.
func epochs(gate string, n int) string {
	return fmt.Sprintf("import os, time\nfor i in range(%d):\n    while not os.path.exists(%q + str(i)):\n        time.sleep(0.02)\n    print('epoch ' + str(i) + ' of a run')\n", n, gate)
}

// A look at a running cell shows only outputs that are new since the last one. After the end, a further look shows all again.
func TestWatchShowsOnlyWhatIsNew(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		gate := r.Server.Name(t, ".gate")
		path := r.Server.Notebook(t, epochs(gate, 4))
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{at(0)}, "timeout": 0.1}, &ran)
		must.SliceLen(t, 1, ran.Results)
		id := ran.Results[0].RunID
		watch := func(more dict) (got notebook.WatchedRun, text string) {
			t.Helper()
			more["run_id"] = id
			r.Good("watch_runs", more, &got)
			return got, sample.AsJSON(t, got.Outputs)
		}
		opens := func(i int) { r.Server.Write(t, fmt.Sprint(gate, i), "") }
		opens(0)
		opens(1)
		got, text := watch(dict{"until": "EPOCH [01] of a run\n", "regexp": true, "times": 2, "wait": 60})
		must.NotNil(t, got.Appeared)
		test.Eq(t, 2, *got.Appeared)
		test.Eq(t, 0, got.Seen)
		test.Eq(t, "running", got.State)
		test.StrContains(t, text, `epoch 0 of a run\nepoch 1 of a run\n`)
		got, text = watch(dict{})
		test.Eq(t, "[]", text)
		test.Eq(t, 2*len("epoch 0 of a run\n"), got.Seen)
		opens(2)
		got, text = watch(dict{"until": "of a run", "wait": 60})
		test.StrContains(t, text, `"text":"epoch 2 of a run\n"`)
		test.Eq(t, 1, *got.Appeared)
		// It waits in vain for a text that was seen before.
		got, _ = watch(dict{"until": "epoch 0", "wait": 0.2})
		test.Eq(t, 0, *got.Appeared)
		test.Eq(t, "running", got.State)
		// A page does not count as a look, and repeats outputs that were seen.
		got, _ = watch(dict{"output": 0})
		test.StrHasPrefix(t, "epoch 0", got.Page.Text)
		opens(3)
		got, text = watch(dict{"until": "never", "wait": 60})
		test.Eq(t, "done", got.State)
		test.Eq(t, 0, *got.Appeared)
		test.StrContains(t, text, `"text":"epoch 3 of a run\n"`)
		got, text = watch(dict{})
		test.Eq(t, 0, got.Seen)
		test.StrContains(t, text, `"text":"epoch 0`)
	})
}

// While a cell runs, the end of its output is shown.
func TestWatchShowsTheTail(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "import time\nfor i in range(1000):\n    print('line ' + str(i))\nprint('the last')\nwhile True:\n    time.sleep(0.1)")
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{at(0)}, "timeout": 0.1}, &ran)
		id := ran.Results[0].RunID
		toolstest.Soon(t, "the last line", func() bool { return strings.Contains(r.OutputText(path, 0), "the last") })
		var got notebook.RunView
		r.Good("get_run", dict{"run_id": id, "maxCellOutputSize": 200}, &got)
		must.SliceLen(t, 1, got.Outputs)
		text := got.Outputs[0]["text"].(string)
		test.StrHasPrefix(t, "\n… [", text)
		test.StrHasSuffix(t, "line 998\nline 999\nthe last\n", text)
		test.StrContains(t, text, "] …\nline ")
		r.Good("cancel_run", dict{"run_id": id}, nil)
	})
}

func TestWatchRefused(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		for says, args := range map[string]dict{
			"run_id is missing":           {"until": "x"},
			"give the text to wait for":   {"run_id": "run-1", "times": 2},
			"use them in two calls":       {"run_id": "run-1", "until": "x", "output": 0},
			"until \"(\" is not a regula": {"run_id": "run-1", "until": "(", "regexp": true},
			"matches the empty text":      {"run_id": "run-1", "until": "x*", "regexp": true},
		} {
			r.Bad("watch_runs", args, says)
		}
	})
}

// A cell that another client of the room runs is interrupted only if the user asked for it. A note in the cell says so, and
// variables stay.
func TestStopsTheCellOfAPerson(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "import time\nx = 6\nwhile True:\n    time.sleep(0.1)", "2")
		person := r.Person()
		r.Bad("cancel_run", dict{"path": path, "user_asked": true}, "no cell is running", "nothing was interrupted")
		r.Bad("cancel_run", dict{}, "run_id is missing")
		person.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{at(0)}, "timeout": 0.5}, nil)
		toolstest.Soon(t, "the cell is shown as running", func() bool { return r.Read(path).Cells[0].ExecutionState == "running" })
		r.Bad("cancel_run", dict{"path": path}, `cell 0`, "ask your user")
		test.Eq(t, "running", r.Read(path).Cells[0].ExecutionState)
		var got notebook.StoppedCell
		r.Good("cancel_run", dict{"path": path, "user_asked": true}, &got)
		test.Eq(t, "c0", got.CellID)
		test.True(t, got.Ended)
		outputs := sample.AsJSON(t, r.Read(path).Cells[0].Outputs)
		test.StrContains(t, outputs, "KeyboardInterrupt")
		test.StrContains(t, outputs, "interrupted this cell, as its user asked]")
		var code notebook.CodeResult
		r.Good("run_code", dict{"path": path, "code": "x"}, &code)
		test.StrContains(t, sample.AsJSON(t, code.Outputs), `"6"`)
		// It is stopped, too, while a run of one's own waits behind it.
		person.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{at(0)}, "timeout": 0.5}, nil)
		r.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{at(1)}, "timeout": 0.5}, nil)
		r.Good("cancel_run", dict{"path": path, "user_asked": true}, &got)
		test.True(t, got.Ended)
		test.Eq(t, "c0", got.CellID)
		// A run of one's own has a name.
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{at(0)}, "timeout": 0.5}, &ran)
		r.Bad("cancel_run", dict{"path": path, "user_asked": true}, "your own "+ran.Results[0].RunID)
		r.Good("cancel_run", dict{"run_id": ran.Results[0].RunID}, nil)
	})
}
