package notebook_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
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
		must.Eq(t, "Successfully executed 2 cell ranges", got.Message)
		must.Eq(t, 2, got.ExecutedRanges)
		must.Eq(t, 3, got.ExecutedCells)
		must.SliceLen(t, 3, got.Results)
		for i, want := range []string{
			`[{"name":"stdout","output_type":"stream","text":"one\ntwo\n"}]`,
			`[{"data":{"text/plain":"42"},"execution_count":2,"metadata":{},"output_type":"execute_result"}]`,
			`[{"name":"stderr","output_type":"stream","text":"oops"}]`,
		} {
			res := got.Results[i]
			if o := sample.AsJSON(t, res.Outputs); o != want {
				t.Errorf("outputs of cell %d:\n got %s\nwant %s", i, o, want)
			}
			test.Eq(t, "done", res.State)
			must.NotNil(t, res.ExecutionCount)
			test.Eq(t, i+1, *res.ExecutionCount)
			test.NotEq(t, "", res.RunID)
			test.Eq(t, got.CellIDs[i], res.CellID)
			test.False(t, res.Truncated)
		}
		if got.Results[0].OriginalSize != len("one\ntwo\n") {
			t.Errorf("original_size = %d", got.Results[0].OriginalSize)
		}
		// The answered outputs are in the notebook.
		cells := r.Read(path).Cells
		must.NotNil(t, cells[2].ExecutionCount)
		test.Eq(t, 2, *cells[2].ExecutionCount)
		test.Eq(t, sample.AsJSON(t, got.Results[1].Outputs), sample.AsJSON(t, cells[2].Outputs))
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, &got)
		test.Eq(t, 0, got.ExecutedCells, test.Sprint("a markdown cell"))
		test.StrHasPrefix(t, "Nothing was executed", got.Message, test.Sprint("a markdown cell"))
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
		must.Eq(t, "Successfully inserted cells and executed them", got.Message)
		must.True(t, got.Executed)
		must.SliceLen(t, 2, got.Results)
		must.SliceLen(t, 3, got.CellIDs)
		test.Eq(t, got.CellIDs[2], got.Results[1].CellID)
		test.StrContains(t, sample.AsJSON(t, got.Results[1].Outputs), `"text/plain":"21"`)
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
		must.Eq(t, "Successfully modified 2 cell ranges and executed cells", got.Message)
		must.True(t, got.Executed)
		must.SliceLen(t, 2, got.Results)
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
		test.StrNotContains(t, got.Message, "Success")
		test.StrContains(t, got.Message, "1 failed, 1 not run")
		failed, after := got.Results[0], got.Results[1]
		must.Eq(t, string(run.Failed), failed.State)
		must.SliceLen(t, 2, failed.Outputs)
		e := failed.Outputs[1]
		test.EqOp[any](t, "error", e["output_type"])
		test.EqOp[any](t, "ZeroDivisionError", e["name"])
		test.EqOp[any](t, "division by zero", e["value"])
		trace := fmt.Sprint(e["traceback"])
		test.StrNotContains(t, trace, "\x1b")
		test.StrContains(t, trace, "ZeroDivisionError")
		test.Eq(t, string(run.Cancelled), after.State)
		test.NotEq(t, "", after.Message)
		test.SliceEmpty(t, after.Outputs)
		// The kernel and its queue continue.
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
		test.True(t, res.Truncated)
		test.Eq(t, 100_011, res.OriginalSize)
		test.LessEq(t, 500, textfmt.Size(text))
		test.StrHasPrefix(t, "start\n", text)
		test.StrHasSuffix(t, "end\n", text)
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
		images := toolstest.ImagesOf(res)
		must.SliceLen(t, 1, images)
		must.Eq(t, "image/png", images[0].MIMEType)
		data := got.Results[0].Outputs[0]["data"].(map[string]any)
		if ref, _ := data["image/png"].(string); !strings.HasPrefix(ref, "<image 1, 1×1, 70 B, shown below: jupyter://sessions/") {
			t.Errorf("data = %v", data)
		}
	})
}

// A cell that takes longer than the caller waits keeps running, and its answer shows the output so far.
func TestTimeout(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		gate := r.Server.Name(t, ".gate")
		path := r.Server.Notebook(t, toolstest.Gated(gate), "2")
		var got notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 2}}, "timeout": 3}, &got)
		first, second := got.Results[0], got.Results[1]
		must.Eq(t, string(run.Running), first.State, must.Sprint(got.Results))
		must.Eq(t, string(run.Queued), second.State, must.Sprint(got.Results))
		must.StrContains(t, first.Message, "it continues", must.Sprint(got.Results))
		must.NotEq(t, "", first.RunID, must.Sprint(got.Results))
		test.StrNotContains(t, got.Message, "Success")
		test.StrContains(t, got.Message, "1 still running, 1 still waiting")
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
		o := sample.AsJSON(t, cells[0].Outputs)
		test.StrContains(t, o, `waiting\ndone\n`, test.Sprint("afterwards"))
		test.NotEq(t, "running", cells[0].ExecutionState, test.Sprint("afterwards"))
	})
}

// A client that requests progress is notified of the progress of a long call.
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
		res := <-done
		must.NotNil(t, res)
		test.False(t, res.IsError)
	})
}
