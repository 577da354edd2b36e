package kernel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// quick is a timing for tests of waits that are long in production.
func quick() timing {
	tm := defaultTiming
	tm.tick = 50 * time.Millisecond
	return tm
}

// untilFile is code that prints a line, waits for a file and then runs the rest.
func untilFile(file, rest string) string {
	return fmt.Sprintf(`import os, time
print('before', flush=True)
while not os.path.exists(%q): time.sleep(0.01)
%s`, file, rest)
}

func touch(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// begin executes code and, after its first line, returns the channel of its outcome.
func begin(t *testing.T, c *Conn, code string) (r *recorder, outcome <-chan error) {
	t.Helper()
	r = &recorder{}
	out := make(chan error, 1)
	printed := make(chan struct{})
	go func() {
		first := true
		_, err := c.Execute(testContext(t), Request{Code: code}, func(ev Event) {
			r.handle(ev)
			if _, ok := ev.(Stream); ok && first {
				first = false
				close(printed)
			}
		})
		out <- err
	}()
	select {
	case <-printed:
	case err := <-out:
		t.Fatalf("the code ended at once: %v", err)
	case <-testContext(t).Done():
		t.Fatal("the code printed nothing")
	}
	return r, out
}

// The connection breaks during a run. No other client is connected, so the server buffers the kernel's messages: all of
// them arrive, after the gap event.
func TestDroppedSocketAlone(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		direct := serverOf(t, s)
		through, p := proxied(t, s)
		id := startKernel(t, direct)
		c := connect(t, through, id)
		dir := t.TempDir()
		file, told := filepath.Join(dir, "go"), filepath.Join(dir, "told")
		r, out := begin(t, c, untilFile(file, fmt.Sprintf("print('while away', flush=True)\nopen(%q, 'w').close()\nwhile not os.path.exists(%q): time.sleep(0.01)\nprint('after')", told, file+"2")))
		p.Cut()
		// The server must have noticed before anything is sent, or it uses the dead socket.
		waitConnections(t, s, id, 0)
		touch(t, file)
		for !exists(told) {
			time.Sleep(5 * time.Millisecond)
		}
		p.Mend()
		touch(t, file+"2")
		if err := await(t, "the code", out); err != nil {
			t.Fatal(err)
		}
		if got := r.text(); got != "before\nwhile away\nafter\n" {
			t.Errorf("printed %q", got)
		}
		if got := r.all(); !slices.Contains(got, "gap") {
			t.Errorf("no word of the gap in %q", got)
		}
	})
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// waitConnections waits until the server counts n sockets on the kernel.
func waitConnections(t *testing.T, s *jupytertest.Server, kernelID string, n int) {
	t.Helper()
	waitKernel(t, serverOf(t, s), kernelID, func(k jupyter.Kernel) bool { return k.Connections == n })
}

// waitKernel waits until the server reports the wanted state of a kernel.
func waitKernel(t *testing.T, srv *jupyter.Server, kernelID string, wanted func(jupyter.Kernel) bool) {
	t.Helper()
	ctx := testContext(t)
	for {
		k, err := srv.Kernels.Get(ctx, kernelID)
		if err != nil {
			t.Fatal(err)
		}
		if wanted(k) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// The same with a tab open: the server buffers nothing. A run that continues is followed to its end.
func TestDroppedSocketRunGoesOn(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		direct := serverOf(t, s)
		through, p := proxied(t, s)
		id := startKernel(t, direct)
		connect(t, direct, id) // the tab
		c := connect(t, through, id)
		file := filepath.Join(t.TempDir(), "go")
		// The server opens the socket before it subscribes to the kernel again, so the code reports when its output
		// arrives.
		r, out := begin(t, c, fmt.Sprintf(`import os, time
print('before', flush=True)
while not os.path.exists(%q):
    print('tick', flush=True)
    time.sleep(0.02)
print('after')`, file))
		p.Drop()
		waitEvent(t, r, "gap")
		seen := len(r.all())
		for ctx := testContext(t); len(r.all()) < seen+20; time.Sleep(5 * time.Millisecond) {
			if ctx.Err() != nil {
				t.Fatal("nothing is heard after the gap")
			}
		}
		touch(t, file)
		if err := await(t, "the code", out); err != nil {
			t.Fatal(err)
		}
		got := r.text()
		test.StrHasPrefix(t, "before\n", got)
		test.StrHasSuffix(t, "tick\nafter\n", got)
	})
}

