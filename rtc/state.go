package rtc

import "fmt"

// State is the state of a room. The state machine is:
//
//	Joining ──first SYNC2──▶ Synced ──connection lost──▶ Lost
//	   │                       ▲                          │ session is the same,
//	   │                       │ SYNC2 applied and        │ socket open again
//	   │                       │ our own edits sent       ▼
//	   │                       └────────────────────── CatchingUp ──▶ Lost
//	   │
//	   └──▶ Closed ◀── from every state: left, refused, or to be discarded
//
// A connection lost in Joining is made again, within Join's deadline. Edits are allowed in Synced, Lost and CatchingUp;
// they are sent when the room is Synced (again).
type State int

// The states of a room.
const (
	// Joining: the first synchronisation has not come yet; the replica is empty and must not be written.
	Joining State = iota
	// Synced: the replica follows the room.
	Synced
	// Lost: the connection broke; another one is being made.
	Lost
	// CatchingUp: connected again, waiting for the edits that we lack.
	CatchingUp
	// Closed: the end; Room.Err says why.
	Closed
)

// String names the state as messages and logs do.
func (s State) String() string {
	switch s {
	case Joining:
		return "joining"
	case Synced:
		return "synced"
	case Lost:
		return "lost"
	case CatchingUp:
		return "catching up"
	case Closed:
		return "closed"
	}
	return fmt.Sprintf("state %d", int(s))
}

// next lists the transitions that the machine allows.
var next = map[State][]State{
	Joining:    {Synced, Closed},
	Synced:     {Lost, Closed},
	Lost:       {CatchingUp, Closed},
	CatchingUp: {Synced, Lost, Closed},
}

// mayBecome reports whether the machine allows the step from s to to.
func (s State) mayBecome(to State) bool {
	for _, n := range next[s] {
		if n == to {
			return true
		}
	}
	return false
}
