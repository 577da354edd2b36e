package run_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// stage is a notebook whose first cell prints a line, and another one for each new file.
type stage struct {
	*jupytertest.Server
	path, dir string
	runs      run.Ledger
	seen      *session.Document // another client's view
}

func newStage(t *testing.T) *stage {
	s := &stage{Server: jupytertest.Shared(t), dir: t.TempDir(), runs: run.NewMemory()}
	code := "import os, time\nprint('one', flush=True)\n"
	for _, word := range []string{"two", "three"} {
		code += "while not os.path.exists('" + filepath.Join(s.dir, word) + "'): time.sleep(0.01)\nprint('" + word + "', flush=True)\nopen('" + filepath.Join(s.dir, word+"-said") + "', 'w').close()\n"
	}
	s.path = s.Notebook(t, code+"6*7", "'next'")
	t.Cleanup(func() { // or its kernel runs the code for ever
		srv := sessiontest.Server(t, s.Server)
		sessions, err := srv.Sessions.List(context.Background())
		for _, one := range sessions {
			if one.Path.String() == s.path {
				err = errors.Join(err, srv.Kernels.Shutdown(context.Background(), one.Kernel.ID))
			}
		}
		if err != nil {
			t.Error(err)
		}
	})
	s.seen = sessiontest.Open(t, sessiontest.Manager(t, s.Server, session.Config{}), s.path)
	return s
}

// manager returns a manager that the test closes itself, as if it were one of several successive processes.
func (s *stage) manager(t *testing.T, through *jupytertest.Server) *session.Manager {
	t.Helper()
	return session.New(session.Config{Server: sessiontest.Server(t, through), Runs: s.runs})
}

func (s *stage) close(m *session.Manager) {
	ctx, stop := context.WithTimeout(context.Background(), 4*time.Second)
	defer stop()
	_ = m.Close(ctx) // it may be unreachable
}

