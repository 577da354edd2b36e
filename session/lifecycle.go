package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/collab/globalawareness"
	"github.com/nbduet/nbduet/session/collab/lease"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/listcache"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// New returns a manager, which makes no request until a document is opened.
func New(cfg Config) *Manager {
	cfg.IdleTimeout = cmp.Or(max(cfg.IdleTimeout, 0), DefaultIdleTimeout)
	cfg.MaxRooms = cmp.Or(max(cfg.MaxRooms, 0), DefaultMaxRooms)
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	m := newManager(cfg)
	m.join = again(m.joins.joinRoom)
	m.Presence.lobby = globalawareness.New(func() globalawareness.Lobby {
		return rtc.EnterLobby(cfg.Server, m.Presence.met, cfg.Timing, cfg.Logger)
	})
	m.start()
	return m
}

// newManager returns a manager that is not started and cannot join rooms yet.
func newManager(cfg Config) *Manager {
	cfg.ServerTimeout = cmp.Or(max(cfg.ServerTimeout, 0), DefaultServerTimeout)
	cfg.Runtime = cmp.Or(cfg.Runtime, cfg.Server)
	m := &Manager{
		cfg:   cfg,
		log:   cfg.Logger,
		open:  make(map[jupyter.Path]*entry),
		ended: lo.Must(lru.New[jupyter.Path, Info](remembered)),

		fixed:   kernel.NewFixed(cfg.FixedKernel),
		servers: &kernel.Servers{Documents: cfg.Server, Runtime: cfg.Runtime},
		redact:  jupyter.Redactor(cfg.Server, cfg.Runtime),
		memory:  readset.NewMemory(),
	}
	m.Presence = &Presence{m: m, clients: presence.New(cfg.AgentName)}
	m.janitor = janitor{m, make(chan struct{}, 1)}
	m.joins = joiner{server: cfg.Server, refused: &m.Refused, met: m.Presence.met, timing: cfg.Timing, log: cfg.Logger}
	m.Mentions = mentions.NewBook(func() []mentions.Name { return callable(m) })
	m.Leases = lease.New(m.Presence.clients.Username(), m.Mentions)
	m.Leases.In(func(call mentions.Mention) (lease.Place, bool) { return placeOf(m, call) })
	m.steps.Beside, m.steps.Journal = m.changes.Bytes, cfg.Journal
	table := run.TableConfig{
		InputTimeout: cfg.InputTimeout, Log: m.log, Ledger: cfg.Runs,
		Tell: func(r *run.Run) { m.Presence.goesOn(r); m.tell(Event{Kind: Ran, Run: r}) },
		Asks: func(r *run.Run) { m.Presence.goesOn(r) },
	}
	if cfg.Runtime != nil { // nil in tests, which join no rooms
		table.Changing = cfg.Runtime.Changes.Begin
		m.servers.Lists = listcache.New(cfg.Server, cfg.Runtime)
	}
	m.runs = run.NewTable(table)
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m
}

func (m *Manager) start() {
	m.wg.Go(m.janitor.run)
	m.wg.Go(func() { m.Mentions.Run(m.ctx) })
	m.wg.Go(func() { m.Leases.Run(m.ctx) })
}

// callable returns the names of the clients of this program: each client's own, and the program's for all of them.
func callable(m *Manager) []mentions.Name {
	names := []mentions.Name{{Text: "Duet"}, {Text: "nbduet"}}
	for _, f := range m.Presence.clients.All() {
		names = append(names, mentions.Name{Text: f.Name, Client: f.Client})
		if short, marked := strings.CutSuffix(f.Name, " "+awareness.AIMark); marked {
			names = append(names, mentions.Name{Text: short, Client: f.Client})
		}
	}
	return names
}

// ChatConfig returns the configuration of the chats of a manager's server. Their rooms are joined like those of documents,
// but as the user Duet that chats list. Tabs also offer the users in the room for mentions: a different username with this
// name would replace Duet there, and be mentioned instead.
func ChatConfig(m *Manager) chat.Config {
	return chat.Config{Server: m.cfg.Server, User: presence.Duet(), Timing: m.cfg.Timing, Logger: m.log, Idle: m.cfg.IdleTimeout, Alone: m.joins.first.enter}
}

// Close leaves all rooms at once, each with a last save, and waits until everything that the manager started has ended.
// The context bounds leaving.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	all := slices.Collect(maps.Values(m.open))
	closers := m.closers
	m.mu.Unlock()

	errs := make([]error, len(closers)+len(all))
	var leaving sync.WaitGroup
	for i, end := range closers {
		leaving.Go(func() { errs[i] = end(ctx) })
	}
	for i, e := range all {
		leaving.Go(func() { errs[len(closers)+i] = m.putAway(ctx, e, "the server was shut down") })
	}
	leaving.Wait()
	m.Presence.lobby.Close(ctx)
	m.cancel()
	m.wg.Wait()
	m.runs.Close()
	return errors.Join(errs...)
}

// OnClose makes Close call end, while it leaves the rooms, and wait for it: end stops users of the documents, such as
// analysis sessions. If the manager is already closed, OnClose calls end at once.
func (m *Manager) OnClose(end func(context.Context) error) {
	m.mu.Lock()
	closed := m.closed
	if !closed {
		m.closers = append(m.closers, end)
	}
	m.mu.Unlock()
	if closed {
		_ = end(m.ctx) // nothing was begun that could fail to end
	}
}

// RunTable returns the table of runs.
func (m *Manager) RunTable() *run.Table { return m.runs }

// Servers returns the servers of the documents and the kernels.
func (m *Manager) Servers() *kernel.Servers { return m.servers }

// Fixed returns the kernel that a notebook is tied to.
func (m *Manager) Fixed() *kernel.FixedKernel { return m.fixed }

// Redact removes the servers' tokens from a text.
func (m *Manager) Redact(text string) string { return m.redact(text) }
