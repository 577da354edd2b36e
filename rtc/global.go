package rtc

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// globalRoom is the room that JupyterLab's panel of collaborators shows. It has no document and needs no session.
const globalRoom = "JupyterLab:globalAwareness"

// Lobby keeps us in the server's global awareness, so that the panel of collaborators shows the agent and the documents
// it has open. Its errors are logged, and never fail an edit.
type Lobby struct {
	*others
	server *jupyter.Server
	user   awareness.User
	log    *slog.Logger
	timing Timing
	out    *outbox
	cancel context.CancelFunc
	ctx    context.Context
	done   chan struct{}

	mu      sync.Mutex
	current string
	docs    []string
}

// lobbyState is JupyterLab's shape of a global awareness state.
type lobbyState struct {
	User      awareness.User `json:"user"`
	Current   string         `json:"current,omitempty"`
	Documents []string       `json:"documents"`
	Agent     string         `json:"agent"`
}

// EnterLobby starts to announce user on the server, in the background.
func EnterLobby(server *jupyter.Server, user awareness.User, t Timing, log *slog.Logger) *Lobby {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l := &Lobby{
		server: server, user: user, log: log, timing: t.withDefaults(),
		others: &others{table: awareness.NewTable(uint64(rand.Uint32()))}, out: newOutbox(), done: make(chan struct{}),
		docs: []string{},
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	go l.run()
	return l
}

// Show announces our open documents, and the current one ("" for none). Paths are the Contents API's.
func (l *Lobby) Show(current string, docs []string) {
	l.mu.Lock()
	l.current = ""
	if current != "" {
		l.current = "notebook:" + current
	}
	l.docs = append([]string{}, docs...)
	l.mu.Unlock()
	l.announce()
}

// Leave takes us out of the panel and closes the connection; the context bounds the last message.
func (l *Lobby) Leave(ctx context.Context) {
	var bye []byte
	if update, err := l.table.SetLocal(nil); err == nil {
		bye = wire.AppendAwareness(nil, update)
	}
	if l.out.finish(bye) {
		select {
		case <-l.done:
		case <-ctx.Done():
		}
	}
	l.cancel()
	<-l.done
}

func (l *Lobby) announce() {
	l.mu.Lock()
	st := lobbyState{User: l.user, Current: l.current, Documents: l.docs, Agent: agentName}
	l.mu.Unlock()
	update, err := l.table.SetLocal(st)
	if err != nil {
		l.log.Warn("cannot announce our presence", "error", err)
		return
	}
	l.out.setAwareness(wire.AppendAwareness(nil, update))
}

func (l *Lobby) run() {
	defer close(l.done)
	pause := l.timing.BackoffMin
	for l.ctx.Err() == nil {
		began := time.Now()
		left, err := l.connect()
		if left || l.ctx.Err() != nil {
			return
		}
		l.log.Debug("global awareness lost", "error", err)
		if time.Since(began) > l.timing.Silence {
			pause = l.timing.BackoffMin
		}
		select {
		case <-l.ctx.Done():
		case <-time.After(pause/2 + rand.N(pause/2+1)):
		}
		pause = min(2*pause, l.timing.BackoffMax)
	}
}

// connect serves one connection; left says that we ended it ourselves.
func (l *Lobby) connect() (left bool, err error) {
	ctx, stop := context.WithTimeout(l.ctx, l.timing.Join)
	defer stop()
	if l.out.leaving() {
		return true, nil
	}
	ws, err := l.server.DialRoom(ctx, globalRoom, "")
	if err != nil {
		return false, fmt.Errorf("join global awareness: %w", err)
	}
	return l.serve(ws)
}

// serve keeps one connection going. The writer sets last, and not the named result, which a return may set while the
// writer still runs.
func (l *Lobby) serve(ws *websocket.Conn) (left bool, err error) {
	var last bool
	l.out.start()
	k := newLink(ws, l.timing, l.timing.silence, func() {}, func(ctx context.Context) ([][]byte, bool, bool) {
		for {
			b := l.out.take()
			if !b.empty() {
				last = b.last
				return b.frames, b.last, true
			}
			select {
			case <-l.out.wake:
			case <-ctx.Done():
				return nil, false, false
			}
		}
	})
	defer l.out.shut()
	defer k.close()
	l.heardSince(time.Now())
	defer l.heardSince(time.Time{})
	if !l.out.leaving() {
		l.announce()
	}
	renew := time.NewTicker(l.timing.Renew)
	defer renew.Stop()
	for {
		select {
		case b, ok := <-k.in:
			if !ok {
				k.close() // the writer, who sets last, has ended
				return last, k.err
			}
			k.release(b)
			f, err := wire.ParseFrame(b, wire.DefaultLimits)
			if err != nil || f.Kind != wire.Awareness {
				continue
			}
			if _, err := l.table.Apply(f.Payload, time.Now()); err != nil {
				l.log.Warn("global awareness is malformed", "error", err)
			}
		case now := <-renew.C:
			l.table.Expire(now)
			l.out.setAwareness(wire.AppendAwareness(nil, l.table.Renew()))
		case <-l.ctx.Done():
			return false, l.ctx.Err()
		}
	}
}
