package notebook_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

func TestExecuteNbCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "print('one')\nprint('two')", "6 * 7", "import sys\nsys.stderr.write('oops')\nNone")
		r.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 1, "exec": false, "cells": []toolstest.Dict{{"type": "markdown", "content": "# text"}}}, nil)
		var got notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 3}, {"start": 3}}}, &got)
		if got.Message != "Successfully executed 2 cell ranges" || got.ExecutedRanges != 2 || got.ExecutedCells != 3 || len(got.Results) != 3 {
			t.Fatalf("execute = %+v", got)
		}
		for i, want := range []string{
			`[{"name":"stdout","output_type":"stream","text":"one\ntwo\n"}]`,
			`[{"data":{"text/plain":"42"},"execution_count":2,"metadata":{},"output_type":"execute_result"}]`,
			`[{"name":"stderr","output_type":"stream","text":"oops"}]`,
		} {
			res := got.Results[i]
			if o := sample.AsJSON(t, res.Outputs); o != want {
				t.Errorf("outputs of cell %d:\n got %s\nwant %s", i, o, want)
			}
			if res.State != "done" || res.ExecutionCount == nil || *res.ExecutionCount != i+1 || res.RunID == "" || res.CellID != got.CellIDs[i] || res.Truncated {
				t.Errorf("result %d = %+v", i, res)
			}
		}
		if got.Results[0].OriginalSize != len("one\ntwo\n") {
			t.Errorf("original_size = %d", got.Results[0].OriginalSize)
		}
		// What was answered is in the notebook.
		cells := r.Read(path).Cells
		if cells[2].ExecutionCount == nil || *cells[2].ExecutionCount != 2 || sample.AsJSON(t, cells[2].Outputs) != sample.AsJSON(t, got.Results[1].Outputs) {
			t.Errorf("the cell shows %+v", cells[2])
		}
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, &got)
		if got.ExecutedCells != 0 || !strings.HasPrefix(got.Message, "Nothing was executed") {
			t.Errorf("a markdown cell: %+v", got)
		}
	})
}

func TestExecuteNbCellsRefuses(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1", "2")
		defer r.Unchanged(path)()
		run := func(ranges ...toolstest.Dict) toolstest.Dict { return toolstest.Dict{"path": path, "ranges": ranges} }
		r.Bad("execute_nb_cells", run(toolstest.Dict{"start": 0}, toolstest.Dict{"start": 2}), "start 2", "2 cells")
		r.Bad("execute_nb_cells", run(toolstest.Dict{"start": -1}), "start -1", "2 cells")
		r.Bad("execute_nb_cells", run(toolstest.Dict{"start": 1, "end": 0}), "reversed", "2 cells")
		r.Bad("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{}}, "ranges is a list of 0")
		r.Bad("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}, "exec": true}, `no argument "exec"`)
		r.Bad("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}, "timeout": 1e9}, "timeout is 1,000,000,000", "the maximum is 3,600")
	})
}

func TestInsertRunsTheCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t)
		var got notebook.InsertResult
		r.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{
			{"content": "x = 20"}, {"type": "markdown", "content": "text"}, {"content": "x + 1"},
		}}, &got)
		if got.Message != "Successfully inserted cells and executed them" || !got.Executed || len(got.Results) != 2 || len(got.CellIDs) != 3 {
			t.Fatalf("insert = %+v", got)
		}
		if got.Results[1].CellID != got.CellIDs[2] || !strings.Contains(sample.AsJSON(t, got.Results[1].Outputs), `"text/plain":"21"`) {
			t.Errorf("second result = %+v", got.Results[1])
		}
	})
}

func TestModifyRunsTheCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 1", "x")
		r.Read(path)
		var got notebook.ModifyResult
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{
			{"range": toolstest.Dict{"start": 0}, "content": "x = 5"}, {"range": toolstest.Dict{"start": 1}, "content": "x * 2"},
		}}, &got)
		if got.Message != "Successfully modified 2 cell ranges and executed cells" || !got.Executed || len(got.Results) != 2 {
			t.Fatalf("modify = %+v", got)
		}
		if !strings.Contains(sample.AsJSON(t, got.Results[1].Outputs), `"text/plain":"10"`) {
			t.Errorf("second result = %+v", got.Results[1])
		}
	})
}

