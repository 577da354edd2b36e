package tools_test

import (
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// A call whose cells are queued behind a run that waits for input says so at once, and so does a call that follows them.
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
			test.Eq(t, string(run.Queued), one.State)
			must.NotNil(t, b)
			test.Eq(t, first, b.RunID)
			test.Eq(t, "c0", b.CellID)
			test.Eq(t, string(run.WaitingForInput), b.State)
			test.StrContains(t, one.Message, `queued behind `+first+` of cell "c0"`)
			test.StrContains(t, one.Message, `answer_input with run_id "`+first+`"`)
		}
		for _, name := range []string{"get_run", "wait_run"} {
			began := time.Now()
			var view notebook.RunView
			r.Good(name, toolstest.Dict{"run_id": got.Results[1].RunID}, &view)
			must.NotNil(t, view.Behind, must.Sprint(name))
			test.Eq(t, first, view.Behind.RunID, test.Sprint(name))
			test.LessEq(t, time.Second, time.Since(began), test.Sprint(name))
		}
		r.Read(path)
		var modified notebook.ModifyResult
		began = time.Now()
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c2"}, "content": "4"}}, "exec": true}, &modified)
		must.SliceLen(t, 1, modified.Results)
		must.NotNil(t, modified.Results[0].Behind)
		test.LessEq(t, time.Second, time.Since(began))

		// In words.
		m := r.Connect(tools.Config{Work: r.Work, Activity: r.Record})
		defer m.Close()
		began = time.Now()
		text := toolstest.MessageOf(r.CallAs(m, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}))
		test.StrContains(t, text, "queued behind "+first)
		test.LessEq(t, time.Second, time.Since(began))

		r.Good("answer_input", toolstest.Dict{"run_id": first, "text": "Ada"}, nil)
		var view notebook.RunView
		r.Good("wait_run", toolstest.Dict{"run_id": got.Results[1].RunID}, &view)
		test.Eq(t, string(run.Done), view.State, test.Sprint("after the answer"))
		test.Nil(t, view.Behind, test.Sprint("after the answer"))
	})
}

// A call whose cell is queued behind a run that takes more than 2 s then says so, and waiting for it lasts as long as
// requested.
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
		execute(2, 60) // the kernel has started
		asks, _ := execute(0, 0.5)
		first := asks.Results[0].RunID
		got, took := execute(1, 60)
		test.GreaterEq(t, time.Second, took)
		test.LessEq(t, 2*time.Second, took)
		one := got.Results[0]
		must.NotNil(t, one.Behind)
		test.Eq(t, first, one.Behind.RunID)
		test.Eq(t, string(run.Running), one.Behind.State)
		test.GreaterEq(t, 2, one.Behind.Seconds)
		test.StrContains(t, one.Message, "has run for 2")
		if _, took = execute(2, 60); took > time.Second {
			t.Errorf("the next one was told after %s", took)
		}
		began := time.Now()
		var view notebook.RunView
		r.Good("wait_run", toolstest.Dict{"run_id": one.RunID, "timeout": 7}, &view)
		took = time.Since(began)
		test.GreaterEq(t, 6*time.Second, took)
		test.NotNil(t, view.Behind)
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
		took := time.Since(began)
		test.LessEq(t, time.Second, took)
		must.NotNil(t, one.Behind)
		test.Eq(t, "", one.Behind.RunID)
		test.StrNotContains(t, one.Message, first)
		test.StrContains(t, one.Message, "another client")
	})
}

// The tools in the formats of other servers say it as well.
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
		took := time.Since(began)
		test.LessEq(t, time.Second, took)
		must.NotNil(t, code.Behind)
		test.Eq(t, first, code.Behind.RunID)
		test.StrContains(t, code.ErrorMessage, "queued behind "+first)
		began = time.Now()
		text := r.Said("execute_cell", toolstest.Dict{"cell_index": 1})
		took = time.Since(began)
		test.LessEq(t, time.Second, took)
		test.StrContains(t, text, "queued behind "+first)
	})
}
