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

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/history"
	"github.com/nbduet/nbduet/session/run"
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
			if r.State != w.state || sessiontest.Text(r.Outputs) != w.text || (r.Count == nil) != (w.count == 0) || r.Count != nil && *r.Count != w.count {
				t.Errorf("c%d: %s, %q, count %v, %v; want %v", i, r.State, sessiontest.Text(r.Outputs), r.Count, r.Err, w)
			}
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
				if !c.Who.Is("") || c.Kinds&history.Run == 0 {
					t.Errorf("%s is told as %s by %+v", c.Cell, c.Kinds, c.Who)
				}
			}
		}
		rest := sessiontest.Run(t, d, "c4", "c5")
		if rest[0].State != run.Done || rest[1].State != run.Done || sessiontest.Text(rest[1].Outputs) != "stdout:done\n;" && sessiontest.Text(rest[1].Outputs) != "stdout:done;" {
			t.Errorf("the rest: %s, %s, %q", rest[0].State, rest[1].State, sessiontest.Text(rest[1].Outputs))
		}
		sameAsCell(t, d, "c5", rest[1])
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
		if st := runs[0].Status(); st.State != run.WaitingForInput || st.Asking == nil || st.Asking.Prompt != "Never? " {
			t.Errorf("%s, %+v", st.State, st.Asking)
		}
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
		if res.State != run.Interrupted || res.Err == nil || !strings.Contains(res.Err.Error(), `"Never? "`) {
			t.Errorf("without an answer: %s, %v", res.State, res.Err)
		}
		if res := sessiontest.Run(t, d, "c2")[0]; res.State != run.Done || sessiontest.Text(res.Outputs) != "execute_result:42;" {
			t.Errorf("the next: %s, %q, %v", res.State, sessiontest.Text(res.Outputs), res.Err)
		}
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
		if res.State != run.Interrupted || !strings.HasSuffix(sessiontest.Text(res.Outputs), "error:KeyboardInterrupt;") {
			t.Errorf("interrupted: %s, %q, %v", res.State, sessiontest.Text(res.Outputs), res.Err)
		}
		sameAsCell(t, d, "c0", res)
		// The server would say for ever that this is pending.
		r = sessiontest.Start(t, d, "c2")
		k, _, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Servers().Documents.Restart(t.Context(), k.ID); err != nil {
			t.Fatal(err)
		}
		if res = sessiontest.Wait(t, r); res.State != run.Lost || !strings.Contains(sessiontest.Text(res.Outputs), "restarted while this cell ran") {
			t.Errorf("restarted: %s, %q, %v", res.State, sessiontest.Text(res.Outputs), res.Err)
		}
		sessiontest.Idle(t, d, "c2") // what the kernel still said at its end may come after that
	})

	t.Run("kernel killed", func(t *testing.T) {
		d := sessiontest.Open(t, sessiontest.Manager(t, s, onServer), s.Notebook(t, sessiontest.Forever))
		r := sessiontest.Start(t, d, "c0")
		if err := syscall.Kill(pidOf(t, r), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if res := sessiontest.Wait(t, r); res.State != run.Lost || !strings.Contains(sessiontest.Text(res.Outputs), "process ended while this cell ran") {
			t.Errorf("killed: %s, %q, %v", res.State, sessiontest.Text(res.Outputs), res.Err)
		}
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
		if res := sessiontest.Wait(t, second[0]); res.State != run.Cancelled || res.Err == nil || !strings.Contains(res.Err.Error(), "somebody else had failed") {
			t.Errorf("ours: %s, %v", res.State, res.Err)
		}
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
		if res := sessiontest.Wait(t, r); res.State != run.Lost || res.Err == nil || !strings.Contains(res.Err.Error(), "the server goes on") {
			t.Errorf("without its program: %s, %v", res.State, res.Err)
		}
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
		if n := len(sessiontest.Text(res.Outputs)); res.State != run.Done || res.Dropped || res.Note != "" || n < 4_000_000 {
			t.Errorf("by the server: %s, dropped %v, %d bytes, %v", res.State, res.Dropped, n, res.Err)
		}
		sameAsCell(t, d, "c0", res)
	})
}

// Without the extension a run says what is missing, and what to do.
func TestServerRunsWithoutExtension(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{Execute: run.ExecuteServer}), s.Notebook(t, "1"))
		res := sessiontest.Run(t, d, "c0")[0]
		if res.State != run.Failed || res.Err == nil || !strings.Contains(res.Err.Error(), "pip install jupyter-server-nbmodel") || !strings.Contains(res.Err.Error(), "--execute") {
			t.Errorf("%s, %v", res.State, res.Err)
		}
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
