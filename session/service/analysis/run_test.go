package analysis_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/sessiontest"
)

func create(t *testing.T, table *analysis.Table, opt analysis.Options) *analysis.Session {
	t.Helper()
	a, err := table.Create(t.Context(), "ada", opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func runIn(t *testing.T, a *analysis.Session, code string) *run.Run {
	t.Helper()
	r, err := a.Run(code, run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func result(t *testing.T, r *run.Run) run.Result {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), sessiontest.Timeout)
	defer stop()
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	return r.Result()
}

// Runs in a kernel without a notebook run one after the other, keep their output, and can be cancelled and interrupted; the
// session's end ends them.
func TestAnalysisRuns(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		table := analysis.New(m)
		a := create(t, table, analysis.Options{})
		res := result(t, runIn(t, a, "import sys\nprint('out')\nprint('err', file=sys.stderr)\nx = 6\nx*7"))
		got := sessiontest.Text(res.Outputs)
		test.Eq(t, run.Done, res.State)
		test.Eq(t, "stdout:out\n;stderr:err\n;execute_result:42;", got)
		must.NotNil(t, res.Count)
		test.Eq(t, 1, *res.Count)
		slow, waiting := runIn(t, a, "import time\nprint('begun', flush=True)\ntime.sleep(600)"), runIn(t, a, "print('never')")
		sessiontest.Eventually(t, "the slow one shows its output", func() bool { return sessiontest.Text(slow.Result().Outputs) == "stdout:begun\n;" })
		runs := a.Runs()
		must.SliceLen(t, 3, runs)
		test.EqOp(t, waiting, runs[0])
		test.Eq(t, a.ID(), runs[0].Session)
		test.Eq(t, "ada", runs[0].Owner)
		stopped, err := a.Interrupt(t.Context())
		must.NoError(t, err)
		must.SliceLen(t, 2, stopped)
		if res := result(t, waiting); res.State != run.Cancelled {
			t.Errorf("%+v", res)
		}
		res = result(t, slow)
		test.Eq(t, run.Interrupted, res.State)
		test.Eq(t, "stdout:begun\n;error:KeyboardInterrupt;", sessiontest.Text(res.Outputs))
		res = result(t, runIn(t, a, "1/0"))
		test.Eq(t, run.Failed, res.State)
		test.Eq(t, "error:ZeroDivisionError;", sessiontest.Text(res.Outputs))
		res = result(t, runIn(t, a, "print(x)"))
		test.Eq(t, run.Done, res.State)
		test.Eq(t, "stdout:6\n;", sessiontest.Text(res.Outputs))
		test.Eq(t, 4, *res.Count)
		slow, waiting = runIn(t, a, "print('begun', flush=True)\ntime.sleep(600)"), runIn(t, a, "print('never')")
		sessiontest.Eventually(t, "the slow one has begun", func() bool { return len(slow.Result().Outputs) > 0 })
		err = table.Delete(t.Context(), "ada", a.ID())
		must.NoError(t, err)
		test.True(t, a.End().KernelEnded)
		for r, state := range map[*run.Run]run.State{slow: run.Lost, waiting: run.Cancelled} {
			res := result(t, r)
			test.Eq(t, state, res.State)
			must.Error(t, res.Err)
			test.StrContains(t, res.Err.Error(), "session was ended")
		}
	})
}

