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

// A killed kernel loses only its run: the earlier output stays, and the next run notes that the variables are gone.
func TestKernelKilled(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, sessiontest.Forever, "6*7", "1"))
		r := sessiontest.Start(t, d, "c0")
		pid := pidOf(t, r)
		s.KillProcess(t, pid)
		res := sessiontest.Wait(t, r)
		got := sessiontest.Text(res.Outputs)
		test.Eq(t, run.Lost, res.State, test.Sprint("killed"))
		test.StrHasPrefix(t, "stdout:"+strconv.Itoa(pid), got, test.Sprint("killed"))
		test.StrContains(t, got, "process ended", test.Sprint("killed"))
		sessiontest.Idle(t, d, "c0")
		if c, _ := d.Notebook().Cell("c0"); sessiontest.Text(c.Outputs) != sessiontest.Text(res.Outputs) {
			t.Errorf("the cell says %q, the run %q", sessiontest.Text(c.Outputs), sessiontest.Text(res.Outputs))
		}
		res = sessiontest.Run(t, d, "c1")[0]
		test.Eq(t, run.Done, res.State, test.Sprint("the next run"))
		test.Eq(t, "execute_result:42;", sessiontest.Text(res.Outputs), test.Sprint("the next run"))
		test.StrContains(t, res.Note, "ended and was restarted", test.Sprint("the next run"))
		res = sessiontest.Run(t, d, "c2")[0]
		test.Eq(t, run.Done, res.State, test.Sprint("the one after it"))
		test.Eq(t, "", res.Note, test.Sprint("the one after it"))
	})
}

// The replacement of a kernel that was shut down is reported, as is a restart between two runs.
func TestKernelShutDownAndRestarted(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, sessiontest.Forever, "1")
		d := sessiontest.Open(t, m, path)
		r := sessiontest.Start(t, d, "c0")
		kernel := func() string {
			k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
			must.NoError(t, err, must.Sprint("kernel"))
			must.True(t, ok, must.Sprint("kernel"))
			return k.ID
		}
		first := kernel()
		sessions, err := m.Servers().Documents.Sessions.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, js := range sessions {
			if js.Path.String() == path {
				if err := m.Servers().Documents.Kernels.Shutdown(t.Context(), js.Kernel.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		res := sessiontest.Wait(t, r)
		test.Eq(t, run.Lost, res.State, test.Sprint("shut down"))
		test.StrContains(t, sessiontest.Text(res.Outputs), "shut down while this cell ran", test.Sprint("shut down"))
		sessiontest.Idle(t, d, "c0")
		res = sessiontest.Run(t, d, "c1")[0]
		test.Eq(t, run.Done, res.State, test.Sprint("the next run"))
		test.StrContains(t, res.Note, "had been shut down", test.Sprint("the next run"))
		second := kernel()
		if second == first {
			t.Error("the kernel is the same")
		}
		if _, err := m.Servers().Documents.Kernels.Restart(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "a run says that the kernel was restarted", func() bool {
			return strings.Contains(sessiontest.Run(t, d, "c1")[0].Note, "was restarted since")
		})
		if res := sessiontest.Run(t, d, "c1")[0]; res.Note != "" {
			t.Errorf("said twice: %q", res.Note)
		}
	})
}

// A cancelled waiting run is removed from the queue, and its document can close.
func TestCancelWaitingRun(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, sessiontest.Forever, "1")
		d := sessiontest.Open(t, m, path)
		first := sessiontest.Start(t, d, "c0")
		second, err := d.Run(t.Context(), []string{"c1"})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*run.Run{second[0], first} {
			if err := r.Cancel(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if st := sessiontest.Wait(t, second[0]).State; st != run.Cancelled {
			t.Errorf("the waiting run: %s", st)
		}
		if st := sessiontest.Wait(t, first).State; st != run.Interrupted {
			t.Errorf("the running one: %s", st)
		}
		sessiontest.Idle(t, d, "c1")
		all := m.RunTable().Runs(jupyter.MustPath(path))
		must.SliceLen(t, 2, all)
		test.EqOp(t, second[0], all[0])
		test.EqOp(t, first, all[1])
		test.SliceEmpty(t, m.RunTable().Runs(jupyter.MustPath("elsewhere.ipynb")))
		r, ok := m.RunTable().Run(first.ID)
		must.True(t, ok)
		test.EqOp(t, first, r)
	})
}

