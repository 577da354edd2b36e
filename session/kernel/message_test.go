package kernel

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A request that the server sends under our session, with its own count, does not end our requests.
func TestServersOwnRequests(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		conn, s, request, events, out := f.start(quick())
		for _, n := range []string{"1", "2", "3", "4"} {
			theirs := incoming{rawHeader: []byte(`{"msg_id":"` + conn.ids.session + "_" + n + `"}`)}
			s.status(StateBusy, theirs)
			s.status(StateIdle, theirs)
		}
		s.status(StateBusy, request)
		s.send("shell", "execute_reply", request, map[string]any{"status": "ok"})
		s.send("iopub", "stream", request, map[string]any{"name": "stdout", "text": "late"})
		s.status(StateIdle, request)
		if err := await(t, "the request", out); err != nil {
			t.Error(err)
		}
		if printed := events.text(); printed != "late" {
			t.Errorf("it has printed %q", printed)
		}
	})
}
