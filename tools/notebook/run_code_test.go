package notebook_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// Code runs in the notebook's kernel, with its variables, and leaves no cell.
func TestCodeWithoutACell(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 6")
		r.Read(path)
		r.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{at(0)}}, nil)
		unchanged := r.Unchanged(path)
		var got notebook.CodeResult
		r.Good("run_code", dict{"path": path, "code": "y = x * 7\ny"}, &got)
		test.Eq(t, "", got.CellID)
		test.Eq(t, []string{"y"}, got.Sets)
		must.SliceLen(t, 1, got.Outputs)
		test.Eq(t, "42", got.Outputs[0]["data"].(map[string]any)["text/plain"])
		r.Good("run_code", dict{"path": path, "code": "1/0"}, &got)
		test.Eq(t, "failed", got.State)
		unchanged()
		r.Bad("run_code", dict{"path": path}, "code")
	})
}

// Code that outlasts the call continues under its run_id, and can be stopped.
func TestLongCodeWithoutACell(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 6")
		var got notebook.CodeResult
		r.Good("run_code", dict{"path": path, "code": "import time\nwhile True:\n    time.sleep(0.1)", "timeout": 0.5}, &got)
		test.Eq(t, "running", got.State)
		var view notebook.RunView
		r.Good("cancel_run", dict{"run_id": got.RunID}, &view)
		test.Eq(t, "interrupted", view.State)
	})
}

// While another client's cell keeps the kernel busy, code waits, and the answer says why. A kernel that was shut down is
// replaced.
func TestCodeInABusyKernel(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "import time\nwhile True:\n    time.sleep(0.1)", "x = 5")
		person := r.Person()
		var ran notebook.ExecuteResult
		person.Good("execute_nb_cells", dict{"path": path, "ranges": []dict{at(0)}, "timeout": 0.5}, &ran)
		var got notebook.CodeResult
		r.Good("run_code", dict{"path": path, "code": "y = 1\ny", "timeout": 3}, &got)
		test.Eq(t, "running", got.State)
		test.StrContains(t, got.Message, "the kernel is busy with another client's code")
		test.SliceEmpty(t, got.Sets)
		person.Good("cancel_run", dict{"run_id": ran.Results[0].RunID}, nil)
		var view notebook.WatchedRun
		r.Good("watch_runs", dict{"run_id": got.RunID, "wait": 30}, &view)
		test.Eq(t, "done", view.State)
		test.StrContains(t, sample.AsJSON(t, view.Outputs), `"1"`)
		r.EndKernel(path)
		got = notebook.CodeResult{}
		r.Good("run_code", dict{"path": path, "code": "z = 2\nz"}, &got)
		test.Eq(t, []string{"z"}, got.Sets)
		got = notebook.CodeResult{}
		r.Good("run_code", dict{"path": path, "code": "w = y"}, &got)
		test.Eq(t, "failed", got.State)
		test.SliceEmpty(t, got.Sets)
	})
}

// Code runs in the language of the notebook's kernel; the answer does not claim to know the variables that it changed.
func TestCodeInAnotherLanguage(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x=6")
		r.Read(path)
		r.Good("restart_nb_kernel", dict{"path": path, "kernel_name": "bash"}, nil)
		unchanged := r.Unchanged(path)
		var got notebook.CodeResult
		r.Good("run_code", dict{"path": path, "code": "y=7\necho $y"}, &got)
		test.Eq(t, "done", got.State)
		test.SliceEmpty(t, got.Sets)
		test.StrContains(t, sample.AsJSON(t, got.Outputs), `7\n`)
		unchanged()
	})
}
