package analysis_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/analysis"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A session without a notebook has a kernel of its own, which ends with it. Its owner alone finds it.
func TestAnalysisOfAKernelAlone(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		table := analysis.New(m)
		a, err := table.Create(t.Context(), "ada", analysis.Options{Name: "first"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Name() != "first" || a.NotebookPath().String() != "" || a.Created().IsZero() || !sessiontest.HasKernel(t, m, a.KernelID()) {
			t.Errorf("%+v", a)
		}
		if lang, err := a.Language(t.Context()); err != nil || lang != "python" {
			t.Errorf("language %q, %v", lang, err)
		}
		sessiontest.Eventually(t, "the kernel is idle", func() bool { return a.Status(t.Context()) == kernel.StateIdle })
		got, err := a.Evaluate(t.Context(), "x = 6", map[string]string{"y": "x * 7", "n": "get_ipython().execution_count"})
		if err != nil || sessiontest.Expression(t, got, "y") != "42" || sessiontest.Expression(t, got, "n") != "1" {
			t.Errorf("%v, %v", got, err)
		}
		var raised kernel.Error
		if _, err := a.Evaluate(t.Context(), "1/0", nil); !errors.As(err, &raised) || raised.Name != "ZeroDivisionError" {
			t.Errorf("1/0: %v", err)
		}
		if list := table.List("ada"); len(list) != 1 || list[0] != a {
			t.Errorf("%v", list)
		}
		for _, owner := range []string{"", "bob"} {
			if _, err := table.Get(owner, a.ID()); !errors.Is(err, analysis.ErrNoSession) || len(table.List(owner)) > 0 {
				t.Errorf("%q finds it: %v", owner, err)
			}
			if err := table.Delete(t.Context(), owner, a.ID()); !errors.Is(err, analysis.ErrNoSession) {
				t.Errorf("%q deletes it: %v", owner, err)
			}
		}
		if err := table.Delete(t.Context(), "ada", a.ID()); err != nil || !a.End().KernelEnded {
			t.Errorf("%v, %+v", err, a.End())
		}
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

// A session that names a notebook has the notebook's kernel, which ends with the session that it was started for,
// unless somebody else uses it.
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
		if k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path)); !ok || err != nil || k.ID != a.KernelID() || a.NotebookPath().String() != path {
			t.Errorf("%+v, %v; the session has %s and %s", k, err, a.KernelID(), a.NotebookPath())
		}
		sessiontest.Run(t, sessiontest.Open(t, m, path), "c0")
		b, err := table.Connect(t.Context(), "bob", jupyter.MustPath(path), "")
		if err != nil || b.KernelID() != a.KernelID() {
			t.Fatalf("%v, %+v", err, b)
		}
		if again, err := table.Connect(t.Context(), "bob", jupyter.Path{}, a.KernelID()); err != nil || again != b {
			t.Errorf("the kernel's id leads to %+v, %v", again, err)
		}
		if got, err := b.Evaluate(t.Context(), "", map[string]string{"y": "x * 7"}); err != nil || sessiontest.Expression(t, got, "y") != "42" {
			t.Errorf("%v, %v", got, err)
		}
		for _, c := range []struct {
			a     *analysis.Session
			owner string
			kept  string
		}{{a, "ada", "another analysis session"}, {b, "bob", "not started for this session"}} {
			if err := table.Delete(t.Context(), c.owner, c.a.ID()); err != nil || c.a.End().KernelEnded || !strings.Contains(c.a.End().Kept, c.kept) {
				t.Errorf("%v, %+v", err, c.a.End())
			}
		}
		if !sessiontest.HasKernel(t, m, a.KernelID()) {
			t.Error("the kernel was shut down")
		}
		if err := m.Servers().Documents.ShutdownKernel(t.Context(), a.KernelID()); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Connect(t.Context(), "ada", jupyter.MustPath(path), ""); !errors.Is(err, analysis.ErrNoSession) {
			t.Errorf("a notebook without a kernel: %v", err)
		}
		if a, err = table.Create(t.Context(), "ada", analysis.Options{NotebookPath: jupyter.MustPath(path)}); err != nil {
			t.Fatal(err)
		}
		if err := table.Delete(t.Context(), "ada", a.ID()); err != nil || !a.End().KernelEnded || sessiontest.HasKernel(t, m, a.KernelID()) {
			t.Errorf("%v, %+v", err, a.End())
		}
	})
}
