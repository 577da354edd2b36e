package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

func TestOpenRefusesWhatIsNotANotebook(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		txt := s.Write(t, s.Name(t, ".txt"), "hello")
		for path, want := range map[string]error{
			s.Name(t, "-missing.ipynb"): jupyter.ErrNotFound,
			txt:                         session.ErrNotNotebook,
			"":                          session.ErrNotNotebook,
		} {
			if _, err := m.Open(t.Context(), jupyter.MustPath(path)); !errors.Is(err, want) {
				t.Errorf("open %q: %v, want %v", path, err, want)
			}
		}
		if infos := m.Sessions(jupyter.Path{}); len(infos) != 0 {
			t.Errorf("sessions: %v; want none", infos)
		}
	})
}

// The outputs of a run are in its result, in all replicas and in the file; the count is set, and the cell is idle
// afterwards.
func TestRunWritesWhatTheKernelSays(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "import sys\nprint('out')\nprint('err', file=sys.stderr)\n6*7", "1/0", "print('never')")
		d, seen := sessiontest.Open(t, m, path), sessiontest.Open(t, other, path)

		res := sessiontest.Run(t, d, "c0")
		want := "stream"
		if got := sessiontest.Text(res[0].Outputs); got != "stdout:out\n;stderr:err\n;execute_result:42;" {
			t.Errorf("outputs %q, want %s", got, want)
		}
		test.Eq(t, run.Done, res[0].State)
		must.NotNil(t, res[0].Count)
		test.Eq(t, 1, *res[0].Count)
		sessiontest.Eventually(t, "the other sees the outputs", func() bool {
			c, _ := seen.Notebook().Cell("c0")
			return sessiontest.Text(c.Outputs) == sessiontest.Text(res[0].Outputs) && c.ExecutionCount != nil && *c.ExecutionCount == 1 && c.ExecutionState == "idle"
		})

		// The first failure cancels the rest of its call, but not other calls.
		res = sessiontest.Run(t, d, "c1", "c2")
		test.Eq(t, run.Failed, res[0].State, test.Sprint("1/0"))
		test.Eq(t, "error:ZeroDivisionError;", sessiontest.Text(res[0].Outputs), test.Sprint("1/0"))
		test.Eq(t, run.Cancelled, res[1].State, test.Sprint("the cell behind it"))
		test.SliceEmpty(t, res[1].Outputs, test.Sprint("the cell behind it"))
		sessiontest.Eventually(t, "no cell is left busy", func() bool {
			for _, c := range seen.Notebook().Cells() {
				if c.ExecutionState != "idle" {
					return false
				}
			}
			return true
		})
		if res := sessiontest.Run(t, d, "c2"); res[0].State != run.Done {
			t.Errorf("a later run: %s", res[0].State)
		}
		sessiontest.Eventually(t, "it is on disk", func() bool {
			b, err := os.ReadFile(filepath.Join(s.Root, path))
			return err == nil && strings.Contains(string(b), "ZeroDivisionError") && strings.Contains(string(b), "never")
		})
	})
}

// Output is in the room while the cell still runs, and the cell shows as busy.
func TestOutputIsLive(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "import os, time\nprint('one', flush=True)\nwhile not os.path.exists('"+s.Name(t, ".go")+"'): time.sleep(0.01)\nprint('two')")
		d, seen := sessiontest.Open(t, m, path), sessiontest.Open(t, other, path)
		runs, err := d.Run(t.Context(), []string{"c0"})
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the first line is there while the cell runs", func() bool {
			c, _ := seen.Notebook().Cell("c0")
			return sessiontest.Text(c.Outputs) == "stdout:one\n;" && c.ExecutionState == "running" && c.ExecutionCount == nil
		})
		st := runs[0].Result()
		test.Eq(t, run.Running, st.State, test.Sprint("so far"))
		test.Eq(t, "stdout:one\n;", sessiontest.Text(st.Outputs), test.Sprint("so far"))
		if err := runs[0].Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := runs[0].Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if st := runs[0].Result().State; st != run.Interrupted {
			t.Errorf("state %s, want interrupted", st)
		}
	})
}

