package analysis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestAC1SessionManagement(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		made := r.Create(toolstest.Dict{"name": "sales"})
		test.NotEq(t, "", made.ID)
		test.NotEq(t, "", made.KernelID)
		test.Eq(t, kernel.StateIdle, made.Status)
		test.Eq(t, "sales", made.Name)
		at, err := time.Parse(time.RFC3339, made.CreatedAt)
		must.NoError(t, err, must.Sprint(made.CreatedAt))
		test.LessEq(t, time.Hour, time.Since(at), test.Sprint(made.CreatedAt))
		second := r.Create(nil)
		var list analysis.SessionsResult
		r.Good("session_list", nil, &list)
		must.SliceLen(t, 2, list.Sessions)
		test.EqOp(t, made, list.Sessions[0])
		test.Eq(t, second.ID, list.Sessions[1].ID)
		running := 0
		for _, k := range list.Kernels {
			if k.KernelID == made.KernelID || k.KernelID == second.KernelID {
				running++
			}
		}
		if running != 2 {
			t.Errorf("%+v", list.Kernels)
		}
		// Busy while code runs.
		late, _ := r.GoesOn(second.ID, "import time\nprint('begun', flush=True)\ntime.sleep(600)", 200*time.Millisecond)
		r.Good("session_list", nil, &list)
		test.Eq(t, kernel.StateIdle, list.Sessions[0].Status)
		test.Eq(t, kernel.StateBusy, list.Sessions[1].Status)
		// No other client sees or touches them.
		elsewhere := r.Other()
		for name, args := range map[string]toolstest.Dict{
			"session_delete": {}, "execute_code": {"code": "1"}, "execute_cell": {"cell_index": 0}, "interrupt_execution": {},
		} {
			args["session_id"] = made.ID
			r.Refused(elsewhere, name, args, deps.CodeSession, made.ID, "session_create")
		}
		res := r.CallAs(elsewhere, "session_list", nil)
		var others analysis.SessionsResult
		if toolstest.Decode(t, res, &others); len(others.Sessions) != 0 {
			t.Errorf("another client sees %+v", others.Sessions)
		}
		if res := r.CallAs(elsewhere, "get_run", toolstest.Dict{"run_id": late.RunID}); !res.IsError {
			t.Errorf("another client sees %s", toolstest.MessageOf(res))
		}
		var none notebook.ListRunsResult
		if toolstest.Decode(t, r.CallAs(elsewhere, "list_runs", nil), &none); none.Total != 0 {
			t.Errorf("another client sees %+v", none)
		}
		for _, id := range []string{made.ID, second.ID} {
			var gone analysis.EndedResult
			r.Good("session_delete", toolstest.Dict{"session_id": id}, &gone)
			test.True(t, gone.Deleted)
			test.True(t, gone.Shutdown)
			r.Refused(r.Client, "session_delete", toolstest.Dict{"session_id": id}, deps.CodeSession)
		}
		if r.Good("session_list", nil, &list); len(list.Sessions) != 0 {
			t.Errorf("%+v", list.Sessions)
		}
		for _, k := range list.Kernels {
			test.NotEq(t, made.KernelID, k.KernelID)
			test.NotEq(t, second.KernelID, k.KernelID)
		}
		r.Refused(r.Client, "session_create", toolstest.Dict{"notebook_path": "none.ipynb"}, deps.CodeNotebook, "none.ipynb")
		r.Refused(r.Client, "session_connect", toolstest.Dict{"notebook_path": "none.ipynb"}, deps.CodeSession, "none.ipynb")
		r.Refused(r.Client, "session_connect", toolstest.Dict{"kernel_id": "none"}, deps.CodeSession, "none")
		r.Bad("session_connect", nil, "notebook_path or kernel_id")
		r.Bad("session_create", toolstest.Dict{"kernel_name": "cobol"}, `"cobol"`, "list_available_kernels")
	})
}

