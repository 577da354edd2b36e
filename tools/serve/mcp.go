package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
	"github.com/nbduet/nbduet/tools/tool"
)

// newStream returns mcp-go's Streamable HTTP transport with our own MCP sessions.
func newStream(s *Server) *server.StreamableHTTPServer {
	return server.NewStreamableHTTPServer(s.cfg.MCP,
		server.WithSessionIdManagerResolver(sessionManager{s: s}),
		server.WithDisableLocalhostProtection(true), // ServeHTTP is stricter
		server.WithStreamableHTTPLogger(messagesOnly(s.log)),
	)
}

// A sessionManager begins and finds the MCP sessions of one caller.
type sessionManager struct {
	s   *Server
	who caller
}

// ResolveSessionIdManager returns the manager for the caller of a request; r is nil if no request is the cause.
//
//nolint:staticcheck // mcp-go's interface has this name
func (m sessionManager) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	if r != nil {
		m.who = callerIn(r.Context())
	}
	return m
}

// Generate begins a session.
func (m sessionManager) Generate() string { return m.s.sessions.open(m.who, false).id }

// Validate reports whether the session exists.
func (m sessionManager) Validate(id string) (terminated bool, err error) {
	if m.s.sessions.find(id, m.who, false) == nil {
		return false, errNoSession
	}
	return false, nil
}

// Terminate does nothing for mcp-go; the code that ends a session ends its client.
func (m sessionManager) Terminate(string) (notAllowed bool, err error) { return false, nil }

// partOf returns the part of a session that a message is.
func partOf(m jsonrpc.Message) part {
	if m.ID == nil {
		return aNotice
	}
	return aRequest
}

// isModern reports whether a message uses the protocol without sessions, as mcp-go decides it.
func isModern(m jsonrpc.Message, h http.Header) bool {
	var params struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params) // mcp-go reports the error
	return mcp.IsModernProtocol(params.Meta.ProtocolVersion()) || mcp.IsModernProtocol(h.Get(mcp.HeaderProtocolVersion))
}

// postMCP handles an MCP message and answers it.
func (s *Server) postMCP(w *writer, r *http.Request, m jsonrpc.Message, body []byte) {
	switch {
	case !json.Valid(body):
		Refuse(w, http.StatusBadRequest, "the body is not JSON")
	case isModern(m, r.Header):
		if m.Answer() || m.Is(mcp.MethodNotificationCancelled) {
			// No request waits for an answer, because this revision's servers send none. Over HTTP, closing a request's
			// connection cancels it. Without a session, mcp-go knows only the request's id, and would cancel another
			// client's request with that id.
			w.WriteHeader(http.StatusAccepted)
			return
		}
		s.withPrincipal(w, r, func(r *http.Request) { s.stream.ServeHTTP(w, withNotifiers(w, r, nil)) })
	case m.Is(mcp.MethodInitialize):
		if !s.makeRoom(callerIn(r.Context())) {
			busy(w, http.StatusServiceUnavailable, errTooManySessions.Error())
			return
		}
		s.stream.ServeHTTP(w, r)
	default:
		s.withSession(w, r, partOf(m), func(r *http.Request, sess *mcpSession) {
			if m.Answer() {
				// If no request waits for the answer, mcp-go responds with an error, and the client would treat that as the
				// end of the session.
				s.stream.ServeHTTP(discard{}, r)
				w.WriteHeader(http.StatusAccepted)
				return
			}
			s.noteCancelled(m, sess, body)
			if m.ID != nil && !s.sessions.listens(sess) {
				sess.pass(w)
			}
			s.stream.ServeHTTP(w, withNotifiers(w, r, sess))
		})
	}
}

// noteCancelled records the reason for which a client cancels a request of its session; mcp-go does not keep it.
func (s *Server) noteCancelled(m jsonrpc.Message, sess *mcpSession, body []byte) {
	if !m.Is(mcp.MethodNotificationCancelled) {
		return
	}
	if c, ok := jsonrpc.ReadCancellation(body); ok {
		s.cfg.Clients.Calls.Cancel(sess.id, c.ID, c.Reason)
	}
}

// getMCP opens a stream for the server's own messages.
func (s *Server) getMCP(w *writer, r *http.Request) {
	if r.Method != http.MethodGet || mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		w.Header().Set("Allow", "POST")
		Refuse(w, http.StatusMethodNotAllowed, r.Method+" is not part of this revision of the protocol: use subscriptions/listen")
		return
	}
	s.withSession(w, r, aStream, func(r *http.Request, sess *mcpSession) { s.serveStream(w, r, sess, s.stream) })
}

// deleteMCP ends an MCP session.
func (s *Server) deleteMCP(w http.ResponseWriter, r *http.Request) {
	if mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		w.Header().Set("Allow", "POST")
		Refuse(w, http.StatusMethodNotAllowed, "DELETE is not part of this revision of the protocol: it has no sessions to end")
		return
	}
	sess := s.sessions.find(r.Header.Get(server.HeaderKeySessionID), callerIn(r.Context()), false)
	if sess == nil || s.sessions.remove(sess.id) == nil {
		Refuse(w, http.StatusNotFound, errNoSession.Error())
		return
	}
	s.endClient(sess.client)
	s.stream.ServeHTTP(w, r) // frees mcp-go's state, and answers
}

