package rtc

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// Replica is a room's view of a shared document: its state, incoming and outgoing updates, and local edits. *ydoc.Doc
// implements it.
type Replica interface {
	// ClientID is the id of the replica's own edits and of its awareness state.
	ClientID() uint64
	// StateVector returns how much of each client's edits the replica has, in the encoding of y-protocols.
	StateVector() ([]byte, error)
	// Diff returns the update that a peer with that state vector lacks.
	Diff(stateVector []byte) ([]byte, error)
	// Apply applies an update from another client. It returns an error that matches ydoc.ErrPending if the update
	// depends on one that is missing.
	Apply(update []byte) error
	// ApplyDiff is Apply for the part of the room's state that the replica lacks.
	ApplyDiff(update []byte) error
	// ApplyState is Apply for the room's whole state.
	ApplyState(update []byte) error
	// OnUpdate sets the function that is called with the update of each local transaction, in order and under the
	// replica's lock; nil unsets it.
	OnUpdate(func(update []byte))
}

// Config describes a room to join. Server, Path, Format, Type and Replica are required.
type Config struct {
	Server  *jupyter.Server
	Path    jupyter.Path
	Format  string // "json" or "text"
	Type    string // "notebook" or "file"
	Replica Replica
	User    awareness.User // of the replica itself; zero shows no user, see also [Room.SetAppearance]
	Logger  *slog.Logger
	Limits  wire.Limits // zero: wire.DefaultLimits
	Timing  Timing      // zero fields: the defaults
	// Refusals is the number of times in a row that the server may close a connection before it sends anything,
	// although it answers requests. After that the room counts as not loadable. Zero means 3.
	Refusals int

	// Met is called with each person met in the room, and again when a person's name changes. It may be nil. It must
	// not block.
	Met func(Peer)

	// Heard is called whenever the room has sent something. It may be nil.
	Heard func()

	// IsPending reports whether a replica's error means that an update depends on a missing one.
	IsPending func(error) bool
}

// Timing holds the periods of a room. The defaults follow y-protocols and jupyter-collaboration's server.
type Timing struct {
	Join       time.Duration // deadline of Join (2 min: the server may take long to load a large file)
	Renew      time.Duration // interval of awareness announcements (12 s; peers drop a state after 30 s)
	Ping       time.Duration // websocket pings (5 s)
	Silence    time.Duration // time without a frame or pong after which the connection is dead (25 s)
	BackoffMin time.Duration // first pause before connecting again (100 ms)
	BackoffMax time.Duration // longest pause (5 s)
	GiveUp     time.Duration // how long to try to rejoin before the room is closed (2 min)
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
