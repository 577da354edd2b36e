package session_test

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
)

// What is open, running and started is counted, and no more when it has gone.
func TestStats(t *testing.T) {
	s := jupytertest.Shared(t)
	m := manager(t, s, session.Config{})
	if got := m.Stats(); got.Notebooks+got.Texts+got.RunBytes+got.Analyses+got.Kernels != 0 || len(got.Runs) != 7 {
		t.Errorf("at the beginning: %+v", got)
	}
	text, err := m.OpenText(t.Context(), s.Write(t, s.Name(t, ".txt"), "hello"))
	if err != nil {
		t.Fatal(err)
	}
	text.Release()
	a := analysis(t, m, session.AnalysisOptions{NotebookPath: s.Notebook(t)})
	alone := analysis(t, m, session.AnalysisOptions{})
	result(t, runIn(t, alone, "print('x' * 1000)"))
	result(t, runIn(t, alone, "1/0"))
	slow := runIn(t, alone, "import time\nprint('begun', flush=True)\ntime.sleep(600)")
	eventually(t, "the slow one to begin", func() bool { return len(slow.Result().Outputs) > 0 })
	got := m.Stats() // the notebook's kernel is everybody's
	if got.Notebooks != 1 || got.Texts != 1 || got.Analyses != 2 || got.Kernels != 1 || got.RunBytes < 1000 ||
		got.Runs[session.Done] != 1 || got.Runs[session.Failed] != 1 || got.Runs[session.Running] != 1 {
		t.Errorf("%+v", got)
	}
	for _, one := range []*session.Analysis{a, alone} {
		if err := m.DeleteAnalysis(t.Context(), "ada", one.ID()); err != nil {
			t.Error(err)
		}
	}
	if got := m.Stats(); got.Analyses != 0 || got.Kernels != 0 || got.Runs[session.Running] != 0 {
		t.Errorf("after them: %+v", got)
	}
}
