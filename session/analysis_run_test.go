package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
)

func analysis(t *testing.T, m *session.Manager, opt session.AnalysisOptions) *session.Analysis {
	t.Helper()
	a, err := m.CreateAnalysis(t.Context(), "ada", opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func runIn(t *testing.T, a *session.Analysis, code string) *session.Run {
	t.Helper()
	r, err := a.Run(code, session.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func result(t *testing.T, r *session.Run) session.Result {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	return r.Result()
}

// Runs in a kernel alone go on one after the other, keep what they put out, and
// can be taken back and interrupted; the session's end ends them.
func TestAnalysisRuns(t *testing.T) {
	s := jupytertest.Shared(t)
	m := manager(t, s, session.Config{})
	a := analysis(t, m, session.AnalysisOptions{})
	res := result(t, runIn(t, a, "import sys\nprint('out')\nprint('err', file=sys.stderr)\nx = 6\nx*7"))
	if got := text(res.Outputs); res.State != session.Done || got != "stdout:out\n;stderr:err\n;execute_result:42;" || res.Count == nil || *res.Count != 1 {
		t.Errorf("%+v: %s", res, got)
	}
	slow, waiting := runIn(t, a, "import time\nprint('begun', flush=True)\ntime.sleep(600)"), runIn(t, a, "print('never')")
	eventually(t, "the slow one shows its output", func() bool { return text(slow.Result().Outputs) == "stdout:begun\n;" })
	if runs := a.Runs(); len(runs) != 3 || runs[0] != waiting || runs[0].Session != a.ID() || runs[0].Owner != "ada" {
		t.Errorf("%v", runs)
	}
	stopped, err := a.Interrupt(t.Context())
	if err != nil || len(stopped) != 2 {
		t.Fatalf("%v, %v", stopped, err)
	}
	if res := result(t, waiting); res.State != session.Cancelled {
		t.Errorf("%+v", res)
	}
	if res := result(t, slow); res.State != session.Interrupted || text(res.Outputs) != "stdout:begun\n;error:KeyboardInterrupt;" {
		t.Errorf("%+v", res)
	}
	if res := result(t, runIn(t, a, "1/0")); res.State != session.Failed || text(res.Outputs) != "error:ZeroDivisionError;" {
		t.Errorf("%+v", res)
	}
	if res := result(t, runIn(t, a, "print(x)")); res.State != session.Done || text(res.Outputs) != "stdout:6\n;" || *res.Count != 4 {
		t.Errorf("%+v", res)
	}
	slow, waiting = runIn(t, a, "print('begun', flush=True)\ntime.sleep(600)"), runIn(t, a, "print('never')")
	eventually(t, "the slow one has begun", func() bool { return len(slow.Result().Outputs) > 0 })
	if err := m.DeleteAnalysis(t.Context(), "ada", a.ID()); err != nil || !a.End().KernelEnded {
		t.Errorf("%v, %+v", err, a.End())
	}
	for r, state := range map[*session.Run]session.RunState{slow: session.Lost, waiting: session.Cancelled} {
		if res := result(t, r); res.State != state || res.Err == nil || !strings.Contains(res.Err.Error(), "session was ended") {
			t.Errorf("%+v", res)
		}
	}
}

// Code in a kernel alone may ask for input.
func TestAnalysisAsks(t *testing.T) {
	s := jupytertest.Shared(t)
	m := manager(t, s, session.Config{})
	a := analysis(t, m, session.AnalysisOptions{})
	r, err := a.Run("print('hello', input('Who? '))", session.RunOptions{Ask: func(_ context.Context, q session.Question) (string, error) {
		return q.Prompt + "Ada", nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if res := result(t, r); res.State != session.Done || !strings.HasSuffix(text(res.Outputs), "stdout:hello Who? Ada\n;") {
		t.Errorf("%+v", res)
	}
}

// A kernel that dies, or is shut down while nobody looks, is told of, and the
// session gets another one.
func TestAnalysisKernelDies(t *testing.T) {
	s := jupytertest.Shared(t)
	m := manager(t, s, session.Config{})
	a := analysis(t, m, session.AnalysisOptions{})
	id := a.KernelID()
	dying, waiting := runIn(t, a, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"), runIn(t, a, "print('never')")
	if res := result(t, dying); res.State != session.Lost || !strings.Contains(res.Err.Error(), kernel.ErrKernelDied.Error()) {
		t.Errorf("%+v", res)
	}
	if res := result(t, waiting); res.State != session.Cancelled {
		t.Errorf("%+v", res)
	}
	if res := result(t, runIn(t, a, "print('again')")); res.State != session.Done || text(res.Outputs) != "stdout:again\n;" || a.KernelID() != id {
		t.Errorf("%+v", res)
	}
	if err := m.Server().ShutdownKernel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the session shows it", func() bool { return a.Status(t.Context()) == kernel.StateDead })
	if res := result(t, runIn(t, a, "print('new')")); res.State == session.Lost {
		t.Logf("it was on its way: %v", res.Err) // before the connection knew
	}
	res := result(t, runIn(t, a, "print('new')"))
	if res.State != session.Done || a.KernelID() == id || !kernelAt(t, m, a.KernelID()) {
		t.Errorf("%+v", res)
	}
	told := false
	for _, r := range a.Runs() {
		told = told || strings.Contains(r.Result().Note, "the session's kernel had been shut down, so a new one (python3) was started")
	}
	if !told {
		t.Error("no run tells of the new kernel")
	}
	if _, err := m.ConnectAnalysis(t.Context(), "bob", "", a.KernelID()); !errors.Is(err, session.ErrNoAnalysis) {
		t.Errorf("another owner connects to the session's own kernel: %v", err)
	}
	free, err := m.Server().StartKernelIn(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.ConnectAnalysis(t.Context(), "bob", "", free.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Server().ShutdownKernel(t.Context(), free.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a run says that the kernel is gone", func() bool {
		res := result(t, runIn(t, b, "1"))
		return res.State == session.Lost && strings.Contains(res.Err.Error(), session.ErrKernelGone.Error())
	})
}

// Ten sessions work at once, and one's slow code delays no other. The manager's
// end ends their kernels, and not a notebook's.
func TestTenAnalyses(t *testing.T) {
	s := jupytertest.Shared(t)
	m := manager(t, s, session.Config{})
	path := s.Notebook(t, "1")
	inNotebook := analysis(t, m, session.AnalysisOptions{NotebookPath: path})
	all := make(chan *session.Analysis, 10)
	for range 10 {
		go func() {
			a, err := m.CreateAnalysis(t.Context(), "ada", session.AnalysisOptions{})
			if err != nil {
				t.Error(err)
			}
			all <- a
		}()
	}
	var sessions []*session.Analysis
	for range 10 {
		if a := <-all; a != nil {
			sessions = append(sessions, a)
		}
	}
	if len(sessions) < 10 || len(m.Analyses("ada")) != 11 {
		t.Fatalf("%d sessions", len(sessions))
	}
	slow := runIn(t, sessions[0], "import time\ntime.sleep(600)")
	var runs []*session.Run
	for i, a := range sessions[1:] {
		runs = append(runs, runIn(t, a, fmt.Sprintf("x = %d\nprint(x)", i)))
	}
	for i, r := range runs {
		if res := result(t, r); text(res.Outputs) != fmt.Sprintf("stdout:%d\n;", i) {
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
		if kernelAt(t, m, a.KernelID()) {
			t.Errorf("the kernel of %s still runs", a.ID())
		}
	}
	if !kernelAt(t, m, inNotebook.KernelID()) {
		t.Error("the notebook's kernel was shut down")
	}
	if _, err := m.CreateAnalysis(t.Context(), "ada", session.AnalysisOptions{}); err == nil {
		t.Error("a session is made after the end")
	}
	if err := m.Server().ShutdownKernel(t.Context(), inNotebook.KernelID()); err != nil {
		t.Error(err)
	}
}
