package run_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A replacement for the notebook's kernelspec is reported once.
func TestAnotherKernelspecIsSaid(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := runBefore(t, s, "conda-env-old-py", "python", "1", "2")
		d := sessiontest.Open(t, m, path)
		res := sessiontest.Run(t, d, "c0", "c1")
		test.Eq(t, `the notebook's kernelspec "conda-env-old-py" is not installed on the Jupyter server: python3 was started instead`, res[0].Note)
		test.Eq(t, "", res[1].Note)
		k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		must.NoError(t, err)
		must.True(t, ok)
		test.Eq(t, "python3", k.Name)
	})
}
