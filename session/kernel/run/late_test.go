package run_test

import (
	"cmp"
	"fmt"
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

// soon is the seconds after which a thread prints: later than the end of its run is seen.
func soon() float64 {
	if jupytertest.Real() { // which may be busy
		return 3
	}
	return 0.25
}

// inThread is a cell that runs now at once and the body in a thread, some seconds after the cell has ended.
func inThread(now, body string, seconds float64) string {
	return fmt.Sprintf("import time, threading\n%s\ndef late():\n    time.sleep(%g)\n    %s\nthreading.Thread(target=late).start()", now, seconds, body)
}

// Output of a cell's threads after its run has ended is added to the cell, and to the run.
func TestLateOutput(t *testing.T) {
	for name, c := range map[string]struct{ now, body, at, want string }{
		"text":                  {"print('now')", "print('late', flush=True)", "stdout:now\n;", "stdout:now\nlate\n;"},
		"text of another":       {"print('now')", "import sys; print('late', file=sys.stderr, flush=True)", "stdout:now\n;", "stdout:now\n;stderr:late\n;"},
		"text not flushed":      {"pass", "print('late')", "", "stdout:late\n;"},
		"over the line":         {"print('0 %', end='', flush=True)", "print('\\r100 %', end='', flush=True)", "stdout:0 %;", "stdout:100 %;"},
		"a display":             {"print('now')", "display('late')", "stdout:now\n;", "stdout:now\n;display_data:'late';"},
		"an update":             {"h = display('0 %', display_id='p')", "h.update('100 %')", "display_data:'0 %';", "display_data:'100 %';"},
		"a new display":         {"pass", "h = display('0 %', display_id='q'); h.update('50 %')", "", "display_data:'50 %';"},
		"cleared":               {"print('now')", "import IPython.display; IPython.display.clear_output()", "stdout:now\n;", ""},
		"cleared with the next": {"print('now')", "import IPython.display; IPython.display.clear_output(wait=True); print('late')", "stdout:now\n;", "stdout:late\n;"},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, inThread(c.now, c.body, soon())))
				runs, err := d.Run(t.Context(), []string{"c0"})
				must.NoError(t, err)
				res := sessiontest.Wait(t, runs[0])
				test.Eq(t, run.Done, res.State)
				test.Eq(t, c.at, sessiontest.Text(res.Outputs))
				sessiontest.Eventually(t, "the cell has it", func() bool {
					cell, _ := d.Notebook().Cell("c0")
					return sessiontest.Text(cell.Outputs) == c.want
				})
				cell, _ := d.Notebook().Cell("c0")
				test.Eq(t, c.want, sessiontest.Text(runs[0].Result().Outputs))
				test.Eq(t, run.Done, runs[0].Result().State)
				test.Eq(t, ydoc.Idle, cell.ExecutionState)
				must.NotNil(t, cell.ExecutionCount)
				test.Eq(t, 1, *cell.ExecutionCount)
			})
		})
	}
}

// Output of tasks, and the tracebacks of threads, are added too. A fake kernel has no tasks.
func TestLateOutputOfTasks(t *testing.T) {
	jupytertest.NeedsReal(t, "asyncio tasks")
	for name, c := range map[string]struct{ source, want string }{
		"a task":      {"import asyncio\nprint('now')\nasync def late():\n    await asyncio.sleep(1)\n    print('late')\nasyncio.create_task(late());", "stdout:now\nlate\n;"},
		"a traceback": {inThread("print('now')", "raise_it()", 1) + "\ndef raise_it():\n    try:\n        1 / 0\n    except Exception:\n        get_ipython().showtraceback()", "stdout:now\n;error:ZeroDivisionError;"},
	} {
		t.Run(name, func(t *testing.T) {
			s := jupytertest.Shared(t)
			d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, c.source))
			sessiontest.Run(t, d, "c0")
			sessiontest.Eventually(t, "the cell has it", func() bool {
				cell, _ := d.Notebook().Cell("c0")
				return sessiontest.Text(cell.Outputs) == c.want
			})
		})
	}
}

