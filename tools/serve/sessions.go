package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/tools/tool"
)

// A mcpSession is a client that has an MCP session: over Streamable HTTP one that has sent initialize, over HTTP with
// server-sent events an open stream.
type mcpSession struct {
	id     string // the session's, which is a secret of the client's
	who    caller // by whom it was begun
	stream bool   // it is there as long as its stream from /sse
	client *tool.Client

	// Guarded by guests.mu.
	requests int
	streams  int
	last     time.Time // when it was last heard of
}

// sessions finds guests by their sessions.
type sessions struct {
	clients *tool.Clients
	lim     Limits

	mu   sync.Mutex
	byID map[string]*mcpSession
}

func newSessions(clients *tool.Clients, lim Limits) *sessions {
	return &sessions{clients: clients, lim: lim, byID: map[string]*mcpSession{}}
}

var (
	errTooManySessions = errors.New("too many MCP sessions are open: try again later")
	errSessionBusy     = errors.New("this MCP session has too many requests open: wait for answers")
	errNoSession       = errors.New("there is no such MCP session: it has ended, or was begun by somebody with another token; initialize begins a new one")
)

// full tells whether no more guests may come.
func (g *sessions) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.byID) >= g.lim.Clients
}

// count tells how many there are: with an MCP session over Streamable HTTP, and with a stream of the older transport.
func (g *sessions) count() (sessions, streams int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range g.byID {
		if n.stream {
			streams++
		} else {
			sessions++
		}
	}
	return sessions, streams
}

// open makes a guest.
func (g *sessions) open(who caller, stream bool) *mcpSession {
	n := &mcpSession{id: strings.ToLower(rand.Text()), who: who, stream: stream, client: g.clients.Enter(), last: time.Now()}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.byID[n.id] = n
	return n
}

// find finds the guest with a session's id, for who has begun it.
func (g *sessions) find(id string, who caller, stream bool) *mcpSession {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.byID[id]; n != nil && n.who == who && n.stream == stream {
		return n
	}
	return nil
}

// begin counts a request, or a stream, of a guest's, until end is called.
func (g *sessions) begin(n *mcpSession, stream bool) (end func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	count, most := &n.requests, g.lim.PerClient
	if stream {
		count, most = &n.streams, g.lim.Streams
	}
	switch {
	case g.byID[n.id] != n:
		return nil, errNoSession
	case *count >= most:
		return nil, errSessionBusy
	}
	*count++
	n.last = time.Now()
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		*count--
		n.last = time.Now()
	}, nil
}

// remove takes a guest out; nil where there is none.
func (g *sessions) remove(id string) *mcpSession {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.byID[id]
	delete(g.byID, id)
	return n
}

// silent takes out the guests of whom nothing was heard for as long as timeout, and who have nothing open; next is when
// there may be one more.
func (g *sessions) silent(timeout time.Duration, now time.Time) (gone []*mcpSession, next time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	next = now.Add(timeout)
	for id, n := range g.byID {
		ends := n.last.Add(timeout)
		switch {
		case n.requests+n.streams > 0 || n.stream:
		case !ends.After(now):
			gone = append(gone, n)
			delete(g.byID, id)
		case ends.Before(next):
			next = ends
		}
	}
	return gone, next
}

// cancelAll ends the calls and streams of all guests.
func (g *sessions) cancelAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range g.byID {
		n.client.Dismiss()
	}
}

// sweep calls end for each guest that has been silent for as long as timeout, until ctx ends.
func (g *sessions) sweep(ctx context.Context, timeout time.Duration, end func(*mcpSession)) {
	for {
		gone, next := g.silent(timeout, time.Now())
		for _, n := range gone {
			end(n)
		}
		wait := time.NewTimer(max(time.Until(next), time.Millisecond))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
	}
}
