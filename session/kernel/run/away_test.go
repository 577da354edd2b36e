//go:build unix

package run_test

import (
	"context"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// steps prints a line a second for 40 seconds.
const steps = "import time\nfor i in range(40):\n    print('step', i, flush=True)\n    time.sleep(1)\nprint('end')"

// knownDead is how long it takes to detect that a silent server is away, and toldDead how soon after that its runs must be
// lost.
const (
	knownDead = session.DefaultServerTimeout
	toldDead  = 15 * time.Second
)

// A run whose server is gone is lost soon after that is known, and gives the reason; a run whose server was only suspended,
// or whose connection broke, continues and has its output.
func TestRunOnServerThatGoesAway(t *testing.T) {
	cut, stall, drop, mend := (*jupytertest.Cable).Cut, (*jupytertest.Cable).Stall, (*jupytertest.Cable).Drop, (*jupytertest.Cable).Mend
	for name, c := range map[string]struct {
		begin, end func(*jupytertest.Cable)
		after      time.Duration // until end
		restart    bool
		within     time.Duration // of begin; 0: it runs to its end
		says       []string
	}{
		"killed":                   {begin: cut, within: toldDead, says: []string{"Jupyter server has been away since 00:0", "given up", "unknown"}},
		"black-holed":              {begin: stall, within: knownDead + toldDead, says: []string{"Jupyter server has been away since 00:0", "given up", "unknown"}},
		"killed and soon back":     {begin: cut, end: mend, after: 6 * time.Second, restart: true, within: 12 * time.Second, says: []string{"server was restarted", "kernels ended with it"}},
		"restarted":                {begin: drop, restart: true, within: 3 * time.Second, says: []string{"server was restarted", "kernels ended with it"}},
		"stopped":                  {begin: stall, end: mend, after: 14 * time.Second},
		"stopped for a moment":     {begin: stall, end: mend, after: 3 * time.Second},
		"cut off and back in time": {begin: cut, end: mend, after: 7 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				cable := jupytertest.NewCable(t, s)
				d := sessiontest.Open(t, sessiontest.Manager(t, cable.Server, session.Config{}), s.Notebook(t, steps, "print('not run')"))
				defer func() { // unsaved changes can be saved
					cable.Mend()
					time.Sleep(30 * time.Second)
				}()
				r := sessiontest.Start(t, d, "c0")
				waiting, err := d.Run(t.Context(), []string{"c1"})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Second)
				began := time.Now()
				c.begin(cable)
				if c.end != nil {
					time.AfterFunc(c.after, func() {
						if c.restart {
							s.Fake.Restart(true)
						}
						c.end(cable)
					})
				} else if c.restart {
					s.Fake.Restart(true)
				}
				res := sessiontest.Wait(t, r)
				took := time.Since(began)
				t.Log(res.State, took, res.Err)
				if c.within == 0 {
					text := sessiontest.Text(res.Outputs)
					test.Eq(t, run.Done, res.State)
					test.StrHasSuffix(t, "end\n;", text)
					test.Eq(t, 40, strings.Count(text, "step"))
					if res := sessiontest.Wait(t, waiting[0]); res.State != run.Done {
						t.Errorf("what waited: %s, %v", res.State, res.Err)
					}
					return
				}
				must.Eq(t, run.Lost, res.State)
				must.Error(t, res.Err)
				must.LessEq(t, c.within, took)
				for _, want := range c.says {
					if !strings.Contains(res.Err.Error(), want) {
						t.Errorf("the reason lacks %q: %v", want, res.Err)
					}
				}
				if res := sessiontest.Wait(t, waiting[0]); res.State != run.Cancelled || !strings.Contains(res.Err.Error(), "while cell c0 ran") {
					t.Errorf("what waited: %s, %v", res.State, res.Err)
				}
				text := sessiontest.Text(res.Outputs)
				test.StrContains(t, text, "step 4\n", test.Sprint("its output"))
				test.StrContains(t, text, "while this cell ran", test.Sprint("its output"))
			})
		})
	}
}

// The writes of a lost run reach the room when the suspended server is back: the cell does not show as busy for ever.
func TestLostRunIsReportedWhenTheServerIsBack(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		cable := jupytertest.NewCable(t, s)
		path := s.Notebook(t, steps)
		d := sessiontest.Open(t, sessiontest.Manager(t, cable.Server, session.Config{}), path)
		r := sessiontest.Start(t, d, "c0")
		cable.Stall()
		if res := sessiontest.Wait(t, r); res.State != run.Lost {
			t.Fatalf("%s, %v", res.State, res.Err)
		}
		time.Sleep(20 * time.Second)
		cable.Mend()
		time.Sleep(30 * time.Second)
		other := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
		c, _ := other.Notebook().Cell("c0")
		text := sessiontest.Text(c.Outputs)
		test.NotEq(t, "running", c.ExecutionState)
		test.StrContains(t, text, "server went away while this cell ran")
		if res := sessiontest.Run(t, d, "c0")[0]; res.State != run.Done {
			t.Errorf("the next run: %s, %v", res.State, res.Err)
		}
	})
}

// A real server's process: when it is killed, its kernels end with it; when it is suspended, they continue.
func TestRunOnProcessThatIsKilledOrStopped(t *testing.T) {
	jupytertest.NeedsReal(t, "a process of its own")
	for name, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := jupytertest.Start(t)
			srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token})
			if err != nil {
				t.Fatal(err)
			}
			m := session.New(session.Config{Server: srv})
			defer srv.CloseIdleConnections()
			defer func() {
				ctx, stop := context.WithTimeout(context.Background(), 4*time.Second) // the program's own limit
				defer stop()
				_ = m.Close(ctx) // it cannot save
			}()
			d, err := m.Open(t.Context(), jupyter.MustPath(s.Notebook(t, "import os\nprint(os.getpid(), flush=True)\n"+strings.ReplaceAll(steps, "40", "25"))))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Release()
			r := sessiontest.Start(t, d, "c0")
			began := time.Now()
			if err := syscall.Kill(s.PID, sig); err != nil {
				t.Fatal(err)
			}
			if sig == syscall.SIGSTOP {
				time.Sleep(12 * time.Second)
				if err := syscall.Kill(s.PID, syscall.SIGCONT); err != nil {
					t.Fatal(err)
				}
			}
			res := sessiontest.Wait(t, r)
			text := sessiontest.Text(res.Outputs)
			t.Log(res.State, time.Since(began), res.Err)
			if sig == syscall.SIGSTOP {
				test.Eq(t, run.Done, res.State)
				test.Eq(t, 25, strings.Count(text, "step"))
				return
			}
			test.Eq(t, run.Lost, res.State)
			test.LessEq(t, toldDead, time.Since(began))
			test.StrContains(t, res.Err.Error(), "Jupyter server has been away since")
			pid, err := strconv.Atoi(strings.TrimPrefix(strings.SplitN(text, "\n", 2)[0], "stdout:"))
			if err != nil {
				t.Fatal(err)
			}
			sessiontest.Eventually(t, "the kernel has ended", func() bool { return syscall.Kill(pid, 0) != nil })
		})
	}
}
