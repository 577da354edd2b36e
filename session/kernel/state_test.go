package kernel

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// The state reported by the server is sometimes late; our own messages are up to date.
func TestCorrect(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		f.rest(StateBusy)
		c, s, req, r, out := f.start(quick())
		says := func(told, want string) {
			t.Helper()
			if got := c.Correct(told); got != want {
				t.Errorf("told %q it says %q, want %q", told, got, want)
			}
		}
		says(StateBusy, StateBusy) // another client's code may run
		says(StateIdle, StateIdle)
		s.status(StateBusy, req)
		s.send("iopub", "stream", req, map[string]any{"name": "stdout", "text": "x"})
		waitEvent(t, r, "stdout x")
		says(StateIdle, StateBusy)
		s.send("shell", "execute_reply", req, map[string]any{"status": "ok"})
		s.status(StateIdle, req)
		if err := await(t, "the request", out); err != nil {
			t.Fatal(err)
		}
		says(StateBusy, StateIdle)
		says(StateIdle, StateIdle)
		for _, told := range []string{StateStarting, StateRestarting, StateDead, StateUnknown, ""} {
			says(told, told)
		}
		// The code of other clients counts, too.
		theirs := incoming{rawHeader: []byte(`{"msg_id":"theirs"}`)}
		s.status(StateBusy, theirs)
		waitState(t, c, StateBusy)
		says(StateBusy, StateBusy)
		says(StateIdle, StateIdle)
		s.status(StateIdle, theirs)
		waitState(t, c, StateIdle)
		says(StateBusy, StateIdle)
		// Only the server knows requests that began while the connection was down.
		s.ws.Close()
		<-f.sockets
		says(StateBusy, StateBusy)
		says(StateIdle, StateIdle)
	})
}

// Code that was running before the connection was made is not over because another request is.
func TestStateOfWhatRanBefore(t *testing.T) {
	tr := newTracker(StateBusy)
	tr.status(StateBusy, "greeting")
	tr.status(StateIdle, "greeting")
	if tr.state != StateBusy {
		t.Errorf("after the greeting: %s", tr.state)
	}
	tr.status(StateIdle, "theirs")
	if tr.state != StateIdle {
		t.Errorf("after its end: %s", tr.state)
	}
	tr = newTracker(StateBusy) // the server's state, which is out of date
	tr.status(StateBusy, "ours")
	tr.status(StateIdle, "ours")
	tr.requestDone()
	if tr.state != StateIdle {
		t.Errorf("after a request of ours: %s", tr.state)
	}
}
