package analysis_test

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A session without a notebook has its own kernel, which ends with it. Only its owner finds it.
func TestAnalysisOfAKernelAlone(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		table := analysis.New(m)
		a, err := table.Create(t.Context(), "ada", analysis.Options{Name: "first"})
		if err != nil {
			t.Fatal(err)
		}
		test.Eq(t, "first", a.Name())
		test.Eq(t, "", a.NotebookPath().String())
		test.False(t, a.Created().IsZero())
		test.True(t, sessiontest.HasKernel(t, m, a.KernelID()))
		lang, err := a.Language(t.Context())
		must.NoError(t, err)
		test.Eq(t, "python", lang)
		sessiontest.Eventually(t, "the kernel is idle", func() bool { return a.Status(t.Context()) == kernel.StateIdle })
		got, err := a.Evaluate(t.Context(), "x = 6", map[string]string{"y": "x * 7", "n": "get_ipython().execution_count"})
		must.NoError(t, err)
		test.Eq(t, "42", sessiontest.Expression(t, got, "y"))
		test.Eq(t, "1", sessiontest.Expression(t, got, "n"))
		var raised kernel.Error
		_, err = a.Evaluate(t.Context(), "1/0", nil)
		must.True(t, errors.As(err, &raised), must.Sprint("1/0"))
		test.Eq(t, "ZeroDivisionError", raised.Name, test.Sprint("1/0"))
		list := table.List("ada")
		must.SliceLen(t, 1, list)
		test.EqOp(t, a, list[0])
		for _, owner := range []string{"", "bob"} {
			_, err := table.Get(owner, a.ID())
			test.ErrorIs(t, err, analysis.ErrNoSession)
			test.LessEq(t, 0, len(table.List(owner)))
			if err := table.Delete(t.Context(), owner, a.ID()); !errors.Is(err, analysis.ErrNoSession) {
				t.Errorf("%q deletes it: %v", owner, err)
			}
		}
		err = table.Delete(t.Context(), "ada", a.ID())
		must.NoError(t, err)
		test.True(t, a.End().KernelEnded)
		if sessiontest.HasKernel(t, m, a.KernelID()) {
			t.Error("its kernel still runs")
		}
		if _, err := a.Evaluate(t.Context(), "1", nil); !errors.Is(err, analysis.ErrNoSession) {
			t.Errorf("%v", err)
		}
		if _, err := table.Get("ada", a.ID()); !errors.Is(err, analysis.ErrNoSession) {
			t.Errorf("%v", err)
		}
		if _, err := table.Create(t.Context(), "ada", analysis.Options{NotebookPath: jupyter.MustPath(s.Name(t, "-none.ipynb"))}); !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("a notebook that is not there: %v", err)
		}
		if _, err := table.Connect(t.Context(), "ada", jupyter.Path{}, "no-such-kernel"); !errors.Is(err, analysis.ErrNoSession) {
			t.Errorf("a kernel that is not there: %v", err)
		}
	})
}

// A session that names a notebook uses the notebook's kernel, which ends with the session that it was started for, unless
// another client uses it.
func TestAnalysisOfANotebook(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		table := analysis.New(m)
		path := s.Notebook(t, "x = 6")
		a, err := table.Create(t.Context(), "ada", analysis.Options{NotebookPath: jupyter.MustPath("/" + path)})
		if err != nil {
			t.Fatal(err)
		}
		k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		must.True(t, ok)
		must.NoError(t, err)
		test.Eq(t, a.KernelID(), k.ID)
		test.Eq(t, path, a.NotebookPath().String())
		sessiontest.Run(t, sessiontest.Open(t, m, path), "c0")
		b, err := table.Connect(t.Context(), "bob", jupyter.MustPath(path), "")
		must.NoError(t, err)
		must.Eq(t, a.KernelID(), b.KernelID())
		again, err := table.Connect(t.Context(), "bob", jupyter.Path{}, a.KernelID())
		must.NoError(t, err)
		test.EqOp(t, b, again)
		got, err := b.Evaluate(t.Context(), "", map[string]string{"y": "x * 7"})
		must.NoError(t, err)
		test.Eq(t, "42", sessiontest.Expression(t, got, "y"))
		for _, c := range []struct {
			a     *analysis.Session
			owner string
			kept  string
		}{{a, "ada", "another analysis session"}, {b, "bob", "not started for this session"}} {
			err := table.Delete(t.Context(), c.owner, c.a.ID())
			must.NoError(t, err)
			test.False(t, c.a.End().KernelEnded)
			test.StrContains(t, c.a.End().Kept, c.kept)
		}
		if !sessiontest.HasKernel(t, m, a.KernelID()) {
			t.Error("the kernel was shut down")
		}
		if err := m.Servers().Documents.Kernels.Shutdown(t.Context(), a.KernelID()); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Connect(t.Context(), "ada", jupyter.MustPath(path), ""); !errors.Is(err, analysis.ErrNoSession) {
			t.Errorf("a notebook without a kernel: %v", err)
		}
		if a, err = table.Create(t.Context(), "ada", analysis.Options{NotebookPath: jupyter.MustPath(path)}); err != nil {
			t.Fatal(err)
		}
		err = table.Delete(t.Context(), "ada", a.ID())
		must.NoError(t, err)
		test.True(t, a.End().KernelEnded)
		test.False(t, sessiontest.HasKernel(t, m, a.KernelID()))
	})
}
