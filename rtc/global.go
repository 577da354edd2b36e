package rtc

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"reflect"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// globalRoom is the room behind JupyterLab's collaborators panel. It has no document and needs no session.
const globalRoom = "JupyterLab:globalAwareness"

// Lobby shows the users we work for in the server's global awareness, so that the collaborators panel lists them and
// their open documents. Its errors are logged, and never fail an edit.
type Lobby struct {
	*company
	server *jupyter.Server
	log    *slog.Logger
	timing Timing
	out    *outbox
	cancel context.CancelFunc
	ctx    context.Context
	done   chan struct{}
	stir   chan struct{} // signals a change

	mu    sync.Mutex
	shown map[string]uint64 // the awareness ids by username
	all   map[uint64]lobbyState
}

// Visitor is a user we work for, as the collaborators panel shows them.
type Visitor struct {
	User awareness.User
	// Current is the document in front, "" for none. Documents are all open documents. Paths are those of the Contents
	// API.
	Current   string
	Documents []string
}

// lobbyState is a global awareness state in JupyterLab's format.
type lobbyState struct {
	User      awareness.User `json:"user"`
	Current   string         `json:"current,omitempty"`
	Documents []string       `json:"documents"`
	Agent     string         `json:"agent"`
}

// EnterLobby joins the server's global awareness in the background. It shows no user before [Lobby.Show]. met is
// called with each person met, see Config.Met; it may be nil.
func EnterLobby(server *jupyter.Server, met func(Peer), t Timing, log *slog.Logger) *Lobby {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	l := &Lobby{
		server: server, log: log, timing: t.withDefaults(), company: newCompany(uint64(rand.Uint32()), met),
		done: make(chan struct{}), stir: make(chan struct{}, 1), shown: map[string]uint64{}, all: map[uint64]lobbyState{},
	}
	l.out = newOutbox(l.table.Unsent)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	go l.run()
	return l
}

// Show replaces the shown users by the given ones. Each needs its own username.
func (l *Lobby) Show(visitors ...Visitor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	gone := maps.Clone(l.shown)
	for _, v := range visitors {
		id, known := l.shown[v.User.Username]
		if !known {
			id = uint64(rand.Uint32())
			l.shown[v.User.Username] = id
		}
		delete(gone, v.User.Username)
		st := lobbyState{User: v.User, Documents: append([]string{}, v.Documents...), Agent: agentName}
		if v.Current != "" {
			st.Current = "notebook:" + v.Current
		}
		if before, ok := l.all[id]; !ok || !reflect.DeepEqual(before, st) {
			l.all[id] = st
			l.put(id, st)
		}
	}
	for username, id := range gone {
		delete(l.shown, username)
		delete(l.all, id)
		l.put(id, nil)
	}
	nudge(l.stir)
}

// Leave removes all our users from the panel and closes the connection; the context bounds the last message.
func (l *Lobby) Leave(ctx context.Context) {
	if l.out.finish(wire.AppendAwareness(nil, l.table.Goodbye())) {
		select {
		case <-l.done:
		case <-ctx.Done():
		}
	}
	l.cancel()
	<-l.done
}

// announce announces all states again.
func (l *Lobby) announce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, st := range l.all {
		l.put(id, st)
	}
	l.out.announce()
}

func (l *Lobby) put(id uint64, state any) {
	if err := l.table.Put(id, state); err != nil {
		l.log.Warn("cannot announce presence", "error", err)
	}
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

// connect serves one connection; left reports that we closed it.
func (l *Lobby) connect() (left bool, err error) {
	ctx, stop := context.WithTimeout(l.ctx, l.timing.Join)
	defer stop()
	if l.out.leaving() {
		return true, nil
	}
	ws, err := l.server.Rooms.Dial(ctx, globalRoom, "")
	if err != nil {
		return false, fmt.Errorf("join global awareness: %w", err)
	}
	return l.serve(ws)
}

// serve serves one connection. The writer sets last instead of the named result, which a return may set while the
// writer still runs.
func (l *Lobby) serve(ws *websocket.Conn) (left bool, err error) {
	var last bool
	l.out.start()
	k := newLink(ws, l.timing, l.timing.silence, func() {}, func(ctx context.Context) ([][]byte, bool, bool) {
		for {
			if b := l.out.take(); !b.empty() {
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
	l.seenSince(time.Now())
	defer l.seenSince(time.Time{})
	if !l.out.leaving() {
		l.announce()
	}
	renew := time.NewTicker(l.timing.Renew)
	defer renew.Stop()
	stir := l.stir
	var due, rest <-chan time.Time
	for {
		select {
		case <-stir:
			stir, due = nil, time.After(updateWait)
		case <-due:
			l.out.announce()
			rest = time.After(updateRest)
		case <-rest:
			stir = l.stir
		case b, ok := <-k.in:
			if !ok {
				k.close() // the writer, which sets last, has ended
				return last, k.err
			}
			k.release(b)
			f, err := wire.ParseFrame(b, wire.DefaultLimits)
			if err != nil || f.Kind != wire.Awareness {
				continue
			}
			changed, err := l.table.Apply(f.Payload, time.Now())
			if err != nil {
				l.log.Warn("global awareness is malformed", "error", err)
			}
			if len(changed) > 0 {
				l.out.announce() // another client may have changed one of our states
				l.meet(changed)
			}
		case now := <-renew.C:
			l.table.Expire(now)
			l.announce()
		case <-l.ctx.Done():
			return false, l.ctx.Err()
		}
	}
}