func waitEvent(t *testing.T, r *recorder, want string) {
	t.Helper()
	ctx := testContext(t)
	for !slices.Contains(r.all(), want) {
		select {
		case <-ctx.Done():
			t.Fatalf("no event %q in %q", want, r.all())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// A run does not hang if it ended while the connection was down and its answer was not buffered.
func TestDroppedSocketAnswerLost(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		direct := serverOf(t, s)
		through, p := proxied(t, s)
		id := startKernel(t, direct)
		tab := connect(t, direct, id)
		c := connect(t, through, id)
		file := filepath.Join(t.TempDir(), "go")
		_, out := begin(t, c, untilFile(file, "print('unheard')"))
		waitState(t, tab, StateBusy) // else it may still be idle from before
		p.Cut()
		waitConnections(t, s, id, 1)
		touch(t, file)
		waitState(t, tab, StateIdle)
		p.Mend()
		if err := await(t, "the code", out); !errors.Is(err, ErrAnswerLost) {
			t.Fatalf("error %v, want ErrAnswerLost", err)
		}
		var r recorder
		_, err := c.Execute(testContext(t), Request{Code: "print('well')"}, r.handle)
		must.NoError(t, err, must.Sprint("afterwards"))
		test.Eq(t, "well\n", r.text(), test.Sprint("afterwards"))
	})
}

// A run does not hang if the kernel was restarted while the connection was down, though the server still reports it as
// busy.
func TestDroppedSocketKernelRestarted(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		direct := serverOf(t, s)
		through, p := proxied(t, s)
		id := startKernel(t, direct)
		connect(t, direct, id)
		c := connect(t, through, id)
		_, out := begin(t, c, untilFile("/nowhere/at/all", ""))
		p.Cut()
		waitConnections(t, s, id, 1)
		if _, err := direct.Kernels.Restart(testContext(t), id); err != nil {
			t.Fatal(err)
		}
		p.Mend()
		if err := await(t, "the code", out); !errors.Is(err, ErrAnswerLost) && !errors.Is(err, ErrKernelRestarted) {
			t.Fatalf("error %v", err)
		}
	})
}

// A kernel that was shut down while the connection was down ends it.
func TestDroppedSocketKernelGone(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		direct := serverOf(t, s)
		through, p := proxied(t, s)
		id := startKernel(t, direct)
		c := connect(t, through, id)
		_, out := begin(t, c, untilFile("/nowhere/at/all", ""))
		p.Cut()
		if err := direct.Kernels.Shutdown(testContext(t), id); err != nil {
			t.Fatal(err)
		}
		p.Mend()
		if err := await(t, "the code", out); !errors.Is(err, ErrKernelDead) {
			t.Fatalf("error %v, want ErrKernelDead", err)
		}
		<-c.done
	})
}

// A server that does not come back ends the connection, and the requests made meanwhile.
func TestDroppedSocketForGood(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		direct := serverOf(t, s)
		through, p := proxied(t, s)
		id := startKernel(t, direct)
		tm := quick()
		tm.redial = 300 * time.Millisecond
		c := connectWith(t, through, id, tm)
		p.Cut()
		_, err := c.Execute(testContext(t), Request{Code: "1"}, nil)
		if !errors.Is(err, ErrClosed) {
			t.Fatalf("error %v, want ErrClosed", err)
		}
		<-c.done
		if strings.Contains(c.Err().Error(), s.Token) {
			t.Error("the error holds the token")
		}
	})
}

// Requests made while the connection is down are sent, once, when it is back.
func TestExecuteWhileDown(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		direct := serverOf(t, s)
		through, p := proxied(t, s)
		id := startKernel(t, direct)
		c := connect(t, through, id)
		if _, err := c.Execute(testContext(t), Request{Code: "n = 0"}, nil); err != nil {
			t.Fatal(err)
		}
		p.Cut()
		waitConnections(t, s, id, 0)
		waitState(t, c, StateUnknown) // both sides have noticed
		var r recorder
		out := make(chan error, 1)
		go func() {
			_, err := c.Execute(testContext(t), Request{Code: "n += 1\nprint(n)"}, r.handle)
			out <- err
		}()
		p.Mend()
		if err := await(t, "the code", out); err != nil {
			t.Fatal(err)
		}
		if r.text() != "1\n" {
			t.Errorf("printed %q", r.text())
		}
	})
}
