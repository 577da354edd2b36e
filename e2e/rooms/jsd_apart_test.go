package rooms_test

import (
	"context"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/service/analysis"
)

// jupyter-server-documents runs cells only in its own kernels. The error comes before any request to another server,
// which would fail here.
func documentsApart(t *testing.T, s *jupytertest.Server) {
	docs, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, Role: "document"})
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := jupyter.New(jupyter.Options{URL: "http://127.0.0.1:1", Role: "runtime"})
	if err != nil {
		t.Fatal(err)
	}
	m := session.New(session.Config{Server: docs, Runtime: kernels})
	t.Cleanup(func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
		docs.CloseIdleConnections()
	})
	a := &agent{Manager: m, t: t}
	path := s.Notebook(t, "1")
	const why = "it does not work with kernels of another server"
	r := runCells(t, a.open(path), "c0")[0]
	test.Eq(t, run.Cancelled, r.State, test.Sprint("run"))
	must.Error(t, r.Err, must.Sprint("run"))
	test.StrContains(t, r.Err.Error(), why, test.Sprint("run"))
	_, err = analysis.New(m).Create(t.Context(), "me", analysis.Options{NotebookPath: jupyter.MustPath(path)})
	must.Error(t, err, must.Sprint("a session of it"))
	test.StrContains(t, err.Error(), why, test.Sprint("a session of it"))
}
