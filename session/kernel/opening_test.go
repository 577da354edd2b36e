//go:build unix

package kernel

import (
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A socket that the server does not read yet, because it waits for its kernel, is neither closed nor written to.
func TestSlowOpening(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		f.mute = true
		f.rest("starting")
		c := connect(t, f.srv, "k")
		r, out := &recorder{}, make(chan error, 1)
		go func() {
			_, err := c.Execute(t.Context(), Request{Code: "1"}, r.handle)
			out <- err
		}()
		s := <-f.sockets
		time.Sleep(58 * time.Second)
		if n := pendingWritten(c); n != 0 {
			t.Errorf("%d requests were written to a socket that nobody reads", n)
		}
		s.status(StateIdle, incoming{})
		s.run(s.receive())
		if err := await(t, "the request", out); err != nil {
			t.Error(err)
		}
		if got := r.all(); !slices.Equal(got, []string{"status busy", "status idle"}) {
			t.Errorf("events %q", got)
		}
		select {
		case <-f.sockets:
			t.Error("the socket was left")
		default:
		}
	})
}

// A socket that is not read for longer than a server waits for a kernel is closed.
func TestSocketNeverRead(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		f.mute = true
		begun := time.Now()
		connect(t, f.srv, "k")
		<-f.sockets
		<-f.sockets
		took := time.Since(begun)
		test.GreaterEq(t, defaultTiming.opening, took)
		test.LessEq(t, defaultTiming.opening+30*time.Second, took)
	})
}

// A kernel that does not answer for a while, as under load, answers the requests made meanwhile.
func TestKernelStandsStill(t *testing.T) {
	jupytertest.NeedsReal(t, "a kernel that is stopped and goes on")
	srv := serverOf(t, jupytertest.Shared(t))
	id := startKernel(t, srv)
	c := connect(t, srv, id)
	r := &recorder{}
	if _, err := c.Execute(testContext(t), Request{Code: "import os\nprint(os.getpid())"}, r.handle); err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(r.text()))
	if err != nil {
		t.Fatal(err)
	}
	waitTold(t, srv, id, StateIdle)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	goOn := time.AfterFunc(22*time.Second, func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	defer goOn.Stop()
	other, r := connect(t, srv, id), &recorder{}
	_, err = other.Execute(testContext(t), Request{Code: "print('there')"}, r.handle)
	must.NoError(t, err)
	test.False(t, slices.Contains(r.all(), "gap"))
}
