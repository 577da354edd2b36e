package notebook_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// A run that a call has left running can be shown, waited for and cancelled.
func TestRunTools(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		gate := r.Server.Name(t, ".gate")
		path := r.Server.Notebook(t, toolstest.Gated(gate), "2", toolstest.Gated(r.Server.Name(t, ".never")), "4")
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 4}}, "timeout": 0.2}, &ran)
		must.SliceLen(t, 4, ran.Results)
		must.StrContains(t, ran.Results[0].Message, "wait_run")
		id := func(i int) toolstest.Dict { return toolstest.Dict{"run_id": ran.Results[i].RunID} }
		var list notebook.ListRunsResult
		r.Good("list_runs", toolstest.Dict{"path": path, "limit": 3}, &list)
		test.Eq(t, 4, list.Total)
		must.SliceLen(t, 3, list.Runs)
		test.Eq(t, ran.Results[3].RunID, list.Runs[0].RunID)
		test.Eq(t, "queued", list.Runs[0].State)
		test.Eq(t, "c3", list.Runs[0].CellID)
		var got notebook.RunView
		r.Good("wait_run", toolstest.Dict{"run_id": ran.Results[1].RunID, "timeout": 0.2}, &got)
		test.Eq(t, "queued", got.State)
		test.Eq(t, path, got.Path)
		test.Eq(t, "", got.Started)
		test.Eq(t, "", got.Ended)
		test.NotEq(t, "", got.Message)
		r.Server.Write(t, gate, "")
		got = notebook.RunView{}
		r.Good("wait_run", id(1), &got)
		test.Eq(t, "done", got.State)
		must.NotNil(t, got.ExecutionCount)
		test.Eq(t, 2, *got.ExecutionCount)
		test.NotEq(t, "", got.Started)
		test.NotEq(t, "", got.Ended)
		test.Eq(t, "", got.Message)
		test.StrContains(t, sample.AsJSON(t, got.Outputs), `"text/plain":"2"`)
		got = notebook.RunView{}
		r.Good("get_run", toolstest.Dict{"run_id": ran.Results[0].RunID, "maxCellOutputSize": 4}, &got)
		test.Eq(t, "done", got.State)
		test.True(t, got.Truncated)
		test.Eq(t, len("waiting\ndone\n"), got.OriginalSize)
		// The queued one is withdrawn, the running one interrupted.
		got = notebook.RunView{}
		r.Good("cancel_run", id(3), &got)
		if got.State != string(run.Cancelled) {
			t.Errorf("the waiting run, cancelled = %+v", got)
		}
		// A run that the kernel has not received yet would be withdrawn.
		toolstest.Soon(t, "the kernel runs the third cell", func() bool {
			r.Good("get_run", id(2), &got)
			return strings.Contains(sample.AsJSON(t, got.Outputs), "waiting")
		})
		r.Good("cancel_run", id(2), nil)
		got = notebook.RunView{}
		r.Good("wait_run", id(2), &got)
		if got.State != string(run.Interrupted) {
			t.Errorf("the interrupted run = %+v", got)
		}
		r.Good("cancel_run", id(0), &got) // has ended: nothing to do
		if got.State != "done" {
			t.Errorf("an ended run after cancelling = %+v", got)
		}
		for _, tool := range []string{"get_run", "wait_run", "cancel_run"} {
			r.Bad(tool, toolstest.Dict{"run_id": "run-99999"}, `"run-99999"`, "list_runs")
		}
	})
}

// A call that its client's user has stopped stops its cells. They keep running if the client has cancelled the call for
// another reason, unless the call asked for a stop in that case too.
func TestCancelledCall(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		late := tool.Cancelled{Reason: "McpError: MCP error -32001: Request timed out"}
		for i, c := range []struct {
			interrupt bool
			why       error
			stops     bool
		}{
			{false, late, false},
			{false, tool.Cancelled{}, false},
			{false, tool.Cancelled{Reason: "AbortError: This operation was aborted"}, true},
			{true, late, true},
			{true, tool.ErrDisconnected, false}, // not a cancel
		} {
			gate := r.Server.Name(t, fmt.Sprintf("-%d.gate", i))
			path := r.Server.Notebook(t, toolstest.Gated(gate), "2")
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				var req mcp.CallToolRequest
				req.Params.Name = "execute_nb_cells"
				req.Params.Arguments = toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 2}}, "interrupt_on_cancel": c.interrupt}
				if res, err := r.Client.CallTool(ctx, req); err == nil && !res.IsError {
					t.Errorf("a cancelled call was answered: %s", toolstest.MessageOf(res))
				}
			}()
			var runs []*run.Run
			for len(runs) == 0 || len(runs[1].Result().Outputs) == 0 {
				time.Sleep(10 * time.Millisecond)
				if runs = r.Work.Manager.RunTable().Runs(jupyter.MustPath(path)); t.Context().Err() != nil {
					t.Fatal("the cells did not begin")
				}
			}
			cancel(c.why)
			<-ended
			want := []run.State{run.Interrupted, run.Cancelled}
			if !c.stops {
				want = []run.State{run.Done, run.Done}
				var list notebook.ListRunsResult
				r.Good("list_runs", toolstest.Dict{"path": path}, &list)
				must.SliceLen(t, 2, list.Runs, must.Sprint(c.interrupt, c.why))
				test.Eq(t, "running", list.Runs[1].State, test.Sprint(c.interrupt, c.why))
				r.Server.Write(t, gate, "")
			}
			for j, w := range want {
				var got notebook.RunView
				if r.Good("wait_run", toolstest.Dict{"run_id": runs[1-j].ID}, &got); got.State != string(w) {
					t.Errorf("interrupt_on_cancel %v, %v: run %d is %s, want %s", c.interrupt, c.why, j, got.State, w)
				}
			}
		}
	})
}
