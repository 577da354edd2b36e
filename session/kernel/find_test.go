package kernel

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// The first call starts a kernel for the notebook, the next ones find it, as well as one started by a browser.
func TestFindOrStart(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		srv, ctx := serverOf(t, s), testContext(t)
		path := s.Notebook(t, "1+1")
		first, started, err := FindOrStart(ctx, srv, jupyter.MustPath("/"+path), "", Wish{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = srv.Kernels.Shutdown(ctx, first.Kernel.ID) }()
		test.True(t, started)
		test.Eq(t, path, first.Path.String())
		test.NotEq(t, "", first.Kernel.ID)
		test.Eq(t, "python3", first.Kernel.Name)
		again, started, err := FindOrStart(ctx, srv, jupyter.MustPath(path), "", Wish{})
		must.NoError(t, err, must.Sprint("the second call"))
		test.False(t, started, test.Sprint("the second call"))
		test.Eq(t, first.Kernel.ID, again.Kernel.ID, test.Sprint("the second call"))
		other := s.Notebook(t)
		made, err := srv.Sessions.Create(ctx, jupyter.NewSession{Path: jupyter.MustPath(other), Name: other, KernelID: first.Kernel.ID})
		if err != nil {
			t.Fatal(err)
		}
		found, started, err := FindOrStart(ctx, srv, jupyter.MustPath(other), "", Wish{Spec: "no-such-kernel"})
		must.NoError(t, err, must.Sprint("a session that somebody else made"))
		test.False(t, started, test.Sprint("a session that somebody else made"))
		test.Eq(t, made.ID, found.ID, test.Sprint("a session that somebody else made"))
	})
}

// A kernelspec that the server lacks is replaced only by one for the same language.
func TestFindOrStartMissingSpec(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		srv, ctx := serverOf(t, s), testContext(t)
		found, started, err := FindOrStart(ctx, srv, jupyter.MustPath(s.Notebook(t)), "", Wish{Spec: "my-venv", Language: "Python"})
		must.NoError(t, err, must.Sprint("another Python"))
		test.True(t, started, test.Sprint("another Python"))
		test.Eq(t, "python3", found.Kernel.Name, test.Sprint("another Python"))
		_ = srv.Kernels.Shutdown(ctx, found.Kernel.ID)
		_, _, err = FindOrStart(ctx, srv, jupyter.MustPath(s.Notebook(t)), "", Wish{Spec: "ir", Language: "R"})
		must.Error(t, err, must.Sprint("no R there"))
		test.StrContains(t, err.Error(), `"ir"`, test.Sprint("no R there"))
		test.StrContains(t, err.Error(), "python3", test.Sprint("no R there"))
		found, _, err = FindOrStart(ctx, srv, jupyter.MustPath(s.Write(t, s.Name(t, ".ipynb"), "")), "", Wish{})
		must.NoError(t, err, must.Sprint("no kernelspec at all, and a file that is being written"))
		test.Eq(t, "python3", found.Kernel.Name, test.Sprint("no kernelspec at all, and a file that is being written"))
		_ = srv.Kernels.Shutdown(ctx, found.Kernel.ID)
	})
}