// The kernel of the notebook's Jupyter session is used.
func TestKernelIsShared(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "shared = 42", "print(shared)")
		if _, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path)); ok || err != nil {
			t.Fatalf("a kernel before any run: %v, %v", ok, err)
		}
		sessiontest.Run(t, sessiontest.Open(t, m, path), "c0")
		res := sessiontest.Run(t, sessiontest.Open(t, other, path), "c1")
		if got := sessiontest.Text(res[0].Outputs); got != "stdout:42\n;" {
			t.Errorf("the other's kernel says %q", got)
		}
		k, ok, err := m.Kernel(t.Context(), jupyter.MustPath("/"+path))
		must.NoError(t, err)
		must.True(t, ok)
		test.Eq(t, "python3", k.Name)
		test.NotEq(t, "", k.ID)
	})
}

func TestRunRefusesBadCells(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		d := sessiontest.Open(t, m, s.Notebook(t, "1"))
		if err := d.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{ID: "md", Type: "markdown", Source: "# T"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		before := d.Notebook().Revision()
		for _, cells := range [][]string{{}, {"c0", "nope"}, {"c0", "md"}} {
			if _, err := d.Run(t.Context(), cells); err == nil {
				t.Errorf("run %v: no error", cells)
			}
		}
		if d.Notebook().Revision() != before {
			t.Error("a refused run has changed the notebook")
		}
	})
}

// A deleted cell's run continues and keeps its outputs.
func TestCellDeletedWhileItRuns(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		d := sessiontest.Open(t, m, s.Notebook(t, "import time\nprint('a', flush=True)\ntime.sleep(1)\nprint('b')", "2"))
		runs, err := d.Run(t.Context(), []string{"c0"})
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "it runs", func() bool { return sessiontest.Text(runs[0].Result().Outputs) != "" })
		if err := d.Edit(t.Context(), "delete", func(e *ydoc.Editor) error { return e.Delete("c0") }); err != nil {
			t.Fatal(err)
		}
		if err := runs[0].Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := runs[0].Result()
		test.Eq(t, run.Done, r.State)
		test.Eq(t, "stdout:a\nb\n;", sessiontest.Text(r.Outputs))
	})
}

func TestEndSavesAndLeaves(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		d, err := m.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
			_, err := e.Insert(1, ydoc.NewCell{Type: "code", Source: "ended = True"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		d.Release()
		info, ok, err := m.End(t.Context(), jupyter.MustPath(path))
		must.NoError(t, err, must.Sprint("end"))
		must.True(t, ok, must.Sprint("end"))
		test.Eq(t, session.Disconnected, info.Status, test.Sprint("end"))
		test.Eq(t, 2, info.Cells, test.Sprint("end"))
		b, err := os.ReadFile(filepath.Join(s.Root, path))
		must.NoError(t, err, must.Sprint("the file does not have the last edit"))
		test.StrContains(t, string(b), "ended = True", test.Sprint("the file does not have the last edit"))
		_, ok, err = m.End(t.Context(), jupyter.MustPath(s.Name(t, "-never.ipynb")))
		test.False(t, ok, test.Sprint("end of what was never open"))
		test.NoError(t, err, test.Sprint("end of what was never open"))
	})
}

func TestServerThatIsDown(t *testing.T) {
	srv, err := jupyter.New(jupyter.Options{URL: "http://127.0.0.1:1", Token: "x"})
	if err != nil {
		t.Fatal(err)
	}
	m := session.New(session.Config{Server: srv})
	defer func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	_, err = m.Open(t.Context(), jupyter.MustPath("a.ipynb"))
	if !errors.Is(err, jupyter.ErrUnreachable) {
		t.Errorf("open: %v, want unreachable", err)
	}
}
