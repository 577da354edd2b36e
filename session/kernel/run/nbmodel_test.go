//go:build unix

package run_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// gatedCell prints, waits for a file of the server's root, and goes on.
func gatedCell(gate, then string) string {
	return "import os, time\nprint('begun', flush=True)\nwhile not os.path.exists('" + gate + "'): time.sleep(0.05)\n" + then
}

// sameAsCell checks that a run that the server has carried out is what the shared document shows of it.
func sameAsCell(t *testing.T, d *session.Document, cell string, res run.Result) {
	t.Helper()
	c, ok := d.Notebook().Cell(cell)
	switch {
	case !ok || c.ExecutionState != ydoc.Idle || c.Metadata["jupyter_server_nbmodel"] != nil:
		t.Errorf("cell %s is left %q, metadata %v", cell, c.ExecutionState, c.Metadata)
	case sessiontest.Text(c.Outputs) != sessiontest.Text(res.Outputs):
		t.Errorf("cell %s says %q, the run %q", cell, sessiontest.Text(c.Outputs), sessiontest.Text(res.Outputs))
	case (c.ExecutionCount == nil) != (res.Count == nil) || c.ExecutionCount != nil && *c.ExecutionCount != *res.Count:
		t.Errorf("cell %s has another count than its run", cell)
	}
}

