package rtc

import "slices"

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
	// Joining: the first synchronisation is pending; the replica is empty and must not be written.
	Joining State = iota
	// Synced: the replica follows the room.
	Synced
	// Lost: the connection broke; another one is being made.
	Lost
	// CatchingUp: connected again, waiting for the edits that the replica lacks.
	CatchingUp
	// Closed: final; Room.Err returns the reason.
	Closed
)

var stateNames = [...]string{
	Joining: "joining", Synced: "synced", Lost: "lost", CatchingUp: "catching up", Closed: "closed",
}

// String returns the state's name in messages and logs.
func (s State) String() string { return stateNames[s] }

// next lists the transitions that the machine allows.
var next = map[State][]State{
	Joining:    {Synced, Closed},
	Synced:     {Lost, Closed},
	Lost:       {CatchingUp, Closed},
	CatchingUp: {Synced, Lost, Closed},
}

// mayBecome reports whether the machine allows the step from s to to.
func (s State) mayBecome(to State) bool { return slices.Contains(next[s], to) }
