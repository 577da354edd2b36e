package analysis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestAC1SessionManagement(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		made := r.Create(toolstest.Dict{"name": "sales"})
		if made.ID == "" || made.KernelID == "" || made.Status != kernel.StateIdle || made.Name != "sales" {
			t.Errorf("%+v", made)
		}
		if at, err := time.Parse(time.RFC3339, made.CreatedAt); err != nil || time.Since(at) > time.Hour {
			t.Errorf("created at %s", made.CreatedAt)
		}
		second := r.Create(nil)
		var list analysis.SessionsResult
		r.Good("session_list", nil, &list)
		if len(list.Sessions) != 2 || list.Sessions[0] != made || list.Sessions[1].ID != second.ID {
			t.Errorf("%+v", list.Sessions)
		}
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
		if list.Sessions[0].Status != kernel.StateIdle || list.Sessions[1].Status != kernel.StateBusy {
			t.Errorf("%+v", list.Sessions)
		}
		// Nobody else sees or touches them.
		elsewhere := r.Other()
		for name, args := range map[string]toolstest.Dict{
			"session_delete": {}, "execute_code": {"code": "1"}, "execute_cell": {"cell_index": 0}, "interrupt_execution": {},
		} {
			args["session_id"] = made.ID
			r.Refused(elsewhere, name, args, desk.CodeSession, made.ID, "session_create")
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
			if r.Good("session_delete", toolstest.Dict{"session_id": id}, &gone); !gone.Deleted || !gone.Shutdown {
				t.Errorf("%+v", gone)
			}
			r.Refused(r.Client, "session_delete", toolstest.Dict{"session_id": id}, desk.CodeSession)
		}
		if r.Good("session_list", nil, &list); len(list.Sessions) != 0 {
			t.Errorf("%+v", list.Sessions)
		}
		for _, k := range list.Kernels {
			if k.KernelID == made.KernelID || k.KernelID == second.KernelID {
				t.Errorf("%+v runs still", k)
			}
		}
		r.Refused(r.Client, "session_create", toolstest.Dict{"notebook_path": "none.ipynb"}, desk.CodeNotebook, "none.ipynb")
		r.Refused(r.Client, "session_connect", toolstest.Dict{"notebook_path": "none.ipynb"}, desk.CodeSession, "none.ipynb")
		r.Refused(r.Client, "session_connect", toolstest.Dict{"kernel_id": "none"}, desk.CodeSession, "none")
		r.Bad("session_connect", nil, "notebook_path or kernel_id")
		r.Bad("session_create", toolstest.Dict{"kernel_name": "cobol"}, `"cobol"`, "list_available_kernels")
	})
}

