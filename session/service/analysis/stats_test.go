package analysis_test

import (
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Open documents, runs and kernels are counted until they are gone.
func TestStats(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		table := analysis.New(m)
		if got := table.Stats(); got.Notebooks+got.Texts+got.RunBytes+got.Analyses+got.Kernels != 0 || len(got.Runs) != 8 {
			t.Errorf("at the beginning: %+v", got)
		}
		text, err := m.OpenText(t.Context(), jupyter.MustPath(s.Write(t, s.Name(t, ".txt"), "hello")))
		if err != nil {
			t.Fatal(err)
		}
		text.Release()
		a := create(t, table, analysis.Options{NotebookPath: jupyter.MustPath(s.Notebook(t))})
		alone := create(t, table, analysis.Options{})
		result(t, runIn(t, alone, "print('x' * 1000)"))
		result(t, runIn(t, alone, "1/0"))
		slow := runIn(t, alone, "import time\nprint('begun', flush=True)\ntime.sleep(600)")
		sessiontest.Eventually(t, "the slow one to begin", func() bool { return len(slow.Result().Outputs) > 0 })
		got := table.Stats() // the notebook's kernel is shared
		test.Eq(t, 1, got.Notebooks)
		test.Eq(t, 1, got.Texts)
		test.Eq(t, 2, got.Analyses)
		test.Eq(t, 1, got.Kernels)
		test.GreaterEq(t, 1000, got.RunBytes)
		test.Eq(t, 1, got.Runs[run.Done])
		test.Eq(t, 1, got.Runs[run.Failed])
		test.Eq(t, 1, got.Runs[run.Running])
		for _, one := range []*analysis.Session{a, alone} {
			if err := table.Delete(t.Context(), "ada", one.ID()); err != nil {
				t.Error(err)
			}
		}
		got = table.Stats()
		test.Eq(t, 0, got.Analyses, test.Sprint("after them"))
		test.Eq(t, 0, got.Kernels, test.Sprint("after them"))
		test.Eq(t, 0, got.Runs[run.Running], test.Sprint("after them"))
	})
}
