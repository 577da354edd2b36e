package kernel

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// running starts code that prints its process id and then runs for long, waits for the output, and returns the id and the
// channel of its outcome.
func running(t *testing.T, c *Conn) (pid int, outcome <-chan error) {
	t.Helper()
	out := make(chan error, 1)
	pids := make(chan string, 1)
	go func() {
		reply, err := c.Execute(testContext(t), Request{Code: "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(300)"}, func(ev Event) {
			if s, ok := ev.(Stream); ok && s.Name == "stdout" {
				pids <- strings.TrimSpace(s.Text)
			}
		})
		if err == nil && reply.Error != nil {
			err = *reply.Error
		}
		out <- err
	}()
	select {
	case s := <-pids:
		pid, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return pid, out
	case err := <-out:
		t.Fatalf("the code ended at once: %v", err)
	case <-testContext(t).Done():
		t.Fatal("the code did not begin")
	}
	return 0, nil
}

// wasInterrupted reports whether the running code ended with an interrupt: the server interrupts a kernel before it ends
// it, and the kernel may answer in time. Then it may run queued code, too.
func wasInterrupted(err error) bool {
	var e Error
	return errors.As(err, &e) && e.Name == "KeyboardInterrupt"
}

// queued sends code that waits behind the running code, and returns the channel of its outcome.
func queued(t *testing.T, c *Conn) <-chan error {
	t.Helper()
	out := make(chan error, 1)
	ctx := testContext(t)
	before := pendingWritten(c)
	go func() {
		_, err := c.Execute(testContext(t), Request{Code: "1"}, nil)
		out <- err
	}()
	for pendingWritten(c) == before {
		select {
		case err := <-out:
			t.Fatalf("the queued code ended at once: %v", err)
		case <-ctx.Done():
			t.Fatal("the queued code was not sent")
		case <-time.After(time.Millisecond):
		}
	}
	return out
}

func pendingWritten(c *Conn) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, ex := range c.pending {
		if ex.written {
			n++
		}
	}
	return n
}

func await(t *testing.T, what string, outcome <-chan error) error {
	t.Helper()
	select {
	case err := <-outcome:
		return err
	case <-testContext(t).Done():
		t.Fatalf("%s did not end", what)
		return nil
	}
}

// An interrupt is an exception in the running code, and the code queued behind it runs.
func TestInterrupt(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		id := startKernel(t, srv)
		c := connect(t, srv, id)
		started := make(chan struct{})
		var reply Reply
		out := make(chan error, 1)
		go func() {
			var err error
			reply, err = c.Execute(testContext(t), Request{Code: "print('go', flush=True)\nimport time\ntime.sleep(300)"}, func(ev Event) {
				if _, ok := ev.(Stream); ok {
					close(started)
				}
			})
			out <- err
		}()
		<-started
		if stateOf(c) != StateBusy {
			t.Errorf("state %q while running, want busy", stateOf(c))
		}
		queuedRun := queued(t, c)
		if err := srv.Kernels.Interrupt(testContext(t), id); err != nil {
			t.Fatal(err)
		}
		if err := await(t, "the interrupted code", out); err != nil {
			t.Fatal(err)
		}
		test.Eq(t, "error", reply.Status)
		must.NotNil(t, reply.Error)
		test.Eq(t, "KeyboardInterrupt", reply.Error.Name)
		if err := await(t, "the queued code", queuedRun); err != nil {
			t.Errorf("what was queued after it: %v", err)
		}
	})
}

// A restart ends running and queued code; the same connection continues with the new process.
func TestRestart(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		id := startKernel(t, srv)
		c := connect(t, srv, id)
		oldPID, run := running(t, c)
		queuedRun := queued(t, c)
		if _, err := srv.Kernels.Restart(testContext(t), id); err != nil {
			t.Fatal(err)
		}
		for what, ch := range map[string]<-chan error{"the running code": run, "the queued code": queuedRun} {
			err := await(t, what, ch)
			if what == "the running code" && wasInterrupted(err) || what == "the queued code" && err == nil {
				continue
			}
			test.ErrorIs(t, err, ErrKernelRestarted, test.Sprint(what))
			test.False(t, errors.Is(err, ErrKernelDied), test.Sprint(what))
		}
		expectAlive(t, c, oldPID)
	})
}

// expectAlive checks that code runs, in a process other than the old one.
func expectAlive(t *testing.T, c *Conn, oldPID int) {
	t.Helper()
	var r recorder
	if _, err := c.Execute(testContext(t), Request{Code: "import os\nprint(os.getpid())"}, r.handle); err != nil {
		t.Fatalf("after the restart: %v", err)
	}
	got := strings.TrimSpace(r.text())
	test.NotEq(t, strconv.Itoa(oldPID), got)
	test.NotEq(t, "", got)
}

// A killed kernel ends its running code as soon as the server has noticed, with ErrKernelDied.
func TestKernelKilled(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		srv := serverOf(t, s)
		c := connect(t, srv, startKernel(t, srv))
		pid, run := running(t, c)
		queuedRun := queued(t, c)
		s.KillProcess(t, pid)
		for what, ch := range map[string]<-chan error{"the running code": run, "the queued code": queuedRun} {
			err := await(t, what, ch)
			if err == nil && what == "the queued code" {
				continue // the server still had it, and gave it to the new process before it reported the old one's end
			}
			test.ErrorIs(t, err, ErrKernelRestarted, test.Sprint(what))
			test.ErrorIs(t, err, ErrKernelDied, test.Sprint(what))
		}
		expectAlive(t, c, pid)
	})
}

// A deleted kernel ends its running code at once, and the connection soon after.
func TestKernelDeleted(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		id := startKernel(t, srv)
		c := connect(t, srv, id)
		_, run := running(t, c)
		if err := srv.Kernels.Shutdown(testContext(t), id); err != nil {
			t.Fatal(err)
		}
		if err := await(t, "the running code", run); !errors.Is(err, ErrKernelDead) && !wasInterrupted(err) {
			t.Errorf("the running code ended with %v, want ErrKernelDead", err)
		}
		select {
		case <-c.done:
		case <-testContext(t).Done():
			t.Fatal("the connection to a deleted kernel goes on")
		}
		test.ErrorIs(t, c.Err(), ErrKernelDead)
		test.Eq(t, StateDead, stateOf(c))
		if _, err := c.Execute(testContext(t), Request{Code: "1"}, nil); !errors.Is(err, ErrKernelDead) {
			t.Errorf("Execute on a dead kernel: %v", err)
		}
		if _, err := Dial(testContext(t), srv, id, Options{}); !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("Dial to a deleted kernel: %v, want jupyter.ErrNotFound", err)
		}
	})
}

// Close ends pending requests, whose code continues in the kernel.
func TestClose(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		id := startKernel(t, srv)
		c := connect(t, srv, id)
		_, run := running(t, c)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := await(t, "the running code", run); !errors.Is(err, ErrClosed) {
			t.Errorf("the running code ended with %v, want ErrClosed", err)
		}
		if !errors.Is(c.Err(), ErrClosed) {
			t.Errorf("Err = %v, want ErrClosed", c.Err())
		}
		if err := c.Input(context.Background(), "x"); !errors.Is(err, ErrClosed) {
			t.Errorf("Input after Close: %v", err)
		}
		waitTold(t, srv, id, StateBusy) // with the code
	})
}
