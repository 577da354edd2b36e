package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/words"

	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Whatever a kernel puts out and a cell holds, no answer is longer than [tool.MaxAnswerBytes]: callAs checks that of each.
func TestGiantContents(t *testing.T) {
	r := newRig(t)
	const most = notebook.MaxOutputSize
	giants := []string{
		"print('start'); print('é\"<' * 150_000); print('end')",                                          // one text, which JSON makes longer
		"for i in range(60): display({'text/plain': 'x' * 20_000, 'text/html': '<b>' * 3000}, raw=True)", // many outputs
		"display({'application/json': {str(i): list(range(50)) for i in range(2000)}, 'text/plain': 'j'}, raw=True)",
		"raise ValueError('\\x1b[31mred\\x1b[0m' * 100_000)",
		"display({'text/plain': 'm'}, raw=True, metadata={'k' * 50: 'v' * 1_000_000})",
		"import sys\nfor i in range(210): print(i, '\\x01' * 300, file=(sys.stdout, sys.stderr)[i % 2], flush=True)",
	}
	path := r.server.Notebook(t, append(giants, "# "+strings.Repeat("\\\"<é", 250_000))...)
	var runs []string
	for i := range giants {
		var ran notebook.ExecuteResult
		r.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": i}}, "maxCellOutputSize": most}, &ran)
		res := ran.Results[0]
		if !res.Truncated || res.OriginalSize < most && i < 4 || res.State == string(run.Running) {
			t.Errorf("giant %d: truncated %v, original_size %d, %s", i, res.Truncated, res.OriginalSize, res.State)
		}
		runs = append(runs, res.RunID)
	}
	for i, id := range runs {
		for _, name := range []string{"get_run", "wait_run", "cancel_run"} {
			var view notebook.RunView
			r.good(name, dict{"run_id": id, "maxCellOutputSize": most}, &view)
			if !view.Truncated {
				t.Errorf("%s: giant %d is not truncated", name, i)
			}
		}
	}
	// Head and tail are kept, and the middle says what is missing and how to get it.
	var view notebook.RunView
	r.good("get_run", dict{"run_id": runs[0], "maxCellOutputSize": 1000}, &view)
	shown := fmt.Sprint(view.Outputs[0]["text"])
	if !strings.HasPrefix(shown, "start\né\"<") || !strings.HasSuffix(shown, "<\nend\n") || !strings.Contains(shown, "characters left out]") || words.Size(shown) > 1000 {
		t.Errorf("a long text is shown as %q", shown)
	}
	view = notebook.RunView{}
	r.good("get_run", dict{"run_id": runs[3], "maxCellOutputSize": 1000}, &view)
	if e := view.Outputs[0]; e["name"] != "ValueError" || strings.Contains(toolstest.AsJSON(t, e), "u001b") || !strings.Contains(toolstest.AsJSON(t, e["traceback"]), "left out") {
		t.Errorf("a long error is shown as %s", toolstest.AsJSON(t, e))
	}
	r.good("read_nb_cells", dict{"path": path}, nil)
	r.good("read_nb_cells", dict{"path": path, "maxCellData": 100_000}, nil)
	r.good("insert_nb_cells", dict{"path": path, "position": 0, "maxCellOutputSize": most, "cells": []dict{{"content": giants[0]}}}, nil)
	r.good("modify_nb_cells", dict{"path": path, "maxCellOutputSize": most, "modifications": []dict{{"range": dict{"start": 0}, "content": giants[1]}}}, nil)
	r.good("restart_nb_kernel", dict{"path": path, "maxCellOutputSize": most}, nil)
	r.good("list_runs", dict{"limit": 200}, nil)
	r.good("get_nb_stat", dict{"path": path}, nil)
	r.good("delete_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0, "end": 3}}}, nil)
	// Refusals quote what they were given, and are as short.
	huge := strings.Repeat("é\"<", 400_000) // 1.6 MB
	for name, args := range map[string]dict{
		"get_run":           {"run_id": huge},
		"read_nb_cells":     {"path": huge},
		"assign_nb_kernel":  {"path": path, "kernel_name": huge},
		"restart_nb_kernel": {"path": path, "kernel_name": strings.Repeat("é", 200)},
		"insert_nb_cells":   {"path": path, "position": 0, huge: 1},
	} {
		r.bad(name, args)
	}
}