func (s *stage) open(t *testing.T, m *session.Manager) *session.Document {
	t.Helper()
	d, err := m.Open(t.Context(), jupyter.MustPath(s.path))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// say makes the code print a word, and waits for it.
func (s *stage) say(t *testing.T, word string) {
	t.Helper()
	touch(t, filepath.Join(s.dir, word))
	sessiontest.Eventually(t, "the code prints "+word, func() bool { return exists(filepath.Join(s.dir, word+"-said")) })
}

// shows waits until another client sees the outputs of a cell, and its state.
func (s *stage) shows(t *testing.T, cell, state string, want ...string) {
	t.Helper()
	var c ydoc.Cell
	for end := time.Now().Add(sessiontest.Timeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		c, _ = s.seen.Notebook().Cell(cell)
		text, at := sessiontest.Text(c.Outputs), 0
		for _, w := range want {
			if i := strings.Index(text[at:], w); i >= 0 {
				at += i + len(w)
			} else {
				at = -1
				break
			}
		}
		if at >= 0 && c.ExecutionState == state {
			return
		}
	}
	t.Fatalf("cell %s is %q with %q; want %q with %q", cell, c.ExecutionState, sessiontest.Text(c.Outputs), state, want)
}

// begin runs the first cell until it has printed its first line.
func (s *stage) begin(t *testing.T, d *session.Document) *run.Run {
	t.Helper()
	r := sessiontest.Start(t, d, "c0")
	s.shows(t, "c0", "running", "one")
	return r
}

// back waits until a manager has a run of an earlier one, by its id.
func back(t *testing.T, m *session.Manager, id string) *run.Run {
	t.Helper()
	var r *run.Run
	sessiontest.Eventually(t, id+" is taken up", func() (ok bool) {
		r, ok = m.RunTable().Run(id)
		return ok
	})
	return r
}

// The end of a session, or of the program, does not cancel a run: the code continues, the cell says so, and the next
// process with the same records writes the rest into the cell.
func TestRunIsTakenUp(t *testing.T) {
	for name, leave := range map[string]func(s *stage, m *session.Manager) error{
		"after the end of the program": func(s *stage, m *session.Manager) error { s.close(m); return nil },
		"after the end of the session": func(s *stage, m *session.Manager) error {
			_, _, err := m.End(context.Background(), jupyter.MustPath(s.path))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				s := newStage(t)
				m := s.manager(t, s.Server)
				defer s.close(m)
				r := s.begin(t, s.open(t, m))
				if err := leave(s, m); err != nil {
					t.Fatal(err)
				}
				if res := r.Result(); res.State != run.Lost || !errors.Is(res.Err, run.ErrLeft) {
					t.Errorf("the run that was left: %s, %v", res.State, res.Err)
				}
				s.shows(t, "c0", "idle", "stdout:one\n;stderr:[nbduet left this notebook while this cell ran. The code keeps running in the kernel", ";")
				s.say(t, "two")

				m2 := s.manager(t, s.Server)
				defer s.close(m2)
				d := s.open(t, m2)
				defer d.Release()
				again := back(t, m2, r.ID)
				s.shows(t, "c0", "running", "stdout:one\n;stderr:[nbduet was away while this cell ran: output may be missing here]\n;")
				if c, _ := s.seen.Notebook().Cell("c0"); strings.Contains(sessiontest.Text(c.Outputs), "left this notebook") {
					t.Errorf("the note stays: %q", sessiontest.Text(c.Outputs))
				}
				next, err := d.Run(t.Context(), []string{"c1"})
				if err != nil {
					t.Fatal(err)
				}
				if next[0].ID == r.ID {
					t.Errorf("two runs are %s", r.ID)
				}
				s.say(t, "three")
				res := sessiontest.Wait(t, again)
				test.Eq(t, run.Done, res.State, test.Sprint("taken up"))
				test.NotEq(t, "", res.Note, test.Sprint("taken up"))
				test.True(t, again.TakenUp(), test.Sprint("taken up"))
				// No other client was connected to the kernel, so the server has buffered the messages in between.
				s.shows(t, "c0", "idle", "stdout:one\n;", "stdout:two\nthree\n;", "execute_result:42;")
				if got := sessiontest.Text(res.Outputs); !strings.HasSuffix(got, "stdout:two\nthree\n;execute_result:42;") {
					t.Errorf("outputs of the run: %q", got)
				}
				res = sessiontest.Wait(t, next[0])
				test.Eq(t, run.Done, res.State, test.Sprint("the next run"))
				test.Eq(t, "execute_result:'next';", sessiontest.Text(res.Outputs), test.Sprint("the next run"))
				left, err := s.runs.Take(t.Context(), d.FileID())
				must.NoError(t, err, must.Sprint("still recorded"))
				test.SliceEmpty(t, left, test.Sprint("still recorded"))
			})
		})
	}
}

// A killed process leaves a cell that shows as running, and others behind it. The next process corrects them: it continues
// the first and notes that the others were not run.
func TestRunOfAKilledProcess(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := newStage(t)
		cable := jupytertest.NewCable(t, s.Server)
		m := s.manager(t, cable.Server)
		defer s.close(m)
		d := s.open(t, m)
		r := s.begin(t, d)
		queued, err := d.Run(t.Context(), []string{"c1"})
		if err != nil {
			t.Fatal(err)
		}
		s.shows(t, "c1", "running")
		cable.Cut()
		if err := s.runs.Leave(t.Context(), r.ID, queued[0].ID); err != nil { // as a database detects it
			t.Fatal(err)
		}

		m2 := s.manager(t, s.Server)
		defer s.close(m2)
		defer s.open(t, m2).Release()
		again, dropped := back(t, m2, r.ID), back(t, m2, queued[0].ID)
		s.say(t, "two")
		s.say(t, "three")
		if res := sessiontest.Wait(t, again); res.State != run.Done {
			t.Errorf("taken up: %s, %v", res.State, res.Err)
		}
		s.shows(t, "c0", "idle", "one\n", "[nbduet was away", "three\n", "execute_result:42;")
		res := sessiontest.Wait(t, dropped)
		test.Eq(t, run.Cancelled, res.State, test.Sprint("the waiting one"))
		test.Error(t, res.Err, test.Sprint("the waiting one"))
		s.shows(t, "c1", "idle", "stderr:[not run: nbduet ended before the cell's turn came]\n;")
	})
}

