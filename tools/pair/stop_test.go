package pair_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// endless is code that runs until it is interrupted.
const endless = "import time\nwhile True:\n    time.sleep(0.1)"

// stop is the key of Ada's Stop in a notebook's state.
const stop = "nbduet:hands_off:*:ada"

// presses makes the same edit of the state as a tab in which Ada presses Stop, or "Go on".
func presses(p *sessiontest.Person, button string) {
	entry := map[string]any{stop: nil}
	if button == "Stop" {
		entry[stop] = map[string]any{"name": "Ada", "username": "ada", "since": time.Now().UTC().Format(time.RFC3339), "stop": true}
	}
	if err := p.Notebook.SetState(entry); err != nil {
		panic(err)
	}
	p.Reaches()
	settle()
}

// begins starts cells, or with text as the argument code without a cell, and returns the ids of the runs.
func begins(r *toolstest.Rig, path string, what any) (ids []string) {
	r.T.Helper()
	if code, ok := what.(string); ok {
		var out notebook.CodeResult
		r.Good("run_code", dict{"path": path, "code": code, "timeout": 3}, &out)
		return []string{out.RunID}
	}
	var out notebook.ExecuteResult
	r.Good("execute_nb_cells", dict{"path": path, "ranges": what, "timeout": 3}, &out)
	for _, one := range out.Results {
		ids = append(ids, one.RunID)
	}
	return ids
}

// ended waits until a run has ended.
func ended(r *toolstest.Rig, id string) (view notebook.RunView) {
	r.T.Helper()
	r.Good("wait_run", dict{"run_id": id, "timeout": 30}, &view)
	return view
}

// Stop cancels the running cell, the waiting ones and code without a cell of every process, once, and nothing in another
// notebook. No agent writes or runs anything until "go on".
func TestStop(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, endless, "x = 2", "x = 3", endless)
		other := toolstest.NewOn(t, d.Server)
		elsewhere := d.Server.Notebook(t, endless)
		ada := d.enters("ada", "Ada")
		d.Read(d.path)
		other.Read(d.path)
		d.Read(elsewhere)
		beside := begins(d.Rig, elsewhere, []dict{{"start": 0}})
		running := begins(d.Rig, d.path, []dict{{"start": 0, "end": 2}})
		waiting := begins(d.Rig, d.path, []dict{{"start": 2}})
		theirs := begins(other, d.path, []dict{{"start": 3}})
		code := begins(other, d.path, endless)
		presses(ada.Person, "Stop")

		first := ended(d.Rig, running[0])
		test.Eq(t, "interrupted", first.State)
		test.StrContains(t, first.Message, "Ada pressed Stop in this notebook, at ")
		for _, id := range []string{running[1], waiting[0]} {
			view := ended(d.Rig, id)
			test.Eq(t, "cancelled", view.State)
			test.StrContains(t, view.Message, "Ada pressed Stop in this notebook, at ")
		}
		for _, id := range []string{theirs[0], code[0]} {
			view := ended(other, id)
			test.SliceContains(t, []string{"cancelled", "interrupted"}, view.State)
			test.StrContains(t, view.Message, "Ada pressed Stop")
		}
		for _, c := range d.Read(d.path).Cells {
			test.NotEq(t, "running", c.ExecutionState)
		}
		var view notebook.RunView
		d.Good("get_run", dict{"run_id": beside[0]}, &view)
		test.Eq(t, "running", view.State)

		unchanged := d.Unchanged(d.path)
		for _, r := range []*toolstest.Rig{d.Rig, other} {
			for _, call := range []struct {
				tool, not string
				args      dict
			}{
				{"edit_text", "written", dict{"cell_id": "c1", "old_text": "2", "new_text": "22"}},
				{"insert_nb_cells", "written", dict{"position": 0, "exec": false, "cells": []dict{{"content": "new"}}}},
				{"execute_nb_cells", "run", dict{"ranges": []dict{{"start": 1}}}},
				{"run_code", "run", dict{"code": "y = 1"}},
			} {
				args := toolstest.With(call.args, "path", d.path)
				if call.tool != "run_code" {
					args["force"], args["wait"] = true, 5
				}
				r.Bad(call.tool, args, "stopped_by: Ada pressed Stop", "nothing was "+call.not, `until Ada presses "Go on" in the tab or says go on`)
			}
		}
		unchanged()
		d.Good("edit_text", dict{"path": elsewhere, "cell_id": "c0", "old_text": "0.1", "new_text": "0.2"}, nil)
		d.Good("cancel_run", dict{"run_id": beside[0]}, nil)

		presses(ada.Person, "Go on")
		for _, r := range []*toolstest.Rig{d.Rig, other} {
			r.Good("edit_text", dict{"path": d.path, "cell_id": "c1", "old_text": "2", "new_text": "22"}, nil)
			ran := begins(r, d.path, []dict{{"start": 2}})
			test.Eq(t, "done", ended(r, ran[0]).State)
		}
		// A second Stop is another one.
		again := begins(d.Rig, d.path, endless)
		presses(ada.Person, "Stop")
		test.Eq(t, "interrupted", ended(d.Rig, again[0]).State)
	})
}