func TestAC2CodeExecution(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		id := r.Create(nil).ID
		got := r.Execute(id, `print("hello")`)
		test.True(t, got.Success)
		test.Eq(t, "hello\n", got.Stdout)
		test.Eq(t, "", got.Stderr)
		must.Nil(t, got.Result)
		must.SliceEmpty(t, got.Images)
		test.Eq(t, "done", got.State)
		test.Eq(t, "", got.ErrorType)
		test.Eq(t, 1, *got.Count)
		got = r.Execute(id, "import sys, time\nfrom IPython.display import display, Markdown\nprint('note', file=sys.stderr)\ntime.sleep(0.05)\ndisplay(Markdown('# Title'))\nx = [1, 2]\nx")
		test.True(t, got.Success)
		test.Eq(t, "note\n", got.Stderr)
		must.NotNil(t, got.Result)
		test.Eq(t, "[1, 2]", *got.Result)
		test.GreaterEq(t, 50, got.Milliseconds)
		test.SliceLen(t, 1, got.Displays)
		got = r.Execute(id, "print('before')\ndef f():\n    return 1/0\nf()")
		test.False(t, got.Success)
		test.Eq(t, "ZeroDivisionError", got.ErrorType)
		test.Eq(t, "division by zero", got.ErrorMessage)
		test.Eq(t, "before\n", got.Stdout)
		test.StrContains(t, got.Traceback, "return 1/0")
		test.StrNotContains(t, got.Traceback, "\x1b")
		test.Eq(t, "failed", got.State)
		// After the timeout the code keeps running, and its run can be followed.
		got, after := r.GoesOn(id, "print('begun', flush=True)\nwhile 3 not in x: time.sleep(0.01)\nprint('done')", 500*time.Millisecond)
		test.False(t, got.Success)
		test.Eq(t, analysis.ErrTimeout, got.ErrorType)
		test.StrContains(t, got.ErrorMessage, after.String())
		test.Eq(t, "begun\n", got.Stdout)
		test.Eq(t, "running", got.State)
		test.StrContains(t, got.ErrorMessage, got.RunID)
		slow := got.RunID
		r.Good("execute_code", toolstest.Dict{"session_id": id, "code": "print('behind')", "timeout": 0.1}, &got)
		test.Eq(t, analysis.ErrTimeout, got.ErrorType)
		test.Eq(t, "queued", got.State)
		behind := got.RunID
		var stopped analysis.InterruptResult
		r.Good("interrupt_execution", toolstest.Dict{"session_id": id}, &stopped)
		must.SliceLen(t, 2, stopped.Runs)
		test.EqOp(t, analysis.InterruptedRun{RunID: behind, State: "cancelled"}, stopped.Runs[0])
		test.EqOp(t, analysis.InterruptedRun{RunID: slow, State: "interrupted"}, stopped.Runs[1])
		if r.Good("interrupt_execution", toolstest.Dict{"session_id": id}, &stopped); len(stopped.Runs) != 0 {
			t.Errorf("%+v", stopped)
		}
		var seen notebook.RunView
		r.Good("get_run", toolstest.Dict{"run_id": slow}, &seen)
		test.Eq(t, "interrupted", seen.State)
		must.SliceNotEmpty(t, seen.Outputs)
		test.Eq(t, "", seen.Path)
		r.Good("execute_code", toolstest.Dict{"session_id": id, "code": "time.sleep(0.5)\nprint('late')", "timeout": 0.1}, &got)
		if r.Good("wait_run", toolstest.Dict{"run_id": got.RunID}, &seen); seen.State != "done" {
			t.Errorf("%+v", seen)
		}
		// Much output is cut, and can be paged through.
		got = r.Execute(id, "print('x' * 1_000_000)\n'y' * 100_000")
		test.True(t, got.Truncated)
		must.LessEq(t, 2*analysis.DefaultCodeSize, len(got.Stdout)+len(*got.Result))
		test.StrContains(t, got.Stdout, "characters left out")
		r.Bad("execute_code", toolstest.Dict{"session_id": id, "code": "1", "timeout": 0}, "timeout is 0: in a session it must be positive")
		r.Refused(r.Client, "execute_cell", toolstest.Dict{"session_id": id, "cell_index": 0}, deps.CodeNone, "notebook_path")
		// The kernel dies, and the answer says so; the session continues.
		got = r.Execute(id, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
		test.Eq(t, analysis.ErrLost, got.ErrorType)
		test.StrContains(t, got.ErrorMessage, "ended")
		got = r.Execute(id, "print('again')")
		test.True(t, got.Success)
		test.Eq(t, "again\n", got.Stdout)
	})
}