// An error is shown as such, without colours, and the message does not claim success.
func TestFailingCell(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "print('before')\n1/0", "'not run'")
		var got notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 2}}}, &got)
		if strings.Contains(got.Message, "Success") || !strings.Contains(got.Message, "1 failed, 1 not run") {
			t.Errorf("message = %q", got.Message)
		}
		failed, after := got.Results[0], got.Results[1]
		if failed.State != string(run.Failed) || len(failed.Outputs) != 2 {
			t.Fatalf("failed = %+v", failed)
		}
		e := failed.Outputs[1]
		if e["output_type"] != "error" || e["name"] != "ZeroDivisionError" || e["value"] != "division by zero" {
			t.Errorf("error = %v", e)
		}
		if trace := fmt.Sprint(e["traceback"]); strings.Contains(trace, "\x1b") || !strings.Contains(trace, "ZeroDivisionError") {
			t.Errorf("traceback = %q", trace)
		}
		if after.State != string(run.Cancelled) || after.Message == "" || len(after.Outputs) != 0 {
			t.Errorf("the cell behind it = %+v", after)
		}
		// The kernel and its queue go on.
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, &got)
		if got.Message != "Successfully executed 1 cell range" {
			t.Errorf("afterwards: %q", got.Message)
		}
	})
}

func TestOutputIsCut(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "print('start'); print('x' * 100_000); print('end')")
		var got notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}, "maxCellOutputSize": 500}, &got)
		res := got.Results[0]
		text := res.Outputs[0]["text"].(string)
		if !res.Truncated || res.OriginalSize != 100_011 || words.Size(text) > 500 || !strings.HasPrefix(text, "start\n") || !strings.HasSuffix(text, "end\n") {
			t.Errorf("truncated %v, original_size %d, %q", res.Truncated, res.OriginalSize, text)
		}
	})
}

func TestImagesOfARun(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, `import base64
from IPython.display import Image, display
display(Image(base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")))`)
		var got notebook.ExecuteResult
		res := r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &got)
		if images := toolstest.ImagesOf(res); len(images) != 1 || images[0].MIMEType != "image/png" {
			t.Fatalf("%d images", len(images))
		}
		data := got.Results[0].Outputs[0]["data"].(map[string]any)
		if ref, _ := data["image/png"].(string); !strings.HasPrefix(ref, "<image 1, 1×1, 70 B, shown below: jupyter://sessions/") {
			t.Errorf("data = %v", data)
		}
	})
}

// A cell that takes longer than the caller waits goes on, and shows where it stands.
func TestTimeout(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		gate := r.Server.Name(t, ".gate")
		path := r.Server.Notebook(t, toolstest.Gated(gate), "2")
		var got notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 2}}, "timeout": 3}, &got)
		first, second := got.Results[0], got.Results[1]
		if first.State != string(run.Running) || second.State != string(run.Queued) || !strings.Contains(first.Message, "goes on") || first.RunID == "" {
			t.Fatalf("results = %+v", got.Results)
		}
		if strings.Contains(got.Message, "Success") || !strings.Contains(got.Message, "1 still running, 1 still waiting") {
			t.Errorf("message = %q", got.Message)
		}
		if cells := r.Read(path).Cells; cells[0].ExecutionState != "running" {
			t.Errorf("the cell's state is %q", cells[0].ExecutionState)
		}
		r.Server.Write(t, gate, "")
		run, ok := r.Work.Manager.RunTable().Run(second.RunID)
		if !ok {
			t.Fatalf("run %s is not known", second.RunID)
		}
		if err := run.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		cells := r.Read(path).Cells
		if o := sample.AsJSON(t, cells[0].Outputs); !strings.Contains(o, `waiting\ndone\n`) || cells[0].ExecutionState == "running" {
			t.Errorf("afterwards: %s, %q", o, cells[0].ExecutionState)
		}
	})
}

// A client that asks for it hears how far a long call is.
func TestProgress(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		gate := r.Server.Name(t, ".gate")
		path := r.Server.Notebook(t, "1", fmt.Sprintf("import os, time\nprint('first')\nprint('step 7')\nwhile not os.path.exists(%q): time.sleep(0.02)", gate))
		heard := make(chan string, 100)
		r.Client.OnNotification(func(n mcp.JSONRPCNotification) {
			if n.Method == "notifications/progress" && n.Params.AdditionalFields["progressToken"] == "p1" {
				heard <- fmt.Sprint(n.Params.AdditionalFields["message"])
			}
		})
		done := make(chan *mcp.CallToolResult, 1)
		go func() {
			var req mcp.CallToolRequest
			req.Params.Name = "execute_nb_cells"
			req.Params.Arguments = toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 2}}}
			req.Params.Meta = &mcp.Meta{ProgressToken: "p1"}
			res, err := r.Client.CallTool(context.Background(), req)
			if err != nil {
				t.Error(err)
			}
			done <- res
		}()
		for message := range heard {
			if message == "1 cell of 2 done; last output: step 7" {
				break
			}
		}
		r.Server.Write(t, gate, "")
		if res := <-done; res == nil || res.IsError {
			t.Errorf("answer = %+v", res)
		}
	})
}