// A run that the kernel no longer has is lost, in the cell, too.
func TestRunLostMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		lose func(t *testing.T, s *stage, kernel string)
		says string
	}{
		"the kernel was shut down": {func(t *testing.T, s *stage, kernel string) {
			srv := sessiontest.Server(t, s.Server)
			if err := srv.Kernels.Shutdown(t.Context(), kernel); err != nil {
				t.Fatal(err)
			}
		}, "its kernel is gone"},
		"the kernel was restarted": {func(t *testing.T, s *stage, kernel string) {
			if _, err := sessiontest.Server(t, s.Server).Kernels.Restart(t.Context(), kernel); err != nil {
				t.Fatal(err)
			}
		}, "kernel was restarted"},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				s := newStage(t)
				m := s.manager(t, s.Server)
				r := s.begin(t, s.open(t, m))
				info, _, err := m.Kernel(t.Context(), jupyter.MustPath(s.path))
				if err != nil {
					t.Fatal(err)
				}
				s.close(m)
				c.lose(t, s, info.ID)
				m2 := s.manager(t, s.Server)
				defer s.close(m2)
				defer s.open(t, m2).Release()
				res := sessiontest.Wait(t, back(t, m2, r.ID))
				test.Eq(t, run.Lost, res.State)
				test.Error(t, res.Err)
				s.shows(t, "c0", "idle", "stdout:one\n;stderr:[", c.says)
			})
		})
	}
}

// A cell that was run again or changed by another client stays unchanged: only the run is lost.
func TestLeftCellOfOthers(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := newStage(t)
		m := s.manager(t, s.Server)
		r := s.begin(t, s.open(t, m))
		s.close(m)
		s.shows(t, "c0", "idle", "[nbduet left")
		if err := s.seen.Edit(t.Context(), "clear", func(e *ydoc.Editor) error { return e.StartRun("c0") }); err != nil {
			t.Fatal(err)
		}
		m2 := s.manager(t, s.Server)
		defer s.close(m2)
		d := s.open(t, m2)
		defer d.Release()
		if res := sessiontest.Wait(t, back(t, m2, r.ID)); res.State != run.Lost {
			t.Errorf("%s, %v", res.State, res.Err)
		}
		if err := d.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.shows(t, "c0", "running")
		if c, _ := s.seen.Notebook().Cell("c0"); len(c.Outputs) != 0 {
			t.Errorf("written into somebody else's cell: %q", sessiontest.Text(c.Outputs))
		}
		if err := s.seen.Edit(t.Context(), "end", func(e *ydoc.Editor) error { return e.FinishRun("c0", nil) }); err != nil {
			t.Fatal(err)
		}
	})
}

// Waiting runs are cancelled at the end, and their cells say so.
func TestWaitingRunsAtTheEnd(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := newStage(t)
		m := s.manager(t, s.Server)
		d := s.open(t, m)
		s.begin(t, d)
		queued, err := d.Run(t.Context(), []string{"c1"})
		if err != nil {
			t.Fatal(err)
		}
		s.shows(t, "c1", "running")
		s.close(m)
		if res := queued[0].Result(); res.State != run.Cancelled {
			t.Errorf("%s, %v", res.State, res.Err)
		}
		s.shows(t, "c1", "idle", "stderr:[not run: nbduet left this notebook before the cell's turn came]\n;")
		left, err := s.runs.Take(t.Context(), d.FileID())
		must.NoError(t, err, must.Sprint("recorded"))
		test.SliceLen(t, 1, left, test.Sprint("recorded"))
	})
}

func touch(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// If a person has pressed Stop before a run is taken up, the run is cancelled then.
func TestStopBeforeTakeUp(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := newStage(t)
		first := s.manager(t, s.Server)
		id := s.begin(t, s.open(t, first)).ID
		s.close(first)
		must.NoError(t, s.seen.Notebook().SetState(map[string]any{"nbduet:hands_off:*:ada": map[string]any{
			"name": "Ada", "username": "ada", "since": time.Now().UTC().Format(time.RFC3339), "stop": true,
		}}))
		must.NoError(t, s.seen.Settled(t.Context()))
		second := s.manager(t, s.Server)
		defer s.close(second)
		s.open(t, second)
		res := sessiontest.Wait(t, back(t, second, id))
		test.Eq(t, run.Interrupted, res.State)
		test.StrContains(t, res.Note, "Ada pressed Stop")
	})
}
