package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/nbduet/nbduet/tools/serve/socket"
)

// socketPath is the path for WebSocket connections. Each is an MCP session, like a stream from /sse.
const socketPath = "/mcp/ws"

// sockets are the open WebSocket connections, which net/http no longer tracks.
type sockets struct {
	s *Server

	mu     sync.Mutex
	closed bool
	open   sync.WaitGroup
}

// enter counts a connection, unless the server ends.
func (o *sockets) enter() (leave func(), ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, false
	}
	o.open.Add(1)
	return o.open.Done, true
}

// close stops accepting connections. The channel is closed when the open ones have ended.
func (o *sockets) close() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		o.open.Wait()
	}()
	return ended
}

// serve opens a connection, and serves it until it ends.
func (o *sockets) serve(w http.ResponseWriter, r *http.Request) {
	s, who := o.s, callerIn(r.Context())
	var refused *socket.Refusal
	if errors.As(socket.Check(r), &refused) {
		if refused.Status == http.StatusUpgradeRequired {
			w.Header().Set("Upgrade", "websocket")
		}
		Refuse(w, refused.Status, refused.Message)
		return
	}
	leave, ok := o.enter()
	if !ok || !s.makeRoom(who) {
		if ok {
			leave()
		}
		busy(w, http.StatusServiceUnavailable, errTooManySessions.Error())
		return
	}
	defer leave()
	conn, err := socket.Upgrade(w, r)
	if errors.As(err, &refused) {
		Refuse(w, refused.Status, refused.Message)
		return
	}
	if err != nil {
		return // the client has disconnected
	}
	defer conn.Close()
	sess := s.sessions.open(who, true)
	defer s.endClient(sess.client)
	defer s.sessions.remove(sess.id)
	defer context.AfterFunc(s.ctx, sess.client.Dismiss)()
	asked := r // the token in its header authorizes the messages, too
	s.inSession(w, r, sess, aStream, func(r *http.Request, sess *mcpSession) {
		conn.Serve(r.Context(), o.config(asked, sess))
	})
}

// known returns an error if the sender of a request is no longer authorized; wait means that it may be again later.
func (o *sockets) known(r *http.Request, who caller) (wait bool, err error) {
	now, err := o.s.identify(r)
	var d *denial
	switch {
	case errors.As(err, &d):
		return d.status == http.StatusServiceUnavailable, d
	case now != who:
		return false, errors.New("the token's owner has changed")
	}
	return false, nil
}

// config returns the configuration of a session's connection.
func (o *sockets) config(asked *http.Request, sess *mcpSession) socket.Config {
	s, lim := o.s, o.s.cfg.Limits
	return socket.Config{
		MCP: s.cfg.MCP, Calls: &s.cfg.Clients.Calls, IDs: s.ids, Session: sess.id, Log: s.log, Served: s.trimmer.Served,
		Limits: socket.Limits{
			Message: lim.Body, MessageTime: lim.BodyTime, Unread: lim.Unread, WriteTime: lim.WriteTime,
			Quiet: lim.QuietTime, Lost: lim.LostTime, Linger: time.Second, Drain: lim.DrainTime / 4, // for three steps
		},
		Known: func() (wait bool, err error) { return o.known(asked, sess.who) },
		Admit: func() (end func(), why string) {
			done, err := s.sessions.begin(sess, aRequest)
			if err != nil {
				return nil, err.Error()
			}
			served, short := s.requests.take(sess.who, 1)
			if short != enough {
				done()
				return nil, shortages[short].why
			}
			return func() {
				served()
				done()
			}, ""
		},
		Room: func(ctx context.Context, bytes int64) (back func(), why string) {
			back, short := s.bodyRoom(ctx, sess.who, bytes)
			if short != enough {
				return nil, "too many bytes of messages are being served: wait for answers, or send less at once"
			}
			return back, ""
		},
	}
}

// shortages are the reasons why a request is not served now.
var shortages = map[shortage]struct {
	status int
	why    string
}{
	shortOfOwn: {http.StatusTooManyRequests, "too many of your requests are being served: wait for answers"},
	shortOfAll: {http.StatusServiceUnavailable, "too many requests are being served: try again later"},
}
