package run_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// pidOf returns the process id printed by a run of sessiontest.Forever.
func pidOf(t *testing.T, r *run.Run) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.Trim(strings.TrimPrefix(sessiontest.Text(r.Result().Outputs), "stdout:"), "\n;"))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// Code that ends its own kernel loses its run, which keeps its output, and all runs waiting for that kernel; the next run
// has a new kernel, with a note.
func TestKernelExits(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, "x = 1\nprint('bye', flush=True)\nimport time; time.sleep(1)\nimport os; os._exit(3)", "print('not run')", "'x' in globals()"))
		runs, err := d.Run(t.Context(), []string{"c0", "c1"})
		if err != nil {
			t.Fatal(err)
		}
		other, err := d.Run(t.Context(), []string{"c2"}) // of another call
		if err != nil {
			t.Fatal(err)
		}
		res := sessiontest.Wait(t, runs[0])
		got := sessiontest.Text(res.Outputs)
		test.Eq(t, run.Lost, res.State)
		test.StrHasPrefix(t, "stdout:bye\n;", got)
		test.StrContains(t, got, "process ended while this cell ran")
		for _, r := range []*run.Run{runs[1], other[0]} {
			res := sessiontest.Wait(t, r)
			test.Eq(t, run.Cancelled, res.State, test.Sprint("what waited"))
			must.SliceEmpty(t, res.Outputs, must.Sprint("what waited"))
			test.StrContains(t, res.Err.Error(), "process ended while cell c0 ran", test.Sprint("what waited"))
		}
		for _, id := range []string{"c0", "c1", "c2"} {
			sessiontest.Eventually(t, id+" is idle", func() bool {
				c, _ := d.Notebook().Cell(id)
				return c.ExecutionState == "idle"
			})
		}
		res = sessiontest.Run(t, d, "c2")[0]
		test.Eq(t, "execute_result:False;", sessiontest.Text(res.Outputs), test.Sprint("the next run"))
		test.StrContains(t, res.Note, "was restarted: the earlier variables are gone", test.Sprint("the next run"))
	})
}

// The next run starts a kernel that the server does not start again, and replaces a kernel that the server culled as idle,
// each with a note.
func TestKernelDeadOrCulled(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithFlags("--KernelRestarter.restart_limit=0",
			"--MappingKernelManager.cull_idle_timeout=20", "--MappingKernelManager.cull_interval=1", "--MappingKernelManager.cull_connected=True"))
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, sessiontest.Forever, "6*7")
		d := sessiontest.Open(t, m, path)
		r := sessiontest.Start(t, d, "c0")
		s.KillProcess(t, pidOf(t, r))
		res := sessiontest.Wait(t, r)
		test.Eq(t, run.Lost, res.State, test.Sprint("dead"))
		test.StrContains(t, sessiontest.Text(res.Outputs), "could not be started again while this cell ran", test.Sprint("dead"))
		sessiontest.Idle(t, d, "c0")
		res = sessiontest.Run(t, d, "c1")[0]
		test.Eq(t, run.Done, res.State, test.Sprint("the run after a death"))
		test.Eq(t, "execute_result:42;", sessiontest.Text(res.Outputs), test.Sprint("the run after a death"))
		test.StrContains(t, res.Note, "had died", test.Sprint("the run after a death"))
		test.StrContains(t, res.Note, "earlier variables are gone", test.Sprint("the run after a death"))
		sessiontest.Eventually(t, "the server culls the kernel", func() bool {
			_, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
			return err == nil && !ok
		})
		res = sessiontest.Run(t, d, "c1")[0]
		test.Eq(t, run.Done, res.State, test.Sprint("the run after culling"))
		test.Eq(t, "execute_result:42;", sessiontest.Text(res.Outputs), test.Sprint("the run after culling"))
		test.StrContains(t, res.Note, "had been shut down", test.Sprint("the run after culling"))
		test.StrContains(t, res.Note, "gone", test.Sprint("the run after culling"))
	})
}
