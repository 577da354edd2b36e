package kernel

// The states of a kernel, as [Conn.Correct] tells them. StateUnknown is that after a lost connection.
const (
	StateUnknown    = "unknown"
	StateStarting   = "starting"
	StateIdle       = "idle"
	StateBusy       = "busy"
	StateRestarting = "restarting"
	StateDead       = "dead"
)

// maxBusy bounds the requests that are remembered as being worked on.
const maxBusy = 1024

// tracker follows the kernel's state through the status messages of everybody's requests. A kernel answers small
// requests on its control channel while it runs code, so it is idle only when every request that made it busy is done.
type tracker struct {
	state string
	busy  map[string]bool // by the request's id
	// ended tells that the kernel has said that it shuts down: only a start takes that back, not the idle that
	// follows the farewell.
	ended bool
	// sure tells that the kernel has been through with a request of ours since it was last lost sight of: it takes one
	// after the other, so that nothing is at work that was not heard of.
	sure bool
}

// unheard stands in tracker.busy for a request that the kernel was at before it was listened to.
const unheard = "unheard"

func newTracker(state string) tracker {
	if state == "" {
		state = StateUnknown
	}
	t := tracker{state: state, busy: map[string]bool{}}
	if state == StateBusy {
		t.busy[unheard] = true
	}
	return t
}

// status takes in one status message.
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
			parent = unheard
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

// requestDone notes that the kernel is through with a request of ours.
func (t *tracker) requestDone() {
	delete(t.busy, unheard)
	t.sure = true
	if t.state == StateBusy && len(t.busy) == 0 {
		t.state = StateIdle
	}
}

// shutdown takes in the kernel's farewell.
func (t *tracker) shutdown(restart bool) {
	clear(t.busy)
	t.ended, t.sure = true, false
	t.state = StateDead
	if restart {
		t.state = StateRestarting
	}
}

// gap forgets what may have changed unseen.
func (t *tracker) gap() {
	clear(t.busy)
	t.state, t.ended, t.sure = StateUnknown, false, false
}