// The plot of a session is in its answer and among the resources, where only its own client can read it.
func TestAC5ImageResources(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1")
		elsewhere := r.Other()
		for _, s := range []analysis.SessionInfo{r.Create(nil), r.Create(toolstest.Dict{"notebook_path": path})} {
			var got analysis.CodeResult
			res := r.Good("execute_code", toolstest.Dict{"session_id": s.ID, "code": toolstest.Plotting + "plt.plot([1, 3, 2])\nplt.show()"}, &got)
			must.True(t, got.Success)
			must.SliceLen(t, 1, got.Images)
			must.SliceLen(t, 1, toolstest.ShownImages(t, res))
			must.SliceEmpty(t, got.Displays)
			img := got.Images[0]
			test.StrHasPrefix(t, "jupyter://sessions/"+s.ID+"/images/", img.URI)
			test.StrHasSuffix(t, ".png", img.URI)
			test.Eq(t, "image/png", img.MIME)
			test.StrContains(t, img.Description, "import matplotlib")
			must.NotNil(t, got.Count)
			test.StrContains(t, img.Description, fmt.Sprintf("[%d]", *got.Count))
			listed := false
			list, err := r.Client.ListResources(t.Context(), mcp.ListResourcesRequest{})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range list.Resources {
				listed = listed || l.URI == img.URI && l.MIMEType == img.MIME
			}
			if !listed {
				t.Errorf("%s is not listed: %+v", img.URI, list.Resources)
			}
			blob, err := r.ReadResource(r.Client, img.URI)
			must.NoError(t, err)
			test.Eq(t, "image/png", blob.MIMEType)
			test.StrHasPrefix(t, "iVBORw0KGgo", blob.Blob)
			var tool analysis.ImageResult
			r.Good("get_image_resource", toolstest.Dict{"resource_uri": img.URI}, &tool)
			test.Eq(t, "image/png", tool.MIME)
			test.Eq(t, blob.Blob, tool.Data)
			test.GreaterEq(t, 300, tool.Width)
			test.GreaterEq(t, 200, tool.Height)
			var seen notebook.RunView
			r.Good("get_run", toolstest.Dict{"run_id": got.RunID}, &seen)
			refs := toolstest.References(seen.ExecutionResult, "image/png")
			must.SliceLen(t, 1, refs)
			test.Eq(t, img.URI, toolstest.Address(t, refs[0]))
			if _, err := r.ReadResource(elsewhere, img.URI); err == nil {
				t.Error("another client reads it")
			}
		}
	})
}