// Code in a kernel without a notebook may request input.
func TestAnalysisAsks(t *testing.T) {
	s := jupytertest.Shared(t)
	m := sessiontest.Manager(t, s, session.Config{})
	table := analysis.New(m)
	a := create(t, table, analysis.Options{})
	r, err := a.Run("print('hello', input('Who? '))", run.Options{Ask: func(_ context.Context, q run.Question) (string, error) {
		return q.Prompt + "Ada", nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	res := result(t, r)
	test.Eq(t, run.Done, res.State)
	test.StrHasSuffix(t, "stdout:hello Who? Ada\n;", sessiontest.Text(res.Outputs))
}

// The death or unnoticed shutdown of a kernel is reported, and the session gets another kernel.
func TestAnalysisKernelDies(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		table := analysis.New(m)
		a := create(t, table, analysis.Options{})
		id := a.KernelID()
		dying, waiting := runIn(t, a, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"), runIn(t, a, "print('never')")
		if res := result(t, dying); res.State != run.Lost || !strings.Contains(res.Err.Error(), kernel.ErrKernelDied.Error()) {
			t.Errorf("%+v", res)
		}
		if res := result(t, waiting); res.State != run.Cancelled {
			t.Errorf("%+v", res)
		}
		if res := result(t, runIn(t, a, "print('again')")); res.State != run.Done || sessiontest.Text(res.Outputs) != "stdout:again\n;" || a.KernelID() != id {
			t.Errorf("%+v", res)
		}
		if err := m.Servers().Documents.Kernels.Shutdown(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the session shows it", func() bool { return a.Status(t.Context()) == kernel.StateDead })
		if res := result(t, runIn(t, a, "print('new')")); res.State == run.Lost {
			t.Logf("it was on its way: %v", res.Err) // it was in progress
		}
		res := result(t, runIn(t, a, "print('new')"))
		test.Eq(t, run.Done, res.State)
		test.NotEq(t, id, a.KernelID())
		test.True(t, sessiontest.HasKernel(t, m, a.KernelID()))
		told := false
		for _, r := range a.Runs() {
			told = told || strings.Contains(r.Result().Note, "the session's kernel had been shut down, so a new one (python3) was started")
		}
		if !told {
			t.Error("no run reports the new kernel")
		}
		if _, err := table.Connect(t.Context(), "bob", jupyter.Path{}, a.KernelID()); !errors.Is(err, analysis.ErrNoSession) {
			t.Errorf("another owner connects to the session's own kernel: %v", err)
		}
		free, err := m.Servers().Documents.Kernels.Start(t.Context(), "", jupyter.Path{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := table.Connect(t.Context(), "bob", jupyter.Path{}, free.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Servers().Documents.Kernels.Shutdown(t.Context(), free.ID); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "a run says that the kernel is gone", func() bool {
			res := result(t, runIn(t, b, "1"))
			return res.State == run.Lost && strings.Contains(res.Err.Error(), analysis.ErrKernelGone.Error())
		})
	})
}

// Ten sessions work at once, and slow code of one delays no other. The manager's end ends their kernels, but not a
// notebook's.
func TestTenAnalyses(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		table := analysis.New(m)
		path := s.Notebook(t, "1")
		inNotebook := create(t, table, analysis.Options{NotebookPath: jupyter.MustPath(path)})
		all := make(chan *analysis.Session, 10)
		for range 10 {
			go func() {
				a, err := table.Create(t.Context(), "ada", analysis.Options{})
				if err != nil {
					t.Error(err)
				}
				all <- a
			}()
		}
		var sessions []*analysis.Session
		for range 10 {
			if a := <-all; a != nil {
				sessions = append(sessions, a)
			}
		}
		must.GreaterEq(t, 10, len(sessions))
		must.SliceLen(t, 11, table.List("ada"))
		slow := runIn(t, sessions[0], "import time\ntime.sleep(600)")
		var runs []*run.Run
		for i, a := range sessions[1:] {
			runs = append(runs, runIn(t, a, fmt.Sprintf("x = %d\nprint(x)", i)))
		}
		for i, r := range runs {
			if res := result(t, r); sessiontest.Text(res.Outputs) != fmt.Sprintf("stdout:%d\n;", i) {
				t.Errorf("%+v", res)
			}
		}
		if st := slow.Status().State; st.Ended() {
			t.Errorf("the slow one is %s", st)
		}
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
		for _, a := range sessions {
			if sessiontest.HasKernel(t, m, a.KernelID()) {
				t.Errorf("the kernel of %s still runs", a.ID())
			}
		}
		if !sessiontest.HasKernel(t, m, inNotebook.KernelID()) {
			t.Error("the notebook's kernel was shut down")
		}
		if _, err := table.Create(t.Context(), "ada", analysis.Options{}); err == nil {
			t.Error("a session is made after the end")
		}
		if err := m.Servers().Documents.Kernels.Shutdown(t.Context(), inNotebook.KernelID()); err != nil {
			t.Error(err)
		}
	})
}
