package run_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A run that starts just as its kernel shuts down runs in a new one, unless the kernel has begun it: code that has not
// reached a kernel is not lost with it.
func TestRunAsKernelShutsDown(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "6*7")
		d := sessiontest.Open(t, m, path)
		// Except the wait for the process, a shutdown takes no time here, so these are all possible orders.
		for _, later := range []time.Duration{0, time.Nanosecond, time.Millisecond, time.Second} {
			for range 10 {
				sessiontest.Run(t, d, "c0")
				k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
				must.NoError(t, err)
				must.True(t, ok)
				ended := make(chan error, 1)
				go func() { ended <- m.Servers().Runtime.Kernels.Shutdown(context.WithoutCancel(t.Context()), k.ID) }()
				time.Sleep(later)
				res := sessiontest.Run(t, d, "c0")[0]
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
				if later == 0 && res.State == run.Lost && !errors.Is(res.Err, kernel.ErrNotReached) {
					continue // it was first: the kernel had begun it
				}
				must.Eq(t, run.Done, res.State, must.Sprint(later))
				must.Eq(t, "execute_result:42;", sessiontest.Text(res.Outputs), must.Sprint(later))
			}
		}
	})
}
