package kernel

import "cmp"

// The states of a kernel, as [Conn.Correct] returns them. StateUnknown is the state after a lost connection.
const (
	StateUnknown    = "unknown"
	StateStarting   = "starting"
	StateIdle       = "idle"
	StateBusy       = "busy"
	StateRestarting = "restarting"
	StateDead       = "dead"
)

// maxBusy bounds the requests that are remembered as running.
const maxBusy = 1024

// tracker follows the kernel's state through the status messages of all clients' requests. A kernel answers small requests
// on its control channel while it runs code, so it is idle only when every request that made it busy is done.
type tracker struct {
	state string
	busy  map[string]bool // by the request's id
	// ended reports that the kernel has announced its shutdown: only a start resets it, not the idle status that follows
	// the announcement.
	ended bool
	// sure reports that the kernel has finished one of our requests since the last gap: it runs requests in order, so
	// nothing unknown is running.
	sure bool
}

// silentState is the key in tracker.busy of a request that the kernel was running before we connected.
const silentState = "unheard"

func newTracker(state string) tracker {
	state = cmp.Or(state, StateUnknown)
	t := tracker{state: state, busy: map[string]bool{}}
	if state == StateBusy {
		t.busy[silentState] = true
	}
	return t
}

// status handles one status message.
func (t *tracker) status(state, parent string) {
	switch state {
	case StateBusy:
		if len(t.busy) >= maxBusy {
			clear(t.busy)
		}
		t.busy[parent] = true
		t.state, t.ended = StateBusy, false
	case StateIdle:
		if !t.busy[parent] {
			parent = silentState
		}
		delete(t.busy, parent)
		if len(t.busy) == 0 && !t.ended {
			t.state = StateIdle
		}
	case StateStarting, StateRestarting, StateDead:
		clear(t.busy)
		t.state, t.ended, t.sure = state, state == StateDead, false
	}
}

// requestDone notes that the kernel has finished one of our requests.
func (t *tracker) requestDone() {
	delete(t.busy, silentState)
	t.sure = true
	if t.state == StateBusy && len(t.busy) == 0 {
		t.state = StateIdle
	}
}

// shutdown handles the kernel's shutdown_reply.
func (t *tracker) shutdown(restart bool) {
	clear(t.busy)
	t.ended, t.sure = true, false
	t.state = StateDead
	if restart {
		t.state = StateRestarting
	}
}

// occupied reports whether the kernel is running another request than beside.
func (t *tracker) occupied(beside string) bool {
	return len(t.busy) > 1 || len(t.busy) == 1 && !t.busy[beside]
}

// gap resets the state that may have changed while the connection was lost.
func (t *tracker) gap() {
	clear(t.busy)
	t.state, t.ended, t.sure = StateUnknown, false, false
}