// makeRoom reports whether a caller may begin one more session. If necessary, it ends a silent one.
func (s *Server) makeRoom(who caller) bool {
	gone, ok := s.sessions.room(who)
	if gone != nil {
		s.drop(gone, "too many MCP sessions are open: ending the one silent for longest", "most", s.cfg.Limits.Clients)
	}
	return ok
}

// expire ends a session that has been silent for too long.
func (s *Server) expire(sess *mcpSession) {
	s.drop(sess, "ending an MCP session that was silent for too long", "after", s.cfg.ClientTimeout)
}

// drop ends a session that was removed from the table.
func (s *Server) drop(sess *mcpSession, why string, args ...any) {
	s.log.Info(why, args...)
	s.endClient(sess.client)
	header := http.Header{}
	header.Set(server.HeaderKeySessionID, sess.id)
	s.stream.Handle(discard{}, &server.HTTPRequest{Method: http.MethodDelete, Header: header, Context: context.Background()})
}

// withSession serves a request of an MCP session as that session's client.
func (s *Server) withSession(w http.ResponseWriter, r *http.Request, what part, next func(*http.Request, *mcpSession)) {
	id := r.Header.Get(server.HeaderKeySessionID)
	if id == "" {
		Refuse(w, http.StatusBadRequest, "the header Mcp-Session-Id is missing: initialize starts a session and returns its id")
		return
	}
	sess := s.sessions.find(id, callerIn(r.Context()), false)
	if sess == nil {
		Refuse(w, http.StatusNotFound, errNoSession.Error())
		return
	}
	s.inSession(w, r, sess, what, next)
}

// withPrincipal serves a request without an MCP session as the caller's client.
func (s *Server) withPrincipal(w http.ResponseWriter, r *http.Request, next func(*http.Request)) {
	c, done, gone, err := s.principals.begin(callerIn(r.Context()))
	if err != nil {
		busy(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer done()
	if gone != nil {
		s.endClient(gone)
	}
	bound, end := asClient(r, c, tool.Cancelled{}) // this revision cancels by closing the connection
	defer end()
	next(bound)
}

// inSession counts a request of a session, and serves it as the session's client.
func (s *Server) inSession(w http.ResponseWriter, r *http.Request, sess *mcpSession, what part, next func(*http.Request, *mcpSession)) {
	done, err := s.sessions.begin(sess, what)
	switch {
	case errors.Is(err, errSessionBusy):
		busy(w, http.StatusTooManyRequests, err.Error())
		return
	case err != nil:
		Refuse(w, http.StatusNotFound, err.Error())
		return
	}
	defer done()
	bound, end := asClient(r, sess.client, tool.ErrDisconnected)
	defer end()
	next(bound, sess)
}

// serveStream serves a session's stream of events.
func (s *Server) serveStream(w *writer, r *http.Request, sess *mcpSession, h http.Handler) {
	ctx, cancel := context.WithCancel(r.Context())
	done := w.keepAlive(ctx, sess.waiting, s.cfg.Limits.QuietTime, cancel)
	defer func() {
		cancel()
		<-done
	}()
	h.ServeHTTP(w, r.WithContext(ctx))
}

// discard ignores an answer.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) WriteHeader(int)             {}
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Flush()                      {}
func (discard) CanStream() bool             { return false }

// withNotifiers puts the notifiers of a request into its context; sess is nil without a session.
func withNotifiers(w *writer, r *http.Request, sess *mcpSession) *http.Request {
	n := tool.Notifiers{Request: w}
	if sess != nil {
		n.Session = sess
	}
	return r.WithContext(tool.WithNotifiers(r.Context(), n))
}

// message adapts a JSON-RPC message for mcp-go, and refuses one that mcp-go would misinterpret. The writer restores the ids.
func (s *Server) message(next func(w *writer, r *http.Request, m jsonrpc.Message, body []byte)) bodyHandler {
	return func(w *writer, r *http.Request, body []byte) {
		m, ok := jsonrpc.Read(body)
		if ok { // otherwise next reports the error
			if why, id := m.Wrong(); why != "" {
				writeFailure(w, http.StatusBadRequest, id, why)
				return
			}
			body = s.ids.In(body, m)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		next(w, r, m, body)
	}
}

// messagesOnly returns a logger for mcp-go without attributes, because mcp-go logs the ids of MCP sessions, which are
// secrets. Its messages are about clients' mistakes, so they are logged at debug.
func messagesOnly(log *slog.Logger) *slog.Logger { return slog.New(messageHandler{log.Handler()}) }

// A messageHandler logs only the message, at debug.
type messageHandler struct{ slog.Handler }

// Enabled reports whether debug lines are enabled.
func (b messageHandler) Enabled(ctx context.Context, _ slog.Level) bool {
	return b.Handler.Enabled(ctx, slog.LevelDebug)
}

// Handle logs the message.
func (b messageHandler) Handle(ctx context.Context, r slog.Record) error {
	return b.Handler.Handle(ctx, slog.NewRecord(r.Time, slog.LevelDebug, "mcp-go: "+r.Message, r.PC))
}

// WithAttrs ignores the attributes.
func (b messageHandler) WithAttrs([]slog.Attr) slog.Handler { return b }

// WithGroup ignores the group.
func (b messageHandler) WithGroup(string) slog.Handler { return b }
