package kernel

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// The first call starts a kernel for the notebook, the next ones find it, as they find the one that a browser started.
func TestFindOrStart(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		srv, ctx := serverOf(t, s), testContext(t)
		path := s.Notebook(t, "1+1")
		first, started, err := FindOrStart(ctx, srv, jupyter.MustPath("/"+path), "", Wish{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = srv.ShutdownKernel(ctx, first.Kernel.ID) }()
		if !started || first.Path.String() != path || first.Kernel.ID == "" || first.Kernel.Name != "python3" {
			t.Errorf("started %t, %+v", started, first)
		}
		again, started, err := FindOrStart(ctx, srv, jupyter.MustPath(path), "", Wish{})
		if err != nil || started || again.Kernel.ID != first.Kernel.ID {
			t.Errorf("the second call: started %t, %+v, %v", started, again, err)
		}
		other := s.Notebook(t)
		made, err := srv.CreateSession(ctx, jupyter.NewSession{Path: jupyter.MustPath(other), Name: other, KernelID: first.Kernel.ID})
		if err != nil {
			t.Fatal(err)
		}
		found, started, err := FindOrStart(ctx, srv, jupyter.MustPath(other), "", Wish{Spec: "no-such-kernel"})
		if err != nil || started || found.ID != made.ID {
			t.Errorf("a session that somebody else made: started %t, %+v, %v", started, found, err)
		}
	})
}

// A kernelspec that the server lacks is replaced by one for the same language, and by no other.
func TestFindOrStartMissingSpec(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		srv, ctx := serverOf(t, s), testContext(t)
		found, started, err := FindOrStart(ctx, srv, jupyter.MustPath(s.Notebook(t)), "", Wish{"my-venv", "Python"})
		if err != nil || !started || found.Kernel.Name != "python3" {
			t.Errorf("another Python: %+v, started %t, %v", found, started, err)
		}
		_ = srv.ShutdownKernel(ctx, found.Kernel.ID)
		_, _, err = FindOrStart(ctx, srv, jupyter.MustPath(s.Notebook(t)), "", Wish{"ir", "R"})
		if err == nil || !strings.Contains(err.Error(), `"ir"`) || !strings.Contains(err.Error(), "python3") {
			t.Errorf("R where there is none: %v, want an error that names both", err)
		}
		found, _, err = FindOrStart(ctx, srv, jupyter.MustPath(s.Write(t, s.Name(t, ".ipynb"), "")), "", Wish{})
		if err != nil || found.Kernel.Name != "python3" {
			t.Errorf("no kernelspec at all, and a file that is being written: %+v, %v, want the server's default", found, err)
		}
		_ = srv.ShutdownKernel(ctx, found.Kernel.ID)
	})
}
