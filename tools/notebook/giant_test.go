package notebook_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// Whatever a kernel prints and a cell contains, no answer is longer than [tool.MaxAnswerBytes]: callAs checks that for each.
func TestGiantContents(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		const most = notebook.MaxOutputSize
		giants := []string{
			"print('start'); print('é\"<' * 150_000); print('end')",                                          // one text, which JSON makes longer
			"for i in range(60): display({'text/plain': 'x' * 20_000, 'text/html': '<b>' * 3000}, raw=True)", // many outputs
			"display({'application/json': {str(i): list(range(50)) for i in range(2000)}, 'text/plain': 'j'}, raw=True)",
			"raise ValueError('\\x1b[31mred\\x1b[0m' * 100_000)",
			"display({'text/plain': 'm'}, raw=True, metadata={'k' * 50: 'v' * 1_000_000})",
			"import sys\nfor i in range(210): print(i, '\\x01' * 300, file=(sys.stdout, sys.stderr)[i % 2], flush=True)",
		}
		path := r.Server.Notebook(t, append(giants, "# "+strings.Repeat("\\\"<é", 250_000))...)
		var runs []string
		for i := range giants {
			var ran notebook.ExecuteResult
			r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": i}}, "maxCellOutputSize": most}, &ran)
			res := ran.Results[0]
			test.True(t, res.Truncated)
			test.False(t, res.OriginalSize < most && i < 4)
			test.NotEq(t, string(run.Running), res.State)
			runs = append(runs, res.RunID)
		}
		for i, id := range runs {
			for _, name := range []string{"get_run", "wait_run", "cancel_run"} {
				var view notebook.RunView
				r.Good(name, toolstest.Dict{"run_id": id, "maxCellOutputSize": most}, &view)
				if !view.Truncated {
					t.Errorf("%s: giant %d is not truncated", name, i)
				}
			}
		}
		// Head and tail are kept, and the middle says how much is missing and how to get it.
		var view notebook.RunView
		r.Good("get_run", toolstest.Dict{"run_id": runs[0], "maxCellOutputSize": 1000}, &view)
		shown := fmt.Sprint(view.Outputs[0]["text"])
		test.StrHasPrefix(t, "start\né\"<", shown)
		test.StrHasSuffix(t, "<\nend\n", shown)
		test.StrContains(t, shown, "characters left out]")
		test.LessEq(t, 1000, textfmt.Size(shown))
		view = notebook.RunView{}
		r.Good("get_run", toolstest.Dict{"run_id": runs[3], "maxCellOutputSize": 1000}, &view)
		e := view.Outputs[0]
		test.EqOp[any](t, "ValueError", e["name"])
		test.StrNotContains(t, sample.AsJSON(t, e), "u001b")
		test.StrContains(t, sample.AsJSON(t, e["traceback"]), "left out")
		r.Good("read_nb_cells", toolstest.Dict{"path": path}, nil)
		r.Good("read_nb_cells", toolstest.Dict{"path": path, "maxCellData": 100_000}, nil)
		r.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "maxCellOutputSize": most, "cells": []toolstest.Dict{{"content": giants[0]}}}, nil)
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "maxCellOutputSize": most, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": giants[1]}}}, nil)
		r.Good("restart_nb_kernel", toolstest.Dict{"path": path, "maxCellOutputSize": most}, nil)
		r.Good("list_runs", toolstest.Dict{"limit": 200}, nil)
		r.Good("get_nb_stat", toolstest.Dict{"path": path}, nil)
		r.Good("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 3}}}, nil)
		// Refusals quote their input, and are as short.
		huge := strings.Repeat("é\"<", 400_000) // 1.6 MB
		for name, args := range map[string]toolstest.Dict{
			"get_run":           {"run_id": huge},
			"read_nb_cells":     {"path": huge},
			"assign_nb_kernel":  {"path": path, "kernel_name": huge},
			"restart_nb_kernel": {"path": path, "kernel_name": strings.Repeat("é", 200)},
			"insert_nb_cells":   {"path": path, "position": 0, huge: 1},
		} {
			r.Bad(name, args)
		}
	})
}
