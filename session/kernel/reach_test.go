package kernel

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// Code that an idle kernel was sent as it shut down has not reached it: it can be sent to another one. Code that the
// kernel has begun all the same, or that waited there for other code, is lost with it.
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
			synctest.Wait() // all that it said has been read
			f.rest("")
			s.ws.Close()
			err := await(t, "the request", out)
			if !errors.Is(err, ErrShutDown) {
				t.Errorf("%s: %v, want ErrShutDown", c.name, err)
			}
			if got := !errors.Is(err, ErrNotReached); got != c.reached {
				t.Errorf("%s: reached %t, want %t: %v", c.name, got, c.reached, err)
			}
			if _, err := conn.Execute(testContext(t), Request{Code: "1"}, nil); !errors.Is(err, ErrNotReached) || !errors.Is(err, ErrShutDown) {
				t.Errorf("%s: sent after it: %v, want ErrShutDown and ErrNotReached", c.name, err)
			}
		})
	}
}
