package notebook_test

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

func TestListAvailableKernels(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		var got notebook.ListKernelsResult
		r.Good("list_available_kernels", toolstest.Dict{}, &got)
		want := []notebook.AvailableKernel{
			{Name: "python3", DisplayName: "Python 3 (ipykernel)", Language: "python", Path: "/kernelspecs/python3", Default: true},
			{Name: "bash", DisplayName: "Bash", Language: "bash", Path: "/kernelspecs/bash"},
		}
		must.SliceLen(t, len(want), got.Kernels)
		test.EqOp(t, want[0], got.Kernels[0])
		test.EqOp(t, want[1], got.Kernels[1])
	})
}

// The folder of a kernel on disk is shown if the server sends it, as one with its own kernelspec manager may.
func TestFolderOfAKernel(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		const folder = "/usr/local/share/jupyter/kernels/python3"
		r := toolstest.NewOn(t, sessiontest.Front(t, jupytertest.Shared(t), func(next *httputil.ReverseProxy) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/kernelspecs" {
					next.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"default": "python3", "kernelspecs": {
					"python3": {"name": "python3", "spec": {}, "resources": {"logo-svg": "/kernelspecs/python3/logo-svg.svg"}, "resource_dir": %q},
					"ir": {"name": "ir", "spec": {}, "resources": {"logo-svg": "/kernelspecs/ir/logo-svg.svg"}}}}`, folder)
			})
		}))
		var got notebook.ListKernelsResult
		r.Good("list_available_kernels", toolstest.Dict{}, &got)
		must.SliceLen(t, 2, got.Kernels)
		test.Eq(t, folder, got.Kernels[0].Path)
		test.Eq(t, "/kernelspecs/ir", got.Kernels[1].Path)
	})
}

// restart_nb_kernel is "restart and run all" by default.
func TestRestartNbKernel(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "n = globals().get('n', 0) + 1\nn", "n * 10")
		r.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 1, "exec": false, "cells": []toolstest.Dict{{"type": "markdown", "content": "# text"}}}, nil)
		var got notebook.RestartResult
		r.Good("restart_nb_kernel", toolstest.Dict{"path": path}, &got)
		test.True(t, got.Restarted)
		test.False(t, got.OutputsCleared)
		test.True(t, got.CellsExecuted)
		test.Eq(t, "python3", got.KernelName)
		must.SliceLen(t, 2, got.Results)
		test.Eq(t, "Successfully started a notebook kernel (none was running) and executed cells", got.Message)
		got = notebook.RestartResult{}
		r.Good("restart_nb_kernel", toolstest.Dict{"path": path, "clear_outputs": true}, &got)
		test.Eq(t, "Successfully restarted notebook kernel, cleared the outputs and executed cells", got.Message)
		test.True(t, got.OutputsCleared)
		test.SliceLen(t, 2, got.Results)
		for i, want := range []string{`"text/plain":"1"`, `"text/plain":"10"`} {
			res := got.Results[i]
			test.Eq(t, string(run.Done), res.State)
			test.StrContains(t, sample.AsJSON(t, res.Outputs), want)
			test.Eq(t, i+1, *res.ExecutionCount)
			test.Eq(t, "", res.Message)
		}
		got = notebook.RestartResult{}
		r.Good("restart_nb_kernel", toolstest.Dict{"path": path, "clear_outputs": true, "exec": false}, &got)
		test.True(t, got.Restarted)
		test.False(t, got.CellsExecuted)
		must.SliceEmpty(t, got.Results)
		test.Eq(t, "Successfully restarted notebook kernel, cleared the outputs", got.Message)
		for _, c := range r.Read(path).Cells {
			must.SliceEmpty(t, c.Outputs, must.Sprint("after clearing"))
			must.Nil(t, c.ExecutionCount, must.Sprint("after clearing"))
			test.NotEq(t, "running", c.ExecutionState, test.Sprint("after clearing"))
		}
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &ran)
		m := ran.Results[0].Message
		test.StrContains(t, m, "the kernel was restarted")
		test.StrContains(t, m, "variables")
		got = notebook.RestartResult{}
		r.Good("restart_nb_kernel", toolstest.Dict{"path": path, "kernel_name": "bash"}, &got)
		test.Eq(t, "bash", got.KernelName)
		test.StrNotContains(t, got.Message, "Success")
		test.StrContains(t, got.Message, "1 failed")
		r.Bad("restart_nb_kernel", toolstest.Dict{"path": r.Server.Name(t, "-none.ipynb")}, "no notebook", "list_nbs")
		r.Bad("restart_nb_kernel", toolstest.Dict{"path": path, "kernel_name": "cobol"}, `"cobol"`, "bash, python3", "list_available_kernels")
	})
}

func TestAssignNbKernel(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "echo $((6*7))")
		var got notebook.AssignResult
		r.Good("assign_nb_kernel", toolstest.Dict{"path": path, "kernel_name": "bash"}, &got)
		test.True(t, got.Assigned)
		test.Eq(t, "bash", got.KernelName)
		test.Eq(t, "Successfully assigned kernel 'bash' to notebook '"+path+"'", got.Message)
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &ran)
		if got := sample.AsJSON(t, ran.Results[0].Outputs); !strings.Contains(got, `"text":"42\n"`) {
			t.Errorf("it runs bash: %s", got)
		}
		r.Good("assign_nb_kernel", toolstest.Dict{"path": path, "kernel_name": "bash"}, &got)
		if !strings.HasSuffix(got.Message, "kept with its variables") {
			t.Errorf("the same again = %+v", got)
		}
		r.Good("assign_nb_kernel", toolstest.Dict{"path": path, "kernel_name": "python3"}, &got)
		if !strings.HasSuffix(got.Message, "'bash' was shut down") {
			t.Errorf("another one = %+v", got)
		}
		r.Bad("assign_nb_kernel", toolstest.Dict{"path": path, "kernel_name": "cobol"}, `"cobol"`, "bash, python3")
		r.Bad("assign_nb_kernel", toolstest.Dict{"path": r.Server.Name(t, "-none.ipynb"), "kernel_name": "bash"}, "no notebook")
	})
}
