package kernel

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// Code that was sent to an idle kernel as it shut down has not reached it: it can be sent to another kernel. Code that the
// kernel began anyway, or that waited behind other code, is lost with it.
func TestNotReached(t *testing.T) {
	theirs := incoming{rawHeader: []byte(`{"msg_id":"theirs"}`)}
	shutdown := incoming{rawHeader: []byte(`{"msg_id":"shutdown"}`)}
	for _, c := range []struct {
		name          string
		before, after func(s *fakeSocket, request incoming) // the announcement
		reached       bool
	}{
		{name: "too late"},
		{name: "begun", before: func(s *fakeSocket, request incoming) { s.status(StateBusy, request) }, reached: true},
		{name: "begun as it ends", after: func(s *fakeSocket, request incoming) { s.status(StateBusy, request) }, reached: true},
		{name: "behind other code", before: func(s *fakeSocket, _ incoming) { s.status(StateBusy, theirs) }, reached: true},
		{name: "after other code", before: func(s *fakeSocket, _ incoming) {
			s.status(StateBusy, theirs)
			s.status(StateIdle, theirs)
		}},
	} {
		jupytertest.Bubble(t, func(t *testing.T) {
			f := newFakeServer(t)
			conn, s, request, _, out := f.start(quick())
			if c.before != nil {
				c.before(s, request)
			}
			s.status(StateBusy, shutdown)
			s.send("iopub", "shutdown_reply", shutdown, map[string]any{"status": "ok", "restart": false})
			s.status(StateIdle, shutdown)
			if c.after != nil {
				c.after(s, request)
			}
			synctest.Wait() // all its messages have been read
			f.rest("")
			err := await(t, "the request", out)
			if !errors.Is(err, ErrShutDown) {
				t.Errorf("%s: %v, want ErrShutDown", c.name, err)
			}
			if got := !errors.Is(err, ErrNotReached); got != c.reached {
				t.Errorf("%s: reached %t, want %t: %v", c.name, got, c.reached, err)
			}
			_, err = conn.Execute(testContext(t), Request{Code: "1"}, nil)
			test.ErrorIs(t, err, ErrNotReached, test.Sprint(c.name))
			test.ErrorIs(t, err, ErrShutDown, test.Sprint(c.name))
		})
	}
}

// theirs is the user of a link whose kernel is k, while the server has that.
type theirs struct{ f *fakeServer }

var errNoKernel = errors.New("there is no kernel")

func (u theirs) Obtain(context.Context) (jupyter.Kernel, bool, error) {
	u.f.mu.Lock()
	defer u.f.mu.Unlock()
	if u.f.state == "" {
		return jupyter.Kernel{}, false, errNoKernel
	}
	return jupyter.Kernel{ID: "k", ExecutionState: u.f.state}, false, nil
}

func (theirs) Whose() string { return "the test's" }

// A kernel that has announced its end is not used again while the server still has it.
func TestShutDownKernelIsLeft(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		k := NewLink(theirs{f}, f.srv, slog.New(slog.DiscardHandler))
		defer k.Close()
		if _, _, err := k.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := <-f.sockets
		s.send("iopub", "shutdown_reply", incoming{}, map[string]any{"status": "ok", "restart": false})
		synctest.Wait()
		began := time.Now()
		time.AfterFunc(3*time.Second, func() { f.rest("") })
		if _, _, err := k.Connect(t.Context()); !errors.Is(err, errNoKernel) {
			t.Errorf("connected with %v, want to hear that there is no kernel", err)
		}
		took := time.Since(began)
		test.GreaterEq(t, 3*time.Second, took)
		test.LessEq(t, 4*time.Second, took)
	})
}
