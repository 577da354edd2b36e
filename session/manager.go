package session

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/waitbudget"
	"github.com/nbduet/nbduet/session/collab/globalawareness"
	"github.com/nbduet/nbduet/session/collab/lease"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/document/refusedrooms"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
)

// DefaultIdleTimeout is how long a document stays open without use (the tools' contract says five minutes).
const DefaultIdleTimeout = 5 * time.Minute

// DefaultMaxRooms is how many documents may be open before the longest idle one is evicted early.
const DefaultMaxRooms = 100

// DefaultServerTimeout is how long a call waits for a Jupyter server that does not answer.
const DefaultServerTimeout = 10 * time.Second

// leaveTimeout bounds leaving one room: the last edits, the save, the disconnect and, after the last room, leaving the
// lobby.
const leaveTimeout = 4 * time.Second

// remembered is how many ended sessions are kept for Manager.Sessions.
const remembered = 256

// Config configures a Manager; Server is required.
type Config struct {
	Server      *jupyter.Server // for documents
	Runtime     *jupyter.Server // for kernels; nil: Server
	IdleTimeout time.Duration   // 0: DefaultIdleTimeout
	MaxRooms    int             // 0: DefaultMaxRooms
	AgentName   string          // the name that people see for all clients; "": each has its own
	// ServerTimeout is how long a call waits for a server that does not answer, see Patient; 0: DefaultServerTimeout.
	ServerTimeout time.Duration
	// InputTimeout is how long to wait for a person's input; 0: run.DefaultInputTimeout.
	InputTimeout time.Duration
	FixedKernel  kernel.Fixed
	Runs         run.Ledger // stores the data to take up runs; nil: a ledger that ends with the process
	Journal      Journal    // keeps the steps of clients and snapshots; nil: they end with the document
	Timing       rtc.Timing // of the rooms; zero fields: rtc's defaults
	Logger       *slog.Logger
}

// A Journal keeps the records of notebooks longer than documents.
type Journal interface {
	undo.Journal
	// Snapshots returns the snapshots of a notebook. It does not call in at once.
	Snapshots(in func() undo.Place) changelog.Snapshots
}

// ErrClosed is returned by a closed manager.
var ErrClosed = textfmt.Fixed("the server is shutting down")

// Manager holds the open documents of one Jupyter server; their kernels may be on another. Make it with [New], end it
// with [Manager.Close].
type Manager struct {
	// Mentions are the calls of agents by name in notebooks and chats.
	Mentions *mentions.Book
	// Leases ensure that of several processes one delivers each mention.
	Leases *lease.Leases
	// Presence is the clients and people that are present.
	Presence *Presence
	// Refused are the files whose rooms the server could not make.
	Refused refusedrooms.Book

	cfg     Config
	log     *slog.Logger
	join    joinFunc
	janitor janitor
	joins   joiner
	tabs    tabs

	silent filesync.Silence // whether the server answers requests to save
	ctx    context.Context  // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	open    map[jupyter.Path]*entry
	ended   *lru.Cache[jupyter.Path, Info]
	runs    *run.Table
	owners  kernel.Owners // of kernels without a notebook
	servers *kernel.Servers
	fixed   *kernel.FixedKernel
	redact  func(string) string
	memory  *readset.Memory               // what clients were shown
	steps   undo.Keeper                   // the edits of clients, for undo
	changes changelog.Total               // the size of the change logs
	closers []func(context.Context) error // see OnClose
	// observers receive the events of documents.
	observers observers
}

// Presence is the clients of this program as people see them, and the people on the server. It is safe for concurrent use.
type Presence struct {
	m       *Manager
	clients *presence.Clients
	lobby   *globalawareness.Keeper
	waits   atomic.Uint64 // see Waiting
}

// A joiner joins rooms of a real server.
type joiner struct {
	server  *jupyter.Server
	refused *refusedrooms.Book
	first   firstJoin
	met     func(rtc.Peer) // called for each person
	timing  rtc.Timing
	log     *slog.Logger
}

// A janitor evicts documents that have been idle for long enough, and the longest idle ones if too many are open.
type janitor struct {
	m    *Manager
	wake chan struct{} // the next expiry may have changed
}

// nudge wakes the janitor.
func (j janitor) nudge() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// joinFunc joins the room of a path, with an empty replica, at most tries times if the server cannot make it. heard, which
// may be nil, is called whenever the room sends a message.
type joinFunc func(ctx context.Context, path jupyter.Path, k kind, tries int, heard func()) (*live, error)

// entry is an entry in the map of open documents: the document is being joined, open, or being left.
type entry struct {
	path  jupyter.Path
	kind  kind
	ready chan struct{} // closed when doc or err is set
	doc   *Document
	err   error
	gone  chan struct{} // closed when the room has been left
	left  error         // the error of leaving
	going bool          // under Manager.mu: being left
	waitbudget.Opening
}

// IdleTimeout returns how long a document stays open without use.
func (m *Manager) IdleTimeout() time.Duration { return m.cfg.IdleTimeout }

// Log returns the logger of the manager and the packages that use it.
func (m *Manager) Log() *slog.Logger { return m.log }

// WithBudget returns a context for one call. In total, the call waits for the Jupyter server at most Config.ServerTimeout, and
// an edit that cannot be sent to the room is not made. Once a call has waited for about that long in vain, later calls only
// check whether the server is back, until it is. tell, which may be nil, is called about once a second during a long wait.
// Without WithBudget, documents wait until their context ends, as work without a caller should.
func (m *Manager) WithBudget(ctx context.Context, tell func(message string)) context.Context {
	if tell == nil {
		tell = func(string) {}
	}
	return waitbudget.New(m.cfg.Server, m.cfg.ServerTimeout, tell).With(ctx)
}

// Go runs f in a goroutine of the manager, for work on documents that no call waits for. Its context ends when Close
// has left all rooms, which ends their runs; Close waits for it. Go reports false, and does not run f, if the manager
// is already closed.
func (m *Manager) Go(f func(context.Context)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.wg.Go(func() { f(m.ctx) })
	return true
}
