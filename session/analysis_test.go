package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
)

// plainText is what an expression came to, as the kernel prints it.
func plainText(t *testing.T, results map[string]any, name string) string {
	t.Helper()
	res, _ := results[name].(map[string]any)
	data, _ := res["data"].(map[string]any)
	text, ok := data["text/plain"].(string)
	if !ok {
		t.Fatalf("%s: %v", name, results[name])
	}
	return text
}

// kernelAt asks the server for a kernel; false where it has none of that id.
func kernelAt(t *testing.T, m *session.Manager, id string) bool {
	t.Helper()
	_, err := m.Server().Kernel(t.Context(), id)
	if err != nil && !errors.Is(err, jupyter.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// A session without a notebook has a kernel of its own, which ends with it. Its
// owner alone finds it.
func TestAnalysisOfAKernelAlone(t *testing.T) {
	s := jupytertest.Shared(t)
	m := manager(t, s, session.Config{})
	a, err := m.CreateAnalysis(t.Context(), "ada", session.AnalysisOptions{Name: "first"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Name() != "first" || a.NotebookPath() != "" || a.Created().IsZero() || !kernelAt(t, m, a.KernelID()) {
		t.Errorf("%+v", a)
	}
	if lang, err := a.Language(t.Context()); err != nil || lang != "python" {
		t.Errorf("language %q, %v", lang, err)
	}
	eventually(t, "the kernel is idle", func() bool { return a.Status(t.Context()) == kernel.StateIdle })
	got, err := a.Evaluate(t.Context(), "x = 6", map[string]string{"y": "x * 7", "n": "get_ipython().execution_count"})
	if err != nil || plainText(t, got, "y") != "42" || plainText(t, got, "n") != "1" {
		t.Errorf("%v, %v", got, err)
	}
	var raised kernel.Error
	if _, err := a.Evaluate(t.Context(), "1/0", nil); !errors.As(err, &raised) || raised.Name != "ZeroDivisionError" {
		t.Errorf("1/0: %v", err)
	}
	if list := m.Analyses("ada"); len(list) != 1 || list[0] != a {
		t.Errorf("%v", list)
	}
	for _, owner := range []string{"", "bob"} {
		if _, err := m.Analysis(owner, a.ID()); !errors.Is(err, session.ErrNoAnalysis) || len(m.Analyses(owner)) > 0 {
			t.Errorf("%q finds it: %v", owner, err)
		}
		if err := m.DeleteAnalysis(t.Context(), owner, a.ID()); !errors.Is(err, session.ErrNoAnalysis) {
			t.Errorf("%q deletes it: %v", owner, err)
		}
	}
	if err := m.DeleteAnalysis(t.Context(), "ada", a.ID()); err != nil || !a.End().KernelEnded {
		t.Errorf("%v, %+v", err, a.End())
	}
	if kernelAt(t, m, a.KernelID()) {
		t.Error("its kernel still runs")
	}
	if _, err := a.Evaluate(t.Context(), "1", nil); !errors.Is(err, session.ErrNoAnalysis) {
		t.Errorf("%v", err)
	}
	if _, err := m.Analysis("ada", a.ID()); !errors.Is(err, session.ErrNoAnalysis) {
		t.Errorf("%v", err)
	}
	if _, err := m.CreateAnalysis(t.Context(), "ada", session.AnalysisOptions{NotebookPath: s.Name(t, "-none.ipynb")}); !errors.Is(err, jupyter.ErrNotFound) {
		t.Errorf("a notebook that is not there: %v", err)
	}
	if _, err := m.ConnectAnalysis(t.Context(), "ada", "", "no-such-kernel"); !errors.Is(err, session.ErrNoAnalysis) {
		t.Errorf("a kernel that is not there: %v", err)
	}
}

// A session that names a notebook has the notebook's kernel, which ends with
// the session that it was started for, unless somebody else uses it.
func TestAnalysisOfANotebook(t *testing.T) {
	s := jupytertest.Shared(t)
	m := manager(t, s, session.Config{})
	path := s.Notebook(t, "x = 6")
	a, err := m.CreateAnalysis(t.Context(), "ada", session.AnalysisOptions{NotebookPath: "/" + path})
	if err != nil {
		t.Fatal(err)
	}
	if k, ok, err := m.Kernel(t.Context(), path); !ok || err != nil || k.ID != a.KernelID() || a.NotebookPath() != path {
		t.Errorf("%+v, %v; the session has %s and %s", k, err, a.KernelID(), a.NotebookPath())
	}
	run(t, open(t, m, path), "c0")
	b, err := m.ConnectAnalysis(t.Context(), "bob", path, "")
	if err != nil || b.KernelID() != a.KernelID() {
		t.Fatalf("%v, %+v", err, b)
	}
	if again, err := m.ConnectAnalysis(t.Context(), "bob", "", a.KernelID()); err != nil || again != b {
		t.Errorf("the kernel's id leads to %+v, %v", again, err)
	}
	if got, err := b.Evaluate(t.Context(), "", map[string]string{"y": "x * 7"}); err != nil || plainText(t, got, "y") != "42" {
		t.Errorf("%v, %v", got, err)
	}
	for _, c := range []struct {
		a     *session.Analysis
		owner string
		kept  string
	}{{a, "ada", "another analysis session"}, {b, "bob", "not started for this session"}} {
		if err := m.DeleteAnalysis(t.Context(), c.owner, c.a.ID()); err != nil || c.a.End().KernelEnded || !strings.Contains(c.a.End().Kept, c.kept) {
			t.Errorf("%v, %+v", err, c.a.End())
		}
	}
	if !kernelAt(t, m, a.KernelID()) {
		t.Error("the kernel was shut down")
	}
	if err := m.Server().ShutdownKernel(t.Context(), a.KernelID()); err != nil {
		t.Fatal(err)
	}
	if _, err := m.ConnectAnalysis(t.Context(), "ada", path, ""); !errors.Is(err, session.ErrNoAnalysis) {
		t.Errorf("a notebook without a kernel: %v", err)
	}
	if a, err = m.CreateAnalysis(t.Context(), "ada", session.AnalysisOptions{NotebookPath: path}); err != nil {
		t.Fatal(err)
	}
	if err := m.DeleteAnalysis(t.Context(), "ada", a.ID()); err != nil || !a.End().KernelEnded || kernelAt(t, m, a.KernelID()) {
		t.Errorf("%v, %+v", err, a.End())
	}
}
