package rooms_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/analysis"
	"github.com/nbduet/nbduet/session/run"
)

// jupyter-server-documents runs cells in its own kernels alone. That is said before another server is asked for
// anything, which here would fail.
func documentsApart(t *testing.T, s *jupytertest.Server) {
	docs, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, Role: "document"})
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := jupyter.New(jupyter.Options{URL: "http://127.0.0.1:1", Role: "runtime"})
	if err != nil {
		t.Fatal(err)
	}
	m := session.New(session.Config{Server: docs, Kernels: kernels})
	t.Cleanup(func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
		docs.CloseIdleConnections()
	})
	a := &agent{Manager: m, t: t}
	path := s.Notebook(t, "1")
	const why = "it does not work with kernels of another server"
	if r := runCells(t, a.open(path), "c0")[0]; r.State != run.Failed || r.Err == nil || !strings.Contains(r.Err.Error(), why) {
		t.Errorf("run: %s, %v", r.State, r.Err)
	}
	if _, err := analysis.New(m).Create(t.Context(), "me", analysis.Options{NotebookPath: jupyter.MustPath(path)}); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("a session of it: %v", err)
	}
}