// Stop interrupts code without a cell, also when the call that began it and the idle time of the notebook are over, and
// cancels each run once. The code of a person in the same kernel continues.
func TestStopWithoutACell(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "x = 1")
		ada := d.enters("ada", "Ada")
		d.Read(d.path)
		id := begins(d.Rig, d.path, endless)
		time.Sleep(20 * time.Minute)
		presses(ada.Person, "Stop")
		view := ended(d.Rig, id[0])
		test.Eq(t, "interrupted", view.State)
		test.Eq(t, 1, strings.Count(view.Message, "Ada pressed Stop"))

		presses(ada.Person, "Go on")
		found, _, err := d.Work.Kernel(t.Context(), jupyter.MustPath(d.path))
		must.NoError(t, err)
		person := toolstest.NewOn(t, d.Server) // does not have the notebook open, and so does not obey
		own, err := person.Work.Analyses.Attach(t.Context(), "ada", found.ID)
		must.NoError(t, err)
		theirs, err := own.Run("print(1)\n"+endless, run.Options{})
		must.NoError(t, err)
		sessiontest.Eventually(t, "their code runs", func() bool { return theirs.Result().Begun })
		behind := begins(d.Rig, d.path, endless)
		presses(ada.Person, "Stop")
		ada.types("c0", "\n# more") // a change of the room is not another Stop
		time.Sleep(time.Minute)
		test.Eq(t, run.Running, theirs.Status().State)
		must.NoError(t, theirs.Cancel(t.Context()))
		view = ended(d.Rig, behind[0])
		test.Eq(t, "interrupted", view.State)
		test.Eq(t, 1, strings.Count(view.Message, "Ada pressed Stop"))
	})
}

// Stop is obeyed by a call that has begun but not yet run its code, in a notebook that is opened later, and in the tools
// that use the current notebook. The status of the agents says it, and "@Duet go on" in a cell lifts it.
func TestStopStands(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "x = 1", "x = 2")
		ada := d.enters("ada", "Ada")
		d.Read(d.path)
		status := func() (texts string) {
			for _, p := range ada.Seen.Peers() {
				texts += p.Status().Text
			}
			return texts
		}
		presses(ada.Person, "Stop")
		time.Sleep(10 * time.Second)
		test.StrHasPrefix(t, "Ada pressed Stop in this notebook, at ", status())
		d.Good("use_notebook", dict{"notebook_name": "it", "notebook_path": d.path, "mode": "connect"}, nil)
		d.Bad("execute_ipython", dict{"code": "1"}, "stopped_by: Ada pressed Stop", "nothing was run")

		late := toolstest.NewOn(t, d.Server)
		late.Bad("run_code", dict{"path": d.path, "code": "1"}, "stopped_by: Ada pressed Stop")
		doc := sessiontest.Open(t, late.Work.Manager, d.path)
		runs, err := doc.Run(t.Context(), []string{"c0"}) // as of a call that was allowed before
		must.NoError(t, err)
		res := sessiontest.Wait(t, runs[0])
		test.Eq(t, run.Cancelled, res.State)
		test.ErrorContains(t, res.Err, "stopped_by: Ada pressed Stop")
		sessiontest.Idle(t, doc, "c0")

		ada.writes("c1", "\n# @Duet go on")
		time.Sleep(10 * time.Second)
		_, held := ada.Notebook.StateEntries(stop)[stop]
		test.False(t, held)
		test.StrNotContains(t, status(), "Stop")
		d.Good("run_code", dict{"path": d.path, "code": "1"}, nil)
	})
}

// A value other than true for "stop" keeps agents out, but cancels nothing.
func TestMalformedStop(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, endless, "x = 2")
		ada := d.enters("ada", "Ada")
		d.Read(d.path)
		id := begins(d.Rig, d.path, []dict{{"start": 0}})
		must.NoError(t, ada.Notebook.SetState(map[string]any{stop: map[string]any{
			"name": "Ada", "username": "ada", "since": time.Now().UTC().Format(time.RFC3339), "stop": "yes",
		}}))
		ada.Reaches()
		time.Sleep(10 * time.Second)
		var view notebook.RunView
		d.Good("get_run", dict{"run_id": id[0]}, &view)
		test.Eq(t, "running", view.State)
		d.Bad("edit_text", dict{"path": d.path, "cell_id": "c1", "old_text": "2", "new_text": "22"}, "hands_off: Ada said hands off this notebook")
		d.Good("cancel_run", dict{"run_id": id[0]}, nil)
		test.Eq(t, "interrupted", ended(d.Rig, id[0]).State)
	})
}

// A call that has passed the check before Stop, and waits for the kernel's start since then, runs nothing.
func TestStopDuringACall(t *testing.T) {
	for name, args := range map[string]dict{
		"execute_nb_cells": {"ranges": []dict{{"start": 0}}},
		"run_code":         {"code": "x = 1"},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				d := newDuo(t, "x = 1")
				ada := d.enters("ada", "Ada")
				d.Read(d.path)
				d.Server.Fake.Delay(http.MethodPost, "/api/sessions", 5*time.Second)
				var pressing sync.WaitGroup
				defer pressing.Wait()
				pressing.Go(func() {
					time.Sleep(2 * time.Second)
					presses(ada.Person, "Stop")
				})
				test.StrContains(t, toolstest.MessageOf(d.Call(name, d.in(args))), "Ada pressed Stop")
				runs := d.Work.RunTable().Runs(jupyter.Path{})
				must.SliceLen(t, 1, runs)
				test.Eq(t, run.Cancelled, sessiontest.Wait(t, runs[0]).State)
			})
		})
	}
}