// Late output is not added to a cell that no longer belongs to the run.
func TestLateOutputEnds(t *testing.T) {
	edit := func(do func(e *ydoc.Editor) error) func(*testing.T, *session.Document) {
		return func(t *testing.T, d *session.Document) { must.NoError(t, d.Edit(t.Context(), "test", do)) }
	}
	three := 3
	for name, c := range map[string]struct {
		meanwhile func(*testing.T, *session.Document)
		want      string
		after     float64 // seconds until the output, if not soon()
	}{
		"it is cleared":    {meanwhile: edit(func(e *ydoc.Editor) error { return e.ClearOutputs("c0") })},
		"a tab runs it":    {meanwhile: edit(func(e *ydoc.Editor) error { return e.StartRun("c0") })},
		"a tab has run it": {meanwhile: edit(func(e *ydoc.Editor) error { _ = e.StartRun("c0"); return e.FinishRun("c0", &three) })},
		"it is deleted":    {meanwhile: edit(func(e *ydoc.Editor) error { return e.Delete("c0") })},
		"it is no code":    {meanwhile: edit(func(e *ydoc.Editor) error { return e.SetType("c0", ydoc.Raw) })},
		// A kernel attributes the output to the cell that it has begun last.
		"it is run again": {
			meanwhile: func(t *testing.T, d *session.Document) { rewritten(t, d, "2"); sessiontest.Run(t, d, "c0") },
			want:      "execute_result:2;stdout:late\n;",
		},
		"another is run": {
			meanwhile: func(t *testing.T, d *session.Document) { sessiontest.Run(t, d, "c1") },
			want:      "stdout:now\n;",
		},
		// The kernel may wait some seconds for its threads before it ends.
		"the kernel is new": {
			meanwhile: func(t *testing.T, d *session.Document) {
				_, err := d.Kernel().Restart(t.Context(), "", false)
				must.NoError(t, err)
			},
			want: "stdout:now\n;", after: 60,
		},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, inThread("print('now')", "print('late', flush=True)", cmp.Or(c.after, soon())), "1"))
				runs, err := d.Run(t.Context(), []string{"c0"})
				must.NoError(t, err)
				sessiontest.Wait(t, runs[0])
				c.meanwhile(t, d)
				time.Sleep(time.Duration(soon()*float64(time.Second)) + time.Second)
				sessiontest.Eventually(t, "the cell has "+c.want, func() bool { // a busy server passes it on later
					cell, _ := d.Notebook().Cell("c0")
					return sessiontest.Text(cell.Outputs) == c.want
				})
				sessiontest.Run(t, d, "c1") // the connection works
			})
		})
	}
}

func rewritten(t *testing.T, d *session.Document, source string) {
	t.Helper()
	must.NoError(t, d.Edit(t.Context(), "test", func(e *ydoc.Editor) error { return e.SetSource("c0", source) }))
}

// A thread that prints without end fills the cell to the bounds of a run, and delays neither other cells nor the end.
func TestEndlessThread(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		d := sessiontest.Open(t, m, s.Notebook(t,
			"import time, threading\ndef late():\n    while True:\n        time.sleep(0.01)\n        print('x' * 30000, flush=True)\nthreading.Thread(target=late).start()", "6*7"))
		runs, err := d.Run(t.Context(), []string{"c0"})
		must.NoError(t, err)
		sessiontest.Wait(t, runs[0])
		sessiontest.Eventually(t, "the cell is full", func() bool { return runs[0].Result().Omitted > 0 })
		res := sessiontest.Run(t, d, "c1")[0]
		test.Eq(t, run.Done, res.State)
		must.NotNil(t, res.Count) // its outputs have the thread's late output, or as much as fits
		size := func() (n int) {
			cell, _ := d.Notebook().Cell("c0")
			return len(sessiontest.Text(cell.Outputs))
		}
		time.Sleep(500 * time.Millisecond)
		full := size()
		test.Less(t, 9<<20, full)
		time.Sleep(500 * time.Millisecond)
		test.Eq(t, full, size())
		_, err = d.Kernel().Restart(t.Context(), "", false)
		must.NoError(t, err)
	})
}