func TestAC2CodeExecution(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		id := r.Create(nil).ID
		got := r.Execute(id, `print("hello")`)
		if !got.Success || got.Stdout != "hello\n" || got.Stderr != "" || got.Result != nil || len(got.Images) != 0 || got.State != "done" || got.ErrorType != "" || *got.Count != 1 {
			t.Errorf("%+v", got)
		}
		got = r.Execute(id, "import sys, time\nfrom IPython.display import display, Markdown\nprint('note', file=sys.stderr)\ntime.sleep(0.05)\ndisplay(Markdown('# Title'))\nx = [1, 2]\nx")
		if !got.Success || got.Stderr != "note\n" || got.Result == nil || *got.Result != "[1, 2]" || got.Milliseconds < 50 || len(got.Displays) != 1 {
			t.Errorf("%+v", got)
		}
		got = r.Execute(id, "print('before')\ndef f():\n    return 1/0\nf()")
		if got.Success || got.ErrorType != "ZeroDivisionError" || got.ErrorMessage != "division by zero" || got.Stdout != "before\n" ||
			!strings.Contains(got.Traceback, "return 1/0") || strings.Contains(got.Traceback, "\x1b") || got.State != "failed" {
			t.Errorf("%+v", got)
		}
		// The time is over: the code goes on, and is heard of by its run.
		got, after := r.GoesOn(id, "print('begun', flush=True)\nwhile 3 not in x: time.sleep(0.01)\nprint('done')", 500*time.Millisecond)
		if got.Success || got.ErrorType != analysis.ErrTimeout || !strings.Contains(got.ErrorMessage, after.String()) || got.Stdout != "begun\n" || got.State != "running" || !strings.Contains(got.ErrorMessage, got.RunID) {
			t.Errorf("%+v", got)
		}
		slow := got.RunID
		r.Good("execute_code", toolstest.Dict{"session_id": id, "code": "print('behind')", "timeout": 0.1}, &got)
		if got.ErrorType != analysis.ErrTimeout || got.State != "queued" {
			t.Errorf("%+v", got)
		}
		behind := got.RunID
		var stopped analysis.InterruptResult
		r.Good("interrupt_execution", toolstest.Dict{"session_id": id}, &stopped)
		if len(stopped.Runs) != 2 || stopped.Runs[0] != (analysis.InterruptedRun{RunID: behind, State: "cancelled"}) || stopped.Runs[1] != (analysis.InterruptedRun{RunID: slow, State: "interrupted"}) {
			t.Errorf("%+v", stopped)
		}
		if r.Good("interrupt_execution", toolstest.Dict{"session_id": id}, &stopped); len(stopped.Runs) != 0 {
			t.Errorf("%+v", stopped)
		}
		var seen notebook.RunView
		if r.Good("get_run", toolstest.Dict{"run_id": slow}, &seen); seen.State != "interrupted" || len(seen.Outputs) == 0 || seen.Path != "" {
			t.Errorf("%+v", seen)
		}
		r.Good("execute_code", toolstest.Dict{"session_id": id, "code": "time.sleep(0.5)\nprint('late')", "timeout": 0.1}, &got)
		if r.Good("wait_run", toolstest.Dict{"run_id": got.RunID}, &seen); seen.State != "done" {
			t.Errorf("%+v", seen)
		}
		// Much output is cut, and paged through.
		got = r.Execute(id, "print('x' * 1_000_000)\n'y' * 100_000")
		if !got.Truncated || len(got.Stdout)+len(*got.Result) > 2*analysis.DefaultCodeSize || !strings.Contains(got.Stdout, "characters left out") {
			t.Errorf("%d and %d characters", len(got.Stdout), len(*got.Result))
		}
		r.Bad("execute_code", toolstest.Dict{"session_id": id, "code": "1", "timeout": 0}, "timeout is 0, it must be more than 0")
		r.Refused(r.Client, "execute_cell", toolstest.Dict{"session_id": id, "cell_index": 0}, desk.CodeNone, "notebook_path")
		// The kernel dies, and says so; the session goes on.
		if got = r.Execute(id, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"); got.ErrorType != analysis.ErrLost || !strings.Contains(got.ErrorMessage, "ended") {
			t.Errorf("%+v", got)
		}
		if got = r.Execute(id, "print('again')"); !got.Success || got.Stdout != "again\n" {
			t.Errorf("%+v", got)
		}
	})
}

// The plot of a session is in its answer, among the resources, and to be read,
// by its own client alone.
func TestAC5ImageResources(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1")
		elsewhere := r.Other()
		for _, s := range []analysis.SessionInfo{r.Create(nil), r.Create(toolstest.Dict{"notebook_path": path})} {
			var got analysis.CodeResult
			res := r.Good("execute_code", toolstest.Dict{"session_id": s.ID, "code": toolstest.Plotting + "plt.plot([1, 3, 2])\nplt.show()"}, &got)
			if !got.Success || len(got.Images) != 1 || len(toolstest.ShownImages(t, res)) != 1 || len(got.Displays) != 0 {
				t.Fatalf("%+v", got)
			}
			img := got.Images[0]
			if !strings.HasPrefix(img.URI, "jupyter://sessions/"+s.ID+"/images/") || !strings.HasSuffix(img.URI, ".png") || img.MIME != "image/png" || !strings.Contains(img.Description, "import matplotlib") {
				t.Errorf("%+v", img)
			}
			if got.Count == nil || !strings.Contains(img.Description, fmt.Sprintf("[%d]", *got.Count)) {
				t.Errorf("run %v is described as %s", got.Count, img.Description)
			}
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
			if err != nil || blob.MIMEType != "image/png" || !strings.HasPrefix(blob.Blob, "iVBORw0KGgo") {
				t.Errorf("%v, %+v", err, blob.MIMEType)
			}
			var tool analysis.ImageResult
			if r.Good("get_image_resource", toolstest.Dict{"resource_uri": img.URI}, &tool); tool.MIME != "image/png" || tool.Data != blob.Blob || tool.Width < 300 || tool.Height < 200 {
				t.Errorf("%s %d×%d", tool.MIME, tool.Width, tool.Height)
			}
			var seen notebook.RunView
			r.Good("get_run", toolstest.Dict{"run_id": got.RunID}, &seen)
			if refs := toolstest.References(seen.ExecutionResult, "image/png"); len(refs) != 1 || toolstest.Address(t, refs[0]) != img.URI {
				t.Errorf("the run names %q", refs)
			}
			if _, err := r.ReadResource(elsewhere, img.URI); err == nil {
				t.Error("another client reads it")
			}
		}
	})
}

