package rtc

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// Replica is what a room needs of a shared document: its state, updates in and out, and each edit made here. *ydoc.Doc
// is one.
type Replica interface {
	// ClientID is the id under which the replica's own edits and its awareness are known to the others.
	ClientID() uint64
	// StateVector says how much of each client's edits the replica has, as y-protocols encodes it.
	StateVector() ([]byte, error)
	// Diff is the update that a peer with that state vector lacks.
	Diff(stateVector []byte) ([]byte, error)
	// Apply takes an update of others, as the room passes it on. It returns an error that matches ydoc.ErrPending when the update depends on one
	// that has not come.
	Apply(update []byte) error
	// ApplyDiff is Apply for what the room has and the replica lacks.
	ApplyDiff(update []byte) error
	// ApplyState is Apply for all that the room has.
	ApplyState(update []byte) error
	// OnUpdate sets the function that is called with the update of each local transaction, in order and under the
	// replica's lock; nil unsets it.
	OnUpdate(func(update []byte))
}

// Config says which room to join, and how. Server, Path, Format, Type and Replica are required.
type Config struct {
	Server  *jupyter.Server
	Path    jupyter.Path
	Format  string // "json" or "text"
	Type    string // "notebook" or "file"
	Replica Replica
	User    awareness.User // that the replica itself is, nobody if zero, see also [Room.SetFace]
	Logger  *slog.Logger
	Limits  wire.Limits // zero: wire.DefaultLimits
	Timing  Timing      // zero fields: the defaults
	// Refusals is how often in a row the server may close a connection before it sends anything, although it answers
	// requests: then it cannot make the room. Zero means 3.
	Refusals int

	// Met is called with each person who is met in the room, and when they have another name; nil for nobody. It must not
	// block.
	Met func(Peer)

	// Heard is called whenever the room has sent something; nil for nobody.
	Heard func()

	// IsPending reports whether a replica's error says that an update depends on a missing one.
	IsPending func(error) bool
}

// Timing holds the periods of a room. The defaults follow y-protocols and what jupyter-collaboration's server does.
type Timing struct {
	Join       time.Duration // a join's own deadline (2 min: the server may load a large file for long)
	Renew      time.Duration // awareness is announced again (12 s; others forget us after 30 s)
	Ping       time.Duration // websocket pings (5 s)
	Silence    time.Duration // without a frame or pong, after which the connection is dead (25 s)
	BackoffMin time.Duration // first pause before connecting again (100 ms)
	BackoffMax time.Duration // longest pause (5 s)
	GiveUp     time.Duration // of trying to join again, after which the room is closed (2 min)
}

func (t Timing) withDefaults() Timing {
	t.Join = cmp.Or(max(t.Join, 0), 2*time.Minute)
	t.Renew = cmp.Or(max(t.Renew, 0), 12*time.Second)
	t.Ping = cmp.Or(max(t.Ping, 0), 5*time.Second)
	t.Silence = cmp.Or(max(t.Silence, 0), 25*time.Second)
	t.BackoffMin = cmp.Or(max(t.BackoffMin, 0), 100*time.Millisecond)
	t.BackoffMax = cmp.Or(max(t.BackoffMax, 0), 5*time.Second)
	t.GiveUp = cmp.Or(max(t.GiveUp, 0), 2*time.Minute)
	return t
}

func (t Timing) silence() time.Duration { return t.Silence }
