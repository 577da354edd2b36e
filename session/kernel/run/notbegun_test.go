package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// runBefore returns a notebook for a kernelspec whose cells were run before: each has the output "before" and the count 7.
func runBefore(t *testing.T, s *jupytertest.Server, spec, language string, sources ...string) string {
	t.Helper()
	path := s.Notebook(t, sources...)
	b, err := os.ReadFile(filepath.Join(s.Root, path))
	must.NoError(t, err)
	var nb map[string]any
	must.NoError(t, json.Unmarshal(b, &nb))
	nb["metadata"] = map[string]any{"kernelspec": map[string]any{"name": spec, "display_name": spec, "language": language}}
	for _, c := range nb["cells"].([]any) {
		cell := c.(map[string]any)
		cell["execution_count"] = 7
		cell["outputs"] = []any{map[string]any{"output_type": "stream", "name": "stdout", "text": "before\n"}}
	}
	b, err = json.Marshal(nb)
	must.NoError(t, err)
	return s.Write(t, path, string(b))
}

// showsBefore checks that a cell shows its earlier run, and is idle.
func showsBefore(t *testing.T, d *session.Document, id string) {
	t.Helper()
	cell, ok := d.Notebook().Cell(id)
	must.True(t, ok)
	test.Eq(t, "stdout:before\n;", sessiontest.Text(cell.Outputs), test.Sprint(id))
	must.NotNil(t, cell.ExecutionCount, must.Sprint(id))
	test.Eq(t, 7, *cell.ExecutionCount, test.Sprint(id))
	test.Eq(t, ydoc.Idle, cell.ExecutionState, test.Sprint(id))
}

// A cell keeps its outputs and its count until a kernel has begun its run, for every kind of end before that.
func TestNothingIsClearedBeforeTheKernelBegins(t *testing.T) {
	for name, c := range map[string]struct {
		spec string
		// before acts while the cells wait; it returns the runs.
		before func(t *testing.T, s *jupytertest.Server, m *session.Manager, d *session.Document) []*run.Run
		says   string
	}{
		"the kernelspec is not installed": {spec: "stata", before: start, says: `not run: no kernelspec "stata" is installed`},
		"cancelled in the queue": {spec: "python3", says: "was cancelled before it started", before: func(t *testing.T, _ *jupytertest.Server, _ *session.Manager, d *session.Document) []*run.Run {
			first := sessiontest.Start(t, d, "c0")
			runs := start(t, nil, nil, d)
			for _, r := range []*run.Run{runs[0], runs[1], first} {
				must.NoError(t, r.Cancel(t.Context()))
			}
			return runs
		}},
		"behind a cell that fails": {spec: "python3", says: "before it was interrupted", before: func(t *testing.T, _ *jupytertest.Server, _ *session.Manager, d *session.Document) []*run.Run {
			runs, err := d.Run(t.Context(), []string{"c0", "c1", "c2"})
			must.NoError(t, err)
			sessiontest.Eventually(t, "it runs", func() bool { return sessiontest.Text(runs[0].Result().Outputs) != "" })
			must.NoError(t, runs[0].Cancel(t.Context()))
			return runs[1:]
		}},
		"the kernel is restarted": {spec: "python3", says: "the kernel was restarted", before: func(t *testing.T, _ *jupytertest.Server, _ *session.Manager, d *session.Document) []*run.Run {
			sessiontest.Start(t, d, "c0")
			runs := start(t, nil, nil, d)
			_, err := d.Kernel().Restart(t.Context(), "", false)
			must.NoError(t, err)
			return runs
		}},
		"the kernel dies": {spec: "python3", says: "not run: ", before: func(t *testing.T, s *jupytertest.Server, _ *session.Manager, d *session.Document) []*run.Run {
			first := sessiontest.Start(t, d, "c0")
			runs := start(t, nil, nil, d)
			s.KillProcess(t, pidOf(t, first))
			return runs
		}},
		"the kernel is busy with a tab's cell, and is restarted": {spec: "python3", says: "restarted", before: func(t *testing.T, s *jupytertest.Server, m *session.Manager, d *session.Document) []*run.Run {
			other := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), d.Path().String())
			sessiontest.Start(t, other, "c0")
			runs := start(t, nil, nil, d)
			sessiontest.Eventually(t, "it is sent", func() bool { return runs[0].Status().State == run.Running })
			time.Sleep(100 * time.Millisecond)
			js, err := d.Kernel().Session(t.Context())
			must.NoError(t, err)
			_, err = m.Servers().Runtime.Kernels.Restart(t.Context(), js.Kernel.ID)
			must.NoError(t, err)
			return runs
		}},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				m := sessiontest.Manager(t, s, session.Config{})
				d := sessiontest.Open(t, m, runBefore(t, s, c.spec, c.spec, sessiontest.Forever, "1", "2"))
				runs := c.before(t, s, m, d)
				must.SliceLen(t, 2, runs)
				for _, r := range runs {
					res := sessiontest.Wait(t, r)
					test.NotEq(t, run.Done, res.State)
					must.Error(t, res.Err)
					test.SliceEmpty(t, res.Outputs)
				}
				test.StrContains(t, runs[0].Result().Err.Error(), c.says)
				sessiontest.Eventually(t, "they are idle", func() bool { // a little after the runs have ended
					c1, _ := d.Notebook().Cell("c1")
					c2, _ := d.Notebook().Cell("c2")
					return c1.ExecutionState == ydoc.Idle && c2.ExecutionState == ydoc.Idle
				})
				showsBefore(t, d, "c1")
				showsBefore(t, d, "c2")
			})
		})
	}
}

// start queues two cells.
func start(t *testing.T, _ *jupytertest.Server, _ *session.Manager, d *session.Document) []*run.Run {
	t.Helper()
	runs, err := d.Run(t.Context(), []string{"c1", "c2"})
	must.NoError(t, err)
	return runs
}

// A queued cell shows as running, with its earlier outputs until its turn comes; then these are removed with the first
// output, or without one.
func TestQueuedCellKeepsItsOutputs(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), runBefore(t, s, "python3", "python", sessiontest.Forever, "6*7", "x = 1", ""))
		first := sessiontest.Start(t, d, "c0")
		runs, err := d.Run(t.Context(), []string{"c1", "c2", "c3"})
		must.NoError(t, err)
		for _, id := range []string{"c1", "c2", "c3"} {
			cell, _ := d.Notebook().Cell(id)
			test.Eq(t, ydoc.Running, cell.ExecutionState, test.Sprint(id))
			test.Eq(t, "stdout:before\n;", sessiontest.Text(cell.Outputs), test.Sprint(id))
			test.NotNil(t, cell.ExecutionCount, test.Sprint(id))
		}
		must.NoError(t, first.Cancel(t.Context()))
		for i, want := range []string{"execute_result:42;", "", ""} {
			test.Eq(t, run.Done, sessiontest.Wait(t, runs[i]).State, test.Sprint(i))
			cell, _ := d.Notebook().Cell(runs[i].CellID)
			test.Eq(t, want, sessiontest.Text(cell.Outputs), test.Sprint(i))
			test.Eq(t, ydoc.Idle, cell.ExecutionState, test.Sprint(i))
		}
		cell, _ := d.Notebook().Cell("c3")
		test.Nil(t, cell.ExecutionCount)
	})
}