// Cancelling a run that waits in the kernel behind another client's code does not stop that code.
func TestCancelBehindAnother(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{})
		gate := s.Name(t, ".gate")
		path := s.Notebook(t, "import os, time\nprint('a', flush=True)\nwhile not os.path.exists('"+gate+"'): time.sleep(0.06)\nprint('b')", sessiontest.Forever)
		d, theirs := sessiontest.Open(t, m, path), sessiontest.Open(t, other, path)
		first := sessiontest.Start(t, theirs, "c0")
		runs, err := d.Run(t.Context(), []string{"c1"})
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "it waits", func() bool { return runs[0].Result().State == run.Running })
		if err := runs[0].Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Write(t, gate, "")
		res := sessiontest.Wait(t, first)
		test.Eq(t, run.Done, res.State, test.Sprint("the other's"))
		test.Eq(t, "stdout:a\nb\n;", sessiontest.Text(res.Outputs), test.Sprint("the other's"))
		if st := sessiontest.Wait(t, runs[0]).State; st != run.Interrupted && st != run.Cancelled {
			t.Errorf("ours: %s", st)
		}
	})
}

// Output beyond the notebook's limit ends with a note, and the run keeps the end. Output that the server drops has a note
// as well.
func TestFloods(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithFlags("--ServerApp.iopub_data_rate_limit=1000000000"))
		flood := "import sys\nfor i in range(100):\n    sys.stdout.write('x' * 1_000_000)\n    sys.stdout.flush()\nprint('the end')"
		burst := "import sys\nfor i in range(20):\n    sys.stdout.write('x' * 1_000_000)\n    sys.stdout.flush()"
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, flood))
		runs, err := d.Run(t.Context(), []string{"c0"})
		if err != nil {
			t.Fatal(err)
		}
		res := sessiontest.Wait(t, runs[0])
		c, _ := d.Notebook().Cell("c0")
		cell := sessiontest.Text(c.Outputs)
		test.Eq(t, run.Done, res.State, test.Sprint("flood"))
		must.LessEq(t, 9<<20, len(cell), must.Sprint("flood"))
		must.GreaterEq(t, 7<<20, len(cell), must.Sprint("flood"))
		test.StrContains(t, cell, "bytes of output were left out of the notebook here", test.Sprint("flood"))
		test.StrContains(t, cell, "as output -1 of the run "+strconv.Quote(runs[0].ID), test.Sprint("flood"))
		got := sessiontest.Text(res.Outputs)
		test.StrHasSuffix(t, "the end\n;", got)
		test.GreaterEq(t, 90_000_000, res.Omitted)
		test.False(t, res.Dropped)
		// The text that the cell lacks is complete, up to its end.
		first, total, err := runs[0].LeftOut(0, 1000)
		must.NoError(t, err, must.Sprint(len(first)))
		test.Eq(t, strings.Repeat("x", 1000), first, test.Sprint(len(first)))
		if want := res.Omitted; total != want {
			t.Errorf("%d characters were left out, %d can be read", want, total)
		}
		last, _, err := runs[0].LeftOut(total-1000, 1000)
		must.NoError(t, err)
		test.StrHasSuffix(t, "xxthe end\n", last)
		test.Eq(t, 1000, len(last))
		s = jupytertest.Shared(t) // with Jupyter's own limits
		d = sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, burst))
		res = sessiontest.Run(t, d, "c0")[0]
		got = sessiontest.Text(res.Outputs)
		test.True(t, res.Dropped, test.Sprint("burst", len(got)))
		test.Eq(t, 1, strings.Count(got, "iopub_data_rate_limit"), test.Sprint("burst", len(got)))
		test.StrNotContains(t, got, "IOPub data rate exceeded", test.Sprint("burst", len(got)))
	})
}
