package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/tools/tool"
)

// An mcpSession is one MCP session and its client: over Streamable HTTP it begins with initialize, over HTTP with
// server-sent events it is an open stream.
type mcpSession struct {
	id      string // a secret of the client
	who     caller // the caller that began it
	stream  bool   // it lasts as long as its stream from /sse
	client  *tool.Client
	waiting chan mcp.JSONRPCNotification // for a stream

	// Guarded by sessions.mu.
	requests int
	streams  int
	last     time.Time // start or end of the last request
}

// sessions are the open MCP sessions, by id.
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
	errNoSession       = errors.New("unknown MCP session: it has ended, or belongs to another token; start a new one with initialize")
)

// room reports whether one more session may begin. At the limit, it removes the session that has been silent for longest:
// one of the caller's own, or of a caller with more sessions.
func (s *sessions) room(who caller) (gone *mcpSession, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byID) < s.lim.Clients {
		return nil, true
	}
	count := map[caller]int{}
	for _, sess := range s.byID {
		count[sess.who]++
	}
	for _, sess := range s.byID {
		switch {
		case sess.requests+sess.streams > 0 || sess.stream:
		case sess.who != who && count[sess.who] <= count[who]+1:
		case gone == nil || count[sess.who] > count[gone.who] || count[sess.who] == count[gone.who] && sess.last.Before(gone.last):
			gone = sess
		}
	}
	if gone == nil {
		return nil, false
	}
	delete(s.byID, gone.id)
	return gone, true
}

// count returns the number of Streamable HTTP sessions, and of streams of the older transport.
func (s *sessions) count() (sessions, streams int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.byID {
		if sess.stream {
			streams++
		} else {
			sessions++
		}
	}
	return sessions, streams
}

// open begins a session.
func (s *sessions) open(who caller, stream bool) *mcpSession {
	sess := &mcpSession{id: strings.ToLower(rand.Text()), who: who, stream: stream, client: s.clients.Enter(), waiting: make(chan mcp.JSONRPCNotification, maxWaiting), last: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[sess.id] = sess
	return sess
}

// find returns the session with that id if the caller began it, or nil.
func (s *sessions) find(id string, who caller, stream bool) *mcpSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sess := s.byID[id]; sess != nil && sess.who == who && sess.stream == stream {
		return sess
	}
	return nil
}

// A part is a kind of request in a session.
type part int

const (
	aRequest part = iota
	aNotice       // answered at once; it may cancel a request
	aStream       // of the server's own messages
)

// begin counts a part of a session until end is called.
func (s *sessions) begin(sess *mcpSession, what part) (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	count, most := &sess.requests, s.lim.PerClient
	switch what {
	case aNotice:
		most *= 2 // so that a client with the most open requests can still cancel
	case aStream:
		count, most = &sess.streams, s.lim.Streams
	}
	switch {
	case s.byID[sess.id] != sess:
		return nil, errNoSession
	case *count >= most:
		return nil, errSessionBusy
	}
	*count++
	sess.last = time.Now()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		*count--
		sess.last = time.Now()
	}, nil
}

// listens reports whether a stream of the session is open.
func (s *sessions) listens(sess *mcpSession) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sess.streams > 0
}

// remove removes a session and returns it, or nil.
func (s *sessions) remove(id string) *mcpSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.byID[id]
	delete(s.byID, id)
	return sess
}

// silent removes the sessions that have no open requests and have been silent for the timeout; next is when the next one may
// be due.
func (s *sessions) silent(timeout time.Duration, now time.Time) (gone []*mcpSession, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next = now.Add(timeout)
	for id, sess := range s.byID {
		ends := sess.last.Add(timeout)
		switch {
		case sess.requests+sess.streams > 0 || sess.stream:
		case !ends.After(now):
			gone = append(gone, sess)
			delete(s.byID, id)
		case ends.Before(next):
			next = ends
		}
	}
	return gone, next
}

// cancelAll cancels the calls and streams of all sessions.
func (s *sessions) cancelAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.byID {
		sess.client.Dismiss()
	}
}

// sweep calls end for each session that has been silent for the timeout, until ctx ends.
func (s *sessions) sweep(ctx context.Context, timeout time.Duration, end func(*mcpSession)) {
	for {
		gone, next := s.silent(timeout, time.Now())
		for _, sess := range gone {
			end(sess)
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

// maxWaiting bounds the notifications of a session that wait for a stream.
const maxWaiting = 100

// Notify queues a notification for the session's next free stream. It implements tool.Notifier.
func (sess *mcpSession) Notify(n mcp.JSONRPCNotification) bool {
	select {
	case sess.waiting <- n:
		return true
	default:
		return false
	}
}

// pass sends the queued notifications before an answer, for a client without an open stream.
func (sess *mcpSession) pass(w *writer) {
	for {
		select {
		case n := <-sess.waiting:
			if !w.Notify(n) {
				sess.Notify(n)
				return
			}
		default:
			return
		}
	}
}