// Notebook and session share one kernel, whichever comes first, and code that a session runs is in the notebook, visible to
// all.
func TestAC7SharedKernel(t *testing.T) {
	r := toolstest.New(t)
	path := r.Server.Notebook(t, "x = 6", "print('second')")
	person := r.Person()
	t.Run("NotebookFirst", func(t *testing.T) {
		person.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 1}}}, nil)
		var got analysis.ConnectResult
		r.Good("session_connect", toolstest.Dict{"notebook_path": path}, &got)
		must.True(t, got.Connected)
		must.Eq(t, path, got.Path)
		k, ok, err := person.Work.Kernel(t.Context(), jupyter.MustPath(path))
		must.NoError(t, err)
		must.True(t, ok)
		test.Eq(t, got.KernelID, k.ID)
		res := r.Execute(got.ID, "y = x * 7\nprint(y)")
		must.True(t, res.Success)
		must.Eq(t, "42\n", res.Stdout)
		must.NotEq(t, "", res.CellID)
		person.UpToDate(path)
		cells := person.Read(path).Cells
		last := cells[len(cells)-1]
		must.SliceLen(t, 3, cells)
		test.Eq(t, res.CellID, last.ID)
		test.Eq(t, "y = x * 7\nprint(y)", last.Source)
		test.Eq(t, *res.Count, *last.ExecutionCount)
		test.EqOp[any](t, "42\n", last.Outputs[0]["text"])
		var again analysis.CodeResult
		person.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 3, "cells": []toolstest.Dict{{"content": "print(y + 1)"}}}, nil)
		r.UpToDate(path)
		r.Good("execute_cell", toolstest.Dict{"session_id": got.ID, "cell_index": 3}, &again)
		test.Eq(t, "43\n", again.Stdout)
		test.NotEq(t, "", again.CellID)
		test.SliceLen(t, 4, person.Read(path).Cells)
		r.Good("execute_cell", toolstest.Dict{"session_id": got.ID, "cell_id": "c1"}, &again)
		test.Eq(t, "second\n", again.Stdout)
		test.Eq(t, "c1", again.CellID)
		r.Refused(r.Client, "execute_cell", toolstest.Dict{"session_id": got.ID, "cell_index": 4}, deps.CodeCell, "4 cells")
		r.Refused(r.Client, "execute_cell", toolstest.Dict{"session_id": got.ID, "cell_id": "none"}, deps.CodeCell, `"none"`)
		r.Bad("execute_cell", toolstest.Dict{"session_id": got.ID}, "either cell_index or cell_id")
		var gone analysis.EndedResult
		if r.Good("session_delete", toolstest.Dict{"session_id": got.ID}, &gone); gone.Shutdown {
			t.Errorf("%+v", gone)
		}
		_, ok, err = person.Work.Kernel(t.Context(), jupyter.MustPath(path))
		must.NoError(t, err)
		test.True(t, ok)
	})
	t.Run("SessionFirst", func(t *testing.T) {
		path := r.Server.Notebook(t, "print(z)")
		s := r.Create(toolstest.Dict{"notebook_path": "/" + path})
		res := r.Execute(s.ID, "z = 'shared'")
		must.True(t, res.Success)
		must.Eq(t, path, s.Path)
		var ran notebook.ExecuteResult
		person.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 1}}}, &ran)
		test.Eq(t, string(run.Done), ran.Results[0].State)
		test.EqOp[any](t, "shared\n", ran.Results[0].Outputs[0]["text"])
		k, ok, err := person.Work.Kernel(t.Context(), jupyter.MustPath(path))
		must.NoError(t, err)
		must.True(t, ok)
		test.Eq(t, s.KernelID, k.ID)
		// The session follows a rename.
		moved := strings.TrimSuffix(path, ".ipynb") + "-moved.ipynb"
		person.Good("rename_document", toolstest.Dict{"path": path, "newPath": moved}, nil)
		if res := r.Execute(s.ID, "print(z + '!')"); res.Stdout != "shared!\n" {
			t.Errorf("%+v", res)
		}
		var list analysis.SessionsResult
		r.Good("session_list", nil, &list)
		must.SliceLen(t, 1, list.Sessions)
		test.Eq(t, moved, list.Sessions[0].Path)
		test.Eq(t, s.KernelID, list.Sessions[0].KernelID)
		var gone analysis.EndedResult
		r.Good("session_delete", toolstest.Dict{"session_id": s.ID}, &gone)
		test.False(t, gone.Shutdown, test.Sprint("somebody has it open"))
		test.StrContains(t, gone.Message, "open", test.Sprint("somebody has it open"))
	})
}

// Code has thirty seconds by default.
func TestCodeHasThirtySeconds(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		began := time.Now()
		out := r.Execute(r.Create(nil).ID, "import time\ntime.sleep(600)")
		took := time.Since(began).Round(time.Second)
		test.Eq(t, 30*time.Second, took)
		test.False(t, out.Success)
	})
}