// The kernel is one, whoever comes first, and what a session runs stands in the
// notebook, for all to see.
func TestAC7SharedKernel(t *testing.T) {
	r := toolstest.New(t)
	path := r.Server.Notebook(t, "x = 6", "print('second')")
	person := r.Person()
	t.Run("NotebookFirst", func(t *testing.T) {
		person.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 1}}}, nil)
		var got analysis.ConnectResult
		r.Good("session_connect", toolstest.Dict{"notebook_path": path}, &got)
		if !got.Connected || got.Path != path {
			t.Fatalf("%+v", got)
		}
		if k, ok, err := person.Work.Kernel(t.Context(), jupyter.MustPath(path)); err != nil || !ok || k.ID != got.KernelID {
			t.Errorf("the person has %+v, %v, the session %s", k, err, got.KernelID)
		}
		res := r.Execute(got.ID, "y = x * 7\nprint(y)")
		if !res.Success || res.Stdout != "42\n" || res.CellID == "" {
			t.Fatalf("%+v", res)
		}
		person.UpToDate(path)
		cells := person.Read(path).Cells
		last := cells[len(cells)-1]
		if len(cells) != 3 || last.ID != res.CellID || last.Source != "y = x * 7\nprint(y)" || *last.ExecutionCount != *res.Count || last.Outputs[0]["text"] != "42\n" {
			t.Errorf("the person sees %+v", cells)
		}
		var again analysis.CodeResult
		person.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 3, "cells": []toolstest.Dict{{"content": "print(y + 1)"}}}, nil)
		r.UpToDate(path)
		r.Good("execute_cell", toolstest.Dict{"session_id": got.ID, "cell_index": 3}, &again)
		if again.Stdout != "43\n" || again.CellID == "" || len(person.Read(path).Cells) != 4 {
			t.Errorf("%+v", again)
		}
		r.Good("execute_cell", toolstest.Dict{"session_id": got.ID, "cell_id": "c1"}, &again)
		if again.Stdout != "second\n" || again.CellID != "c1" {
			t.Errorf("%+v", again)
		}
		r.Refused(r.Client, "execute_cell", toolstest.Dict{"session_id": got.ID, "cell_index": 4}, desk.CodeCell, "4 cells")
		r.Refused(r.Client, "execute_cell", toolstest.Dict{"session_id": got.ID, "cell_id": "none"}, desk.CodeCell, `"none"`)
		r.Bad("execute_cell", toolstest.Dict{"session_id": got.ID}, "either cell_index or cell_id")
		var gone analysis.EndedResult
		if r.Good("session_delete", toolstest.Dict{"session_id": got.ID}, &gone); gone.Shutdown {
			t.Errorf("%+v", gone)
		}
		if _, ok, err := person.Work.Kernel(t.Context(), jupyter.MustPath(path)); err != nil || !ok {
			t.Errorf("the kernel was shut down (%v)", err)
		}
	})
	t.Run("SessionFirst", func(t *testing.T) {
		path := r.Server.Notebook(t, "print(z)")
		s := r.Create(toolstest.Dict{"notebook_path": "/" + path})
		if res := r.Execute(s.ID, "z = 'shared'"); !res.Success || s.Path != path {
			t.Fatalf("%+v, %+v", s, res)
		}
		var ran notebook.ExecuteResult
		person.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 1}}}, &ran)
		if ran.Results[0].State != string(run.Done) || ran.Results[0].Outputs[0]["text"] != "shared\n" {
			t.Errorf("%+v", ran.Results)
		}
		if k, ok, err := person.Work.Kernel(t.Context(), jupyter.MustPath(path)); err != nil || !ok || k.ID != s.KernelID {
			t.Errorf("the person has %+v, %v, the session %s", k, err, s.KernelID)
		}
		// A rename takes the session along.
		moved := strings.TrimSuffix(path, ".ipynb") + "-moved.ipynb"
		person.Good("rename_document", toolstest.Dict{"path": path, "newPath": moved}, nil)
		if res := r.Execute(s.ID, "print(z + '!')"); res.Stdout != "shared!\n" {
			t.Errorf("%+v", res)
		}
		var list analysis.SessionsResult
		if r.Good("session_list", nil, &list); len(list.Sessions) != 1 || list.Sessions[0].Path != moved || list.Sessions[0].KernelID != s.KernelID {
			t.Errorf("%+v", list.Sessions)
		}
		var gone analysis.EndedResult
		if r.Good("session_delete", toolstest.Dict{"session_id": s.ID}, &gone); gone.Shutdown || !strings.Contains(gone.Message, "open") {
			t.Errorf("somebody has it open: %+v", gone)
		}
	})
}

// Code has thirty seconds where the caller says nothing else.
func TestCodeHasThirtySeconds(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		began := time.Now()
		out := r.Execute(r.Create(nil).ID, "import time\ntime.sleep(600)")
		if took := time.Since(began).Round(time.Second); took != 30*time.Second || out.Success {
			t.Errorf("after %s: %+v", took, out)
		}
	})
}
