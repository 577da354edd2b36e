package analysis_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/analysis"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/run"
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
	ctx, stop := context.WithTimeout(t.Context(), sessiontest.Patience)
	defer stop()
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	return r.Result()
}

// Runs in a kernel alone go on one after the other, keep what they put out, and can be taken back and interrupted; the
// session's end ends them.
func TestAnalysisRuns(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		table := analysis.New(m)
		a := create(t, table, analysis.Options{})
		res := result(t, runIn(t, a, "import sys\nprint('out')\nprint('err', file=sys.stderr)\nx = 6\nx*7"))
		if got := sessiontest.Text(res.Outputs); res.State != run.Done || got != "stdout:out\n;stderr:err\n;execute_result:42;" || res.Count == nil || *res.Count != 1 {
			t.Errorf("%+v: %s", res, got)
		}
		slow, waiting := runIn(t, a, "import time\nprint('begun', flush=True)\ntime.sleep(600)"), runIn(t, a, "print('never')")
		sessiontest.Eventually(t, "the slow one shows its output", func() bool { return sessiontest.Text(slow.Result().Outputs) == "stdout:begun\n;" })
		if runs := a.Runs(); len(runs) != 3 || runs[0] != waiting || runs[0].Session != a.ID() || runs[0].Owner != "ada" {
			t.Errorf("%v", runs)
		}
		stopped, err := a.Interrupt(t.Context())
		if err != nil || len(stopped) != 2 {
			t.Fatalf("%v, %v", stopped, err)
		}
		if res := result(t, waiting); res.State != run.Cancelled {
			t.Errorf("%+v", res)
		}
		if res := result(t, slow); res.State != run.Interrupted || sessiontest.Text(res.Outputs) != "stdout:begun\n;error:KeyboardInterrupt;" {
			t.Errorf("%+v", res)
		}
		if res := result(t, runIn(t, a, "1/0")); res.State != run.Failed || sessiontest.Text(res.Outputs) != "error:ZeroDivisionError;" {
			t.Errorf("%+v", res)
		}
		if res := result(t, runIn(t, a, "print(x)")); res.State != run.Done || sessiontest.Text(res.Outputs) != "stdout:6\n;" || *res.Count != 4 {
			t.Errorf("%+v", res)
		}
		slow, waiting = runIn(t, a, "print('begun', flush=True)\ntime.sleep(600)"), runIn(t, a, "print('never')")
		sessiontest.Eventually(t, "the slow one has begun", func() bool { return len(slow.Result().Outputs) > 0 })
		if err := table.Delete(t.Context(), "ada", a.ID()); err != nil || !a.End().KernelEnded {
			t.Errorf("%v, %+v", err, a.End())
		}
		for r, state := range map[*run.Run]run.State{slow: run.Lost, waiting: run.Cancelled} {
			if res := result(t, r); res.State != state || res.Err == nil || !strings.Contains(res.Err.Error(), "session was ended") {
				t.Errorf("%+v", res)
			}
		}
	})
}

// Code in a kernel alone may ask for input.
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
	if res := result(t, r); res.State != run.Done || !strings.HasSuffix(sessiontest.Text(res.Outputs), "stdout:hello Who? Ada\n;") {
		t.Errorf("%+v", res)
	}
}

// A kernel that dies, or is shut down while nobody looks, is told of, and the session gets another one.
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
		if err := m.Servers().Documents.ShutdownKernel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the session shows it", func() bool { return a.Status(t.Context()) == kernel.StateDead })
		if res := result(t, runIn(t, a, "print('new')")); res.State == run.Lost {
			t.Logf("it was on its way: %v", res.Err) // before the connection knew
		}
		res := result(t, runIn(t, a, "print('new')"))
		if res.State != run.Done || a.KernelID() == id || !sessiontest.HasKernel(t, m, a.KernelID()) {
			t.Errorf("%+v", res)
		}
		told := false
		for _, r := range a.Runs() {
			told = told || strings.Contains(r.Result().Note, "the session's kernel had been shut down, so a new one (python3) was started")
		}
		if !told {
			t.Error("no run tells of the new kernel")
		}
		if _, err := table.Connect(t.Context(), "bob", jupyter.Path{}, a.KernelID()); !errors.Is(err, analysis.ErrNoSession) {
			t.Errorf("another owner connects to the session's own kernel: %v", err)
		}
		free, err := m.Servers().Documents.StartKernelIn(t.Context(), "", jupyter.Path{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := table.Connect(t.Context(), "bob", jupyter.Path{}, free.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Servers().Documents.ShutdownKernel(t.Context(), free.ID); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "a run says that the kernel is gone", func() bool {
			res := result(t, runIn(t, b, "1"))
			return res.State == run.Lost && strings.Contains(res.Err.Error(), analysis.ErrKernelGone.Error())
		})
	})
}

// Ten sessions work at once, and one's slow code delays no other. The manager's end ends their kernels, and not a
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
		if len(sessions) < 10 || len(table.List("ada")) != 11 {
			t.Fatalf("%d sessions", len(sessions))
		}
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
		if err := m.Servers().Documents.ShutdownKernel(t.Context(), inNotebook.KernelID()); err != nil {
			t.Error(err)
		}
	})
}
