package notebook_test

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/run"
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
		if len(got.Kernels) != len(want) || got.Kernels[0] != want[0] || got.Kernels[1] != want[1] {
			t.Errorf("kernels = %+v", got.Kernels)
		}
	})
}

// The folder of a kernel on disk is told where the server tells it, as one whose manager of kernelspecs answers itself may.
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
		if len(got.Kernels) != 2 || got.Kernels[0].Path != folder || got.Kernels[1].Path != "/kernelspecs/ir" {
			t.Errorf("kernels = %+v", got.Kernels)
		}
	})
}

// restart_nb_kernel is "restart and run all", as long as it is not told otherwise.
func TestRestartNbKernel(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "n = globals().get('n', 0) + 1\nn", "n * 10")
		r.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 1, "exec": false, "cells": []toolstest.Dict{{"type": "markdown", "content": "# text"}}}, nil)
		var got notebook.RestartResult
		r.Good("restart_nb_kernel", toolstest.Dict{"path": path}, &got)
		if !got.Restarted || got.OutputsCleared || !got.CellsExecuted || got.KernelName != "python3" || len(got.Results) != 2 ||
			got.Message != "Successfully started a notebook kernel (there was none) and executed cells" {
			t.Errorf("without a kernel = %+v", got)
		}
		got = notebook.RestartResult{}
		r.Good("restart_nb_kernel", toolstest.Dict{"path": path, "clear_outputs": true}, &got)
		if got.Message != "Successfully restarted notebook kernel, cleared the outputs and executed cells" || !got.OutputsCleared || len(got.Results) != 2 {
			t.Errorf("restart and run all = %+v", got)
		}
		for i, want := range []string{`"text/plain":"1"`, `"text/plain":"10"`} {
			if res := got.Results[i]; res.State != string(run.Done) || !strings.Contains(sample.AsJSON(t, res.Outputs), want) || *res.ExecutionCount != i+1 || res.Message != "" {
				t.Errorf("cell %d = %+v", i, res)
			}
		}
		got = notebook.RestartResult{}
		r.Good("restart_nb_kernel", toolstest.Dict{"path": path, "clear_outputs": true, "exec": false}, &got)
		if !got.Restarted || got.CellsExecuted || len(got.Results) != 0 || got.Message != "Successfully restarted notebook kernel, cleared the outputs" {
			t.Errorf("restart alone = %+v", got)
		}
		for _, c := range r.Read(path).Cells {
			if len(c.Outputs) != 0 || c.ExecutionCount != nil || c.ExecutionState == "running" {
				t.Errorf("after clearing: %+v", c)
			}
		}
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &ran)
		if m := ran.Results[0].Message; !strings.Contains(m, "the kernel was restarted") || !strings.Contains(m, "variables") {
			t.Errorf("the next run says %q", m)
		}
		got = notebook.RestartResult{}
		r.Good("restart_nb_kernel", toolstest.Dict{"path": path, "kernel_name": "bash"}, &got)
		if got.KernelName != "bash" || strings.Contains(got.Message, "Success") || !strings.Contains(got.Message, "1 failed") {
			t.Errorf("as another language = %+v", got)
		}
		r.Bad("restart_nb_kernel", toolstest.Dict{"path": r.Server.Name(t, "-none.ipynb")}, "there is no notebook", "list_nbs")
		r.Bad("restart_nb_kernel", toolstest.Dict{"path": path, "kernel_name": "cobol"}, `"cobol"`, "bash, python3", "list_available_kernels")
	})
}

func TestAssignNbKernel(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "echo $((6*7))")
		var got notebook.AssignResult
		r.Good("assign_nb_kernel", toolstest.Dict{"path": path, "kernel_name": "bash"}, &got)
		if !got.Assigned || got.KernelName != "bash" || got.Message != "Successfully assigned kernel 'bash' to notebook '"+path+"'" {
			t.Errorf("assign = %+v", got)
		}
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
		r.Bad("assign_nb_kernel", toolstest.Dict{"path": r.Server.Name(t, "-none.ipynb"), "kernel_name": "bash"}, "there is no notebook")
	})
}
