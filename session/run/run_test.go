package run_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A kernel that is killed takes its run with it, and nothing else: what it had put out stays, and the next run says
// that the variables are gone.
func TestKernelKilled(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, sessiontest.Forever, "6*7", "1"))
		r := sessiontest.Start(t, d, "c0")
		pid := pidOf(t, r)
		s.KillProcess(t, pid)
		res := sessiontest.Wait(t, r)
		if got := sessiontest.Text(res.Outputs); res.State != run.Lost || !strings.HasPrefix(got, "stdout:"+strconv.Itoa(pid)) || !strings.Contains(got, "process ended") {
			t.Errorf("killed: %s, %q", res.State, got)
		}
		sessiontest.Idle(t, d, "c0")
		if c, _ := d.Notebook().Cell("c0"); sessiontest.Text(c.Outputs) != sessiontest.Text(res.Outputs) {
			t.Errorf("the cell says %q, the run %q", sessiontest.Text(c.Outputs), sessiontest.Text(res.Outputs))
		}
		if res := sessiontest.Run(t, d, "c1")[0]; res.State != run.Done || sessiontest.Text(res.Outputs) != "execute_result:42;" || !strings.Contains(res.Note, "started again") {
			t.Errorf("the next run: %s, %s, note %q, %v", res.State, sessiontest.Text(res.Outputs), res.Note, res.Err)
		}
		if res := sessiontest.Run(t, d, "c2")[0]; res.State != run.Done || res.Note != "" {
			t.Errorf("the one after it: %s, note %q", res.State, res.Note)
		}
	})
}

// A kernel that somebody shuts down is not replaced in silence, nor is one that is restarted between two runs.
func TestKernelShutDownAndRestarted(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, sessiontest.Forever, "1")
		d := sessiontest.Open(t, m, path)
		r := sessiontest.Start(t, d, "c0")
		kernel := func() string {
			k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
			if err != nil || !ok {
				t.Fatalf("kernel: %v, %v", ok, err)
			}
			return k.ID
		}
		first := kernel()
		sessions, err := m.Servers().Documents.Sessions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, js := range sessions {
			if js.Path.String() == path {
				if err := m.Servers().Documents.ShutdownKernel(t.Context(), js.Kernel.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		if res := sessiontest.Wait(t, r); res.State != run.Lost || !strings.Contains(sessiontest.Text(res.Outputs), "shut down while this cell ran") {
			t.Errorf("shut down: %s, %q", res.State, sessiontest.Text(res.Outputs))
		}
		sessiontest.Idle(t, d, "c0")
		if res := sessiontest.Run(t, d, "c1")[0]; res.State != run.Done || !strings.Contains(res.Note, "had been shut down") {
			t.Errorf("the next run: %s, note %q, %v", res.State, res.Note, res.Err)
		}
		second := kernel()
		if second == first {
			t.Error("the kernel is the same")
		}
		if _, err := m.Servers().Documents.Restart(t.Context(), second); err != nil {
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

// A cancelled run that waits is taken back, and its document is free to go.
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
		if len(all) != 2 || all[0] != second[0] || all[1] != first || len(m.RunTable().Runs(jupyter.MustPath("elsewhere.ipynb"))) != 0 {
			t.Errorf("%d runs are listed", len(all))
		}
		if r, ok := m.RunTable().Run(first.ID); !ok || r != first {
			t.Errorf("run %s is not found", first.ID)
		}
	})
}

// Cancelling a run that waits in the kernel behind somebody else's code leaves that alone.
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
		if res := sessiontest.Wait(t, first); res.State != run.Done || sessiontest.Text(res.Outputs) != "stdout:a\nb\n;" {
			t.Errorf("the other's: %s, %q", res.State, sessiontest.Text(res.Outputs))
		}
		if st := sessiontest.Wait(t, runs[0]).State; st != run.Interrupted && st != run.Cancelled {
			t.Errorf("ours: %s", st)
		}
	})
}

// More than a notebook can hold ends with a note, and the run remembers the end. Of what the server itself leaves out
// there is a note as well.
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
		if res.State != run.Done || len(cell) > 9<<20 || len(cell) < 7<<20 || !strings.Contains(cell, "bytes of output were left out of the notebook here") || !strings.Contains(cell, "as output -1 of the run "+strconv.Quote(runs[0].ID)) {
			t.Errorf("flood: %s, %d bytes in the cell, ending in %q", res.State, len(cell), cell[max(0, len(cell)-300):])
		}
		if got := sessiontest.Text(res.Outputs); !strings.HasSuffix(got, "the end\n;") || res.Omitted < 90_000_000 || res.Dropped {
			t.Errorf("the run remembers %q, %d bytes left out", got[max(0, len(got)-300):], res.Omitted)
		}
		// What the cell lacks is all there, to its end.
		first, total, err := runs[0].LeftOut(0, 1000)
		if err != nil || first != strings.Repeat("x", 1000) {
			t.Errorf("what was left out begins with %d bytes, %v", len(first), err)
		}
		if want := res.Omitted; total != want {
			t.Errorf("%d characters were left out, %d can be read", want, total)
		}
		if last, _, err := runs[0].LeftOut(total-1000, 1000); err != nil || !strings.HasSuffix(last, "xxthe end\n") || len(last) != 1000 {
			t.Errorf("it ends in %q, %v", last, err)
		}
		s = jupytertest.Shared(t) // with Jupyter's own limits
		d = sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, burst))
		res = sessiontest.Run(t, d, "c0")[0]
		if got := sessiontest.Text(res.Outputs); !res.Dropped || strings.Count(got, "iopub_data_rate_limit") != 1 || strings.Contains(got, "IOPub data rate exceeded") {
			t.Errorf("burst: dropped %v, %d bytes, ending in %q", res.Dropped, len(got), got[max(0, len(got)-500):])
		}
	})
}
