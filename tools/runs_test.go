package tools

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// gated is code that prints, waits for a file, and prints again.
func gated(gate string) string {
	return fmt.Sprintf("import os, time\nprint('waiting')\nwhile not os.path.exists(%q): time.sleep(0.02)\nprint('done')", gate)
}

// A run that a call has left going can be looked at, waited for and cancelled.
func TestRunTools(t *testing.T) {
	r := newRig(t)
	gate := r.server.Name(t, ".gate")
	path := r.server.Notebook(t, gated(gate), "2", gated(r.server.Name(t, ".never")), "4")
	var ran notebook.ExecuteResult
	r.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0, "end": 4}}, "timeout": 0.2}, &ran)
	if len(ran.Results) != 4 || !strings.Contains(ran.Results[0].Message, "wait_run") {
		t.Fatalf("results = %+v", ran.Results)
	}
	id := func(i int) dict { return dict{"run_id": ran.Results[i].RunID} }
	var list notebook.ListRunsResult
	r.good("list_runs", dict{"path": path, "limit": 3}, &list)
	if list.Total != 4 || len(list.Runs) != 3 || list.Runs[0].RunID != ran.Results[3].RunID || list.Runs[0].State != "queued" || list.Runs[0].CellID != "c3" {
		t.Errorf("list = %+v", list)
	}
	var got notebook.RunView
	r.good("wait_run", dict{"run_id": ran.Results[1].RunID, "timeout": 0.2}, &got)
	if got.State != "queued" || got.Path != path || got.Started != "" || got.Ended != "" || got.Message == "" {
		t.Errorf("a waiting run = %+v", got)
	}
	r.server.Write(t, gate, "")
	got = notebook.RunView{}
	r.good("wait_run", id(1), &got)
	if got.State != "done" || got.ExecutionCount == nil || *got.ExecutionCount != 2 || got.Started == "" || got.Ended == "" || got.Message != "" ||
		!strings.Contains(toolstest.AsJSON(t, got.Outputs), `"text/plain":"2"`) {
		t.Errorf("an ended run = %+v", got)
	}
	got = notebook.RunView{}
	r.good("get_run", dict{"run_id": ran.Results[0].RunID, "maxCellOutputSize": 4}, &got)
	if got.State != "done" || !got.Truncated || got.OriginalSize != len("waiting\ndone\n") {
		t.Errorf("the first run = %+v", got)
	}
	// The waiting one is taken back, the running one interrupted.
	got = notebook.RunView{}
	r.good("cancel_run", id(3), &got)
	if got.State != string(run.Cancelled) {
		t.Errorf("the waiting run, cancelled = %+v", got)
	}
	r.good("cancel_run", id(2), nil)
	got = notebook.RunView{}
	r.good("wait_run", id(2), &got)
	if got.State != string(run.Interrupted) {
		t.Errorf("the interrupted run = %+v", got)
	}
	r.good("cancel_run", id(0), &got) // has ended: nothing happens
	if got.State != "done" {
		t.Errorf("an ended run after cancelling = %+v", got)
	}
	for _, tool := range []string{"get_run", "wait_run", "cancel_run"} {
		r.bad(tool, dict{"run_id": "run-99999"}, `"run-99999"`, "list_runs")
	}
}

// Cancelling a call stops its cells, unless it asked for them to go on.
func TestCancelledCall(t *testing.T) {
	r := newRig(t)
	gate := r.server.Name(t, ".gate")
	path := r.server.Notebook(t, gated(gate), "2")
	for _, interrupt := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		before := len(r.work.Manager.RunTable().Runs(path))
		go func() {
			defer close(ended)
			var req mcp.CallToolRequest
			req.Params.Name = "execute_nb_cells"
			req.Params.Arguments = dict{"path": path, "ranges": []dict{{"start": 0, "end": 2}}, "interrupt_on_cancel": interrupt}
			if res, err := r.client.CallTool(ctx, req); err == nil && !res.IsError {
				t.Errorf("a cancelled call was answered: %s", messageOf(res))
			}
		}()
		var runs []*run.Run
		for len(runs) <= before || len(runs[1].Result().Outputs) == 0 {
			time.Sleep(10 * time.Millisecond)
			if runs = r.work.Manager.RunTable().Runs(path); t.Context().Err() != nil {
				t.Fatal("the cells did not begin")
			}
		}
		cancel()
		<-ended
		want := []run.State{run.Done, run.Done}
		if interrupt {
			want = []run.State{run.Interrupted, run.Cancelled}
		} else {
			r.server.Write(t, gate, "")
		}
		for i, w := range want {
			run := runs[1-i]
			if err := run.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := run.Result().State; got != w {
				t.Errorf("interrupt_on_cancel %v: run %d is %s, want %s", interrupt, i, got, w)
			}
		}
		// For the second round the cell has to wait again, for a file that never comes.
		r.good("modify_nb_cells", dict{"path": path, "exec": false, "modifications": []dict{
			{"range": dict{"start": 0}, "content": gated(r.server.Name(t, ".never"))},
		}}, nil)
	}
}
