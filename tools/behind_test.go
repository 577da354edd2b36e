package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// A call whose cells are queued behind a run that waits for input says so at once, and so does one that follows them.
func TestQueuedBehindInput(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Who = (&tool.Clients{}).Enter()
		path := r.Server.Notebook(t, asksName, "2", "3")
		var asks, got notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &asks)
		first := asks.Results[0].RunID
		began := time.Now()
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1, "end": 3}}}, &got)
		if took := time.Since(began); took > time.Second {
			t.Errorf("it was told after %s", took)
		}
		for _, one := range got.Results {
			b := one.Behind
			if one.State != string(run.Queued) || b == nil || b.RunID != first || b.CellID != "c0" || b.State != string(run.WaitingForInput) {
				t.Errorf("%s", sample.AsJSON(t, one))
			}
			if !strings.Contains(one.Message, `queued behind `+first+` of cell "c0"`) || !strings.Contains(one.Message, `answer_input with run_id "`+first+`"`) {
				t.Errorf("message %q", one.Message)
			}
		}
		for _, name := range []string{"get_run", "wait_run"} {
			began := time.Now()
			var view notebook.RunView
			r.Good(name, toolstest.Dict{"run_id": got.Results[1].RunID}, &view)
			if view.Behind == nil || view.Behind.RunID != first || time.Since(began) > time.Second {
				t.Errorf("%s after %s: %s", name, time.Since(began), sample.AsJSON(t, view))
			}
		}
		r.Read(path)
		var modified notebook.ModifyResult
		began = time.Now()
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c2"}, "content": "4"}}, "exec": true}, &modified)
		if len(modified.Results) != 1 || modified.Results[0].Behind == nil || time.Since(began) > time.Second {
			t.Errorf("modify_nb_cells after %s: %s", time.Since(began), sample.AsJSON(t, modified))
		}

		// In words.
		m := r.Connect(tools.Config{Work: r.Work, Activity: r.Record})
		defer m.Close()
		began = time.Now()
		text := toolstest.MessageOf(r.CallAs(m, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}))
		if !strings.Contains(text, "queued behind "+first) || time.Since(began) > time.Second {
			t.Errorf("in words after %s:\n%s", time.Since(began), text)
		}

		r.Good("answer_input", toolstest.Dict{"run_id": first, "text": "Ada"}, nil)
		var view notebook.RunView
		r.Good("wait_run", toolstest.Dict{"run_id": got.Results[1].RunID}, &view)
		if view.State != string(run.Done) || view.Behind != nil {
			t.Errorf("after the answer: %s", sample.AsJSON(t, view))
		}
	})
}

// A call whose cell is queued behind a run that goes on for more than 2 s says so then, and waiting for it goes on as
// long as was asked.
func TestQueuedBehindLongRun(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Who = (&tool.Clients{}).Enter()
		gate := r.Server.Name(t, ".gate")
		path := r.Server.Notebook(t, toolstest.Gated(gate), "2", "3")
		execute := func(cell int, timeout float64) (got notebook.ExecuteResult, took time.Duration) {
			t.Helper()
			began := time.Now()
			r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": cell}}, "timeout": timeout}, &got)
			return got, time.Since(began)
		}
		execute(2, 60) // the kernel is there
		asks, _ := execute(0, 0.5)
		first := asks.Results[0].RunID
		got, took := execute(1, 60)
		if took < time.Second || took > 2*time.Second {
			t.Errorf("it was told after %s", took)
		}
		one := got.Results[0]
		if one.Behind == nil || one.Behind.RunID != first || one.Behind.State != string(run.Running) || one.Behind.Seconds < 2 || !strings.Contains(one.Message, "has run for 2") {
			t.Errorf("%s", sample.AsJSON(t, one))
		}
		if _, took = execute(2, 60); took > time.Second {
			t.Errorf("the next one was told after %s", took)
		}
		began := time.Now()
		var view notebook.RunView
		r.Good("wait_run", toolstest.Dict{"run_id": one.RunID, "timeout": 7}, &view)
		if took := time.Since(began); took < 6*time.Second || view.Behind == nil {
			t.Errorf("wait_run ended after %s: %s", took, sample.AsJSON(t, view))
		}
		r.Server.Write(t, gate, "")
		view = notebook.RunView{}
		r.Good("wait_run", toolstest.Dict{"run_id": one.RunID}, &view)
		if view.State != string(run.Done) {
			t.Errorf("at last: %s", sample.AsJSON(t, view))
		}
	})
}

// A run of another client is not named by its id.
func TestQueuedBehindAnother(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		clients := &tool.Clients{}
		r.Who = clients.Enter()
		path := r.Server.Notebook(t, asksName, "2")
		var asks, got notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &asks)
		first := asks.Results[0].RunID
		r.Who = clients.Enter()
		began := time.Now()
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, &got)
		one := got.Results[0]
		if took := time.Since(began); took > time.Second || one.Behind == nil || one.Behind.RunID != "" || strings.Contains(one.Message, first) || !strings.Contains(one.Message, "another client") {
			t.Errorf("after %s: %s", took, sample.AsJSON(t, one))
		}
	})
}

// The tools that answer in the forms of others say it as well.
func TestQueuedBehindElsewhere(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Use(asksName, "2")
		made := r.Create(toolstest.Dict{"notebook_path": path})
		var asks notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &asks)
		first := asks.Results[0].RunID
		var code analysis.CodeResult
		began := time.Now()
		r.Good("execute_cell", toolstest.Dict{"session_id": made.ID, "cell_id": "c1"}, &code)
		if took := time.Since(began); took > time.Second || code.Behind == nil || code.Behind.RunID != first || !strings.Contains(code.ErrorMessage, "queued behind "+first) {
			t.Errorf("after %s: %s", took, sample.AsJSON(t, code))
		}
		began = time.Now()
		text := r.Said("execute_cell", toolstest.Dict{"cell_index": 1})
		if took := time.Since(began); took > time.Second || !strings.Contains(text, "queued behind "+first) {
			t.Errorf("after %s: %s", took, text)
		}
	})
}