func TestServerRuns(t *testing.T) {
	jupytertest.NeedsReal(t, "jupyter-server-nbmodel")
	s := jupytertest.Start(t, jupytertest.WithNbmodel(t))
	onServer := session.Config{Execute: run.ExecuteServer, InputTimeout: 2 * time.Second}

	t.Run("outcomes", func(t *testing.T) {
		d := sessiontest.Open(t, sessiontest.Manager(t, s, onServer), s.Notebook(t,
			"import sys\nprint('é a', flush=True)\nprint('e', file=sys.stderr, flush=True)\nprint('b')\n6*7",
			"display({'image/png': 'iVBORw0KGgo=', 'text/plain': 'a plot'}, raw=True)",
			"1/0", "2", "", "for i in range(3): print(f'{i}%', end='\\r', flush=True)\nprint('done')"))
		revision := d.History().Seal()
		// One that fails takes those behind it with it, as elsewhere.
		got := sessiontest.Run(t, d, "c0", "c1", "c2", "c3")
		want := []struct {
			state run.State
			text  string
			count int
		}{
			{run.Done, "stdout:é a\n;stderr:e\n;stdout:b\n;execute_result:42;", 1},
			{run.Done, "display_data:a plot;", 2},
			{run.Failed, "error:ZeroDivisionError;", 3},
			{run.Cancelled, "", 0},
		}
		for i, w := range want {
			r := got[i]
			test.Eq(t, w.state, r.State, test.Sprint(i))
			test.Eq(t, w.text, sessiontest.Text(r.Outputs), test.Sprint(i))
			test.Eq(t, w.count == 0, r.Count == nil, test.Sprint(i))
			test.False(t, r.Count != nil && *r.Count != w.count, test.Sprint(i))
			if w.count > 0 {
				sameAsCell(t, d, "c"+string(rune('0'+i)), r)
			}
		}
		if data, _ := got[1].Outputs[0]["data"].(map[string]any); data["image/png"] != "iVBORw0KGgo=" {
			t.Errorf("the plot is %v", got[1].Outputs)
		}
		sessiontest.Eventually(t, "the cancelled one is idle", func() bool { // a little after its run has ended
			c, _ := d.Notebook().Cell("c3")
			return c.ExecutionState == ydoc.Idle
		})
		// What the server has put out is told as ours.
		told, known := d.History().Since(revision)
		if ours := told.Changes(told.Len(), nil); !known || len(ours) < 3 {
			t.Errorf("%d changes, known %t", len(ours), known)
		} else {
			for _, c := range ours {
				test.True(t, c.Who.Is(""))
				test.NotEq(t, 0, c.Kinds&changelog.Run)
			}
		}
		rest := sessiontest.Run(t, d, "c4", "c5")
		test.Eq(t, run.Done, rest[0].State, test.Sprint("the rest"))
		test.Eq(t, run.Done, rest[1].State, test.Sprint("the rest"))
		test.False(t, sessiontest.Text(rest[1].Outputs) != "stdout:done\n;" && sessiontest.Text(rest[1].Outputs) != "stdout:done;", test.Sprint("the rest"))
		sameAsCell(t, d, "c5", rest[1])
	})

	t.Run("two cells with one id", func(t *testing.T) {
		path := s.Write(t, s.Name(t, ".ipynb"), `{"nbformat":4,"nbformat_minor":4,"metadata":{},"cells":[
			{"id":"twin","cell_type":"code","source":"1","metadata":{},"outputs":[],"execution_count":null},
			{"id":"twin","cell_type":"code","source":"2","metadata":{},"outputs":[],"execution_count":null}]}`)
		d := sessiontest.Open(t, sessiontest.Manager(t, s, onServer), path)
		for _, id := range d.Notebook().IDs() {
			got := sessiontest.Run(t, d, id)[0]
			test.Eq(t, run.Cancelled, got.State)
			test.ErrorContains(t, got.Err, `2 cells have the id "twin"`)
		}
	})

	t.Run("input", func(t *testing.T) {
		path := s.Notebook(t, "a = input('A? ')\nb = input('B? ')\nprint(a + b)", "input('Never? ')", "6*7")
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{Execute: run.ExecuteServer, InputTimeout: sessiontest.Patience}), path)
		var asked []string
		runs, err := d.RunWith(t.Context(), []string{"c0"}, run.Options{Ask: func(_ context.Context, q run.Question) (string, error) {
			asked = append(asked, q.Prompt)
			return q.Prompt[:1], nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		// The extension drops an answer now and then, when something else has just come from the kernel: the code waits
		// on, and can be stopped.
		some, stop := context.WithTimeout(t.Context(), sessiontest.Patience/6)
		dropped := runs[0].Wait(some) != nil
		stop()
		if dropped {
			t.Log("the extension has dropped an answer")
			if err := runs[0].Cancel(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		res := sessiontest.Wait(t, runs[0])
		if dropped {
			if res.State != run.Interrupted {
				t.Errorf("stopped after a dropped answer: %s, %v", res.State, res.Err)
			}
		} else if res.State != run.Done || sessiontest.Text(res.Outputs) != "stdout:AB\n;" || strings.Join(asked, "") != "A? B? " {
			t.Errorf("%s, %q, asked %q, %v", res.State, sessiontest.Text(res.Outputs), asked, res.Err)
		}
		d = sessiontest.Open(t, sessiontest.Manager(t, s, onServer), path)
		// A run that the server executes waits for an answer as any other.
		if runs, err = d.Run(t.Context(), []string{"c1"}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-runs[0].Unasked():
		case <-time.After(sessiontest.Patience):
			t.Fatal("it does not wait for input")
		}
		st := runs[0].Status()
		test.Eq(t, run.WaitingForInput, st.State)
		must.NotNil(t, st.Asking)
		test.Eq(t, "Never? ", st.Asking.Prompt)
		if err := runs[0].Answer("now", false); err != nil {
			t.Error(err)
		}
		// The extension may drop this answer, too.
		some, stop = context.WithTimeout(t.Context(), sessiontest.Patience/6)
		if runs[0].Wait(some) != nil {
			t.Log("the extension has dropped an answer")
			if err := runs[0].Cancel(t.Context()); err != nil {
				t.Error(err)
			}
		}
		stop()
		if answered := sessiontest.Wait(t, runs[0]); answered.State != run.Done && answered.State != run.Interrupted {
			t.Errorf("answered: %s, %v", answered.State, answered.Err)
		}
		res = ask(t, d, "c1", nil)
		test.Eq(t, run.Interrupted, res.State, test.Sprint("without an answer"))
		must.Error(t, res.Err, must.Sprint("without an answer"))
		test.StrContains(t, res.Err.Error(), `"Never? "`, test.Sprint("without an answer"))
		res = sessiontest.Run(t, d, "c2")[0]
		test.Eq(t, run.Done, res.State, test.Sprint("the next"))
		test.Eq(t, "execute_result:42;", sessiontest.Text(res.Outputs), test.Sprint("the next"))
	})

	t.Run("interrupt and restart", func(t *testing.T) {
		m := sessiontest.Manager(t, s, onServer)
		// A restart begins with an interrupt: code that hears it may have ended by that before the kernel does.
		deaf := "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" + sessiontest.Forever
		path := s.Notebook(t, sessiontest.Forever, "1", deaf)
		d := sessiontest.Open(t, m, path)
		r := sessiontest.Start(t, d, "c0")
		if err := r.Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		res := sessiontest.Wait(t, r)
		test.Eq(t, run.Interrupted, res.State, test.Sprint("interrupted"))
		test.StrHasSuffix(t, "error:KeyboardInterrupt;", sessiontest.Text(res.Outputs), test.Sprint("interrupted"))
		sameAsCell(t, d, "c0", res)
		// The server would say for ever that this is pending.
		r = sessiontest.Start(t, d, "c2")
		k, _, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Servers().Documents.Kernels.Restart(t.Context(), k.ID); err != nil {
			t.Fatal(err)
		}
		res = sessiontest.Wait(t, r)
		test.Eq(t, run.Lost, res.State, test.Sprint("restarted"))
		test.StrContains(t, sessiontest.Text(res.Outputs), "restarted while this cell ran", test.Sprint("restarted"))
		sessiontest.Idle(t, d, "c2") // what the kernel still said at its end may come after that
	})

	t.Run("kernel killed", func(t *testing.T) {
		d := sessiontest.Open(t, sessiontest.Manager(t, s, onServer), s.Notebook(t, sessiontest.Forever))
		r := sessiontest.Start(t, d, "c0")
		if err := syscall.Kill(pidOf(t, r), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		res := sessiontest.Wait(t, r)
		test.Eq(t, run.Lost, res.State, test.Sprint("killed"))
		test.StrContains(t, sessiontest.Text(res.Outputs), "process ended while this cell ran", test.Sprint("killed"))
		sessiontest.Idle(t, d, "c0")
	})

	// What somebody else has queued there fails, and the server drops ours.
	t.Run("a failure of others", func(t *testing.T) {
		gate := s.Name(t, ".gate")
		path := s.Notebook(t, gatedCell(gate, "1/0"), "2")
		m := sessiontest.Manager(t, s, onServer)
		theirs, ours := sessiontest.Open(t, m, path), sessiontest.Open(t, sessiontest.Manager(t, s, onServer), path)
		first := sessiontest.Start(t, theirs, "c0")
		second, err := ours.Run(t.Context(), []string{"c1"})
		if err != nil {
			t.Fatal(err)
		}
		k, _, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "it waits in the server", func() bool { return requests(t, s, k.ID) == 2 })
		s.Write(t, gate, "")
		if res := sessiontest.Wait(t, first); res.State != run.Failed {
			t.Errorf("theirs: %s, %v", res.State, res.Err)
		}
		res := sessiontest.Wait(t, second[0])
		test.Eq(t, run.Cancelled, res.State, test.Sprint("ours"))
		must.Error(t, res.Err, must.Sprint("ours"))
		test.StrContains(t, res.Err.Error(), "somebody else had failed", test.Sprint("ours"))
		sessiontest.Idle(t, ours, "c1")
	})

	// A run goes on without the program that asked for it.
	t.Run("survival", func(t *testing.T) {
		gate := s.Name(t, ".gate")
		path := s.Notebook(t, gatedCell(gate, "print('the end')\n6*7"))
		watcher := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
		gone := sessiontest.Manager(t, s, onServer)
		d, err := gone.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		r := sessiontest.Start(t, d, "c0")
		if err := gone.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		res := sessiontest.Wait(t, r)
		test.Eq(t, run.Lost, res.State, test.Sprint("without its program"))
		must.Error(t, res.Err, must.Sprint("without its program"))
		test.StrContains(t, res.Err.Error(), "the server goes on", test.Sprint("without its program"))
		if c, _ := watcher.Notebook().Cell("c0"); c.ExecutionState != ydoc.Running {
			t.Errorf("the cell shows as %q", c.ExecutionState)
		}
		s.Write(t, gate, "")
		sessiontest.Eventually(t, "the cell is finished", func() bool {
			c, _ := watcher.Notebook().Cell("c0")
			return c.ExecutionState == ydoc.Idle && c.ExecutionCount != nil && sessiontest.Text(c.Outputs) == "stdout:begun\nthe end\n;execute_result:42;"
		})
	})

	// The limits that a socket has do not hold there, and it is said where that would help.
	t.Run("limits", func(t *testing.T) {
		path := s.Notebook(t, "print('x' * 4_000_000)", "print('\\r', flush=True)\nprint('x' * 4_000_000)")
		const advice = "--execute server"
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
		if res := sessiontest.Run(t, d, "c0")[0]; !res.Dropped || !strings.Contains(res.Note, advice) {
			t.Errorf("by the kernel: dropped %v, note %q", res.Dropped, res.Note)
		}
		if res := sessiontest.Run(t, d, "c1")[0]; !res.Dropped || strings.Contains(res.Note, advice) {
			t.Errorf("what the extension would not write well: dropped %v, note %q", res.Dropped, res.Note)
		}
		d = sessiontest.Open(t, sessiontest.Manager(t, s, onServer), path)
		res := sessiontest.Run(t, d, "c0")[0]
		n := len(sessiontest.Text(res.Outputs))
		test.Eq(t, run.Done, res.State, test.Sprint("by the server"))
		test.False(t, res.Dropped, test.Sprint("by the server"))
		test.Eq(t, "", res.Note, test.Sprint("by the server"))
		test.GreaterEq(t, 4_000_000, n, test.Sprint("by the server"))
		sameAsCell(t, d, "c0", res)
	})
}

// Without the extension a run says what is missing, and what to do.
func TestServerRunsWithoutExtension(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{Execute: run.ExecuteServer}), s.Notebook(t, "1"))
		res := sessiontest.Run(t, d, "c0")[0]
		test.Eq(t, run.Cancelled, res.State)
		must.Error(t, res.Err)
		test.StrContains(t, res.Err.Error(), "pip install jupyter-server-nbmodel")
		test.StrContains(t, res.Err.Error(), "--execute")
		sessiontest.Idle(t, d, "c0")
	})
}

// requests is how many runs the server has for a kernel.
func requests(t *testing.T, s *jupytertest.Server, kernelID string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/kernels/"+kernelID+"/execute", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+s.Token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out struct {
		Requests []any `json:"requests"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return len(out.Requests)
}
