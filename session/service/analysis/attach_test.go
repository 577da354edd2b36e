package analysis_test

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Code runs in a notebook's kernel and shows in no cell; its session ends with the kernel.
func TestAttachKernel(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		table := analysis.New(m)
		d := sessiontest.Open(t, m, s.Notebook(t, "x = 6"))
		k, err := d.Kernel().Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again, err := d.Kernel().Start(t.Context())
		must.NoError(t, err)
		test.Eq(t, k.ID, again.ID)
		taken, err := d.Kernel().Take(t.Context(), "none")
		must.NoError(t, err, must.Sprint("the notebook's kernel is exchanged"))
		test.Eq(t, k.ID, taken.ID, test.Sprint("the notebook's kernel is exchanged"))
		a, err := table.Attach(t.Context(), "ada", k.ID)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := table.Attach(t.Context(), "ada", k.ID); err != nil || again != a {
			t.Errorf("%v, %v", again, err)
		}
		runs, err := d.Run(t.Context(), []string{d.Notebook().Cells()[0].ID})
		if err != nil {
			t.Fatal(err)
		}
		result(t, runs[0])
		res := result(t, runIn(t, a, "x * 7"))
		test.Eq(t, run.Done, res.State)
		test.Eq(t, "execute_result:42;", sessiontest.Text(res.Outputs))
		if n := d.Notebook().Len(); n != 1 {
			t.Errorf("the notebook has %d cells", n)
		}

		// Another notebook uses the same kernel, and another owner has a separate session for it.
		other := sessiontest.Open(t, m, s.Notebook(t, "print(x)"))
		taken, err = other.Kernel().Take(t.Context(), k.ID)
		must.NoError(t, err)
		test.Eq(t, k.ID, taken.ID)
		if runs, err = other.Run(t.Context(), []string{other.Notebook().Cells()[0].ID}); err != nil {
			t.Fatal(err)
		}
		if res := result(t, runs[0]); sessiontest.Text(res.Outputs) != "stdout:6\n;" {
			t.Errorf("%+v", res)
		}
		b, err := table.Attach(t.Context(), "bob", k.ID)
		must.NoError(t, err)
		test.NotEqOp(t, a, b)

		// A kernel that was started for one owner is not available to others.
		own := create(t, table, analysis.Options{})
		if _, err := table.Attach(t.Context(), "bob", own.KernelID()); !errors.Is(err, analysis.ErrNoKernel) {
			t.Errorf("%v", err)
		}
		got, err := table.Attach(t.Context(), "ada", own.KernelID())
		must.NoError(t, err)
		test.EqOp(t, own, got)

		// The end of a kernel ends the sessions attached to it; a session's end leaves the kernel running.
		if err := table.EndOwner(t.Context(), "bob"); err != nil {
			t.Errorf("%v", err)
		}
		if _, err := m.Servers().Documents.Kernels.Get(t.Context(), k.ID); err != nil {
			t.Errorf("the kernel is gone with the session: %v", err)
		}
		if err := m.Servers().Documents.Kernels.Shutdown(t.Context(), k.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Attach(t.Context(), "ada", k.ID); !errors.Is(err, analysis.ErrNoKernel) {
			t.Errorf("%v", err)
		}
		if _, err := table.Get("ada", a.ID()); !errors.Is(err, analysis.ErrNoSession) {
			t.Errorf("what was attached is still there: %v", err)
		}
	})
}
