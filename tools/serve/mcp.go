package serve

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// newStream makes mcp-go's Streamable HTTP transport, with MCP sessions of our own.
func newStream(s *Server) *server.StreamableHTTPServer {
	return server.NewStreamableHTTPServer(s.cfg.MCP,
		server.WithSessionIdManagerResolver(sessionResolver{s}),
		server.WithDisableLocalhostProtection(true), // ServeHTTP is stricter
		server.WithStreamableHTTPLogger(messagesOnly(s.log)),
	)
}

// sessionResolver finds who manages the MCP sessions for a request.
type sessionResolver struct{ s *Server }

// ResolveSessionIdManager implements mcp-go's interface; r is nil where no request is the cause.
//
//nolint:staticcheck // mcp-go's interface has this name
func (res sessionResolver) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	m := sessionManager{s: res.s}
	if r != nil {
		m.who = callerIn(r.Context())
	}
	return m
}

// sessionManager makes and knows the MCP sessions of one caller.
type sessionManager struct {
	s   *Server
	who caller
}

// Generate begins a session.
func (m sessionManager) Generate() string { return m.s.sessions.open(m.who, false).id }

// Validate tells whether there is such a session.
func (m sessionManager) Validate(id string) (terminated bool, err error) {
	if m.s.sessions.find(id, m.who, false) == nil {
		return false, errNoSession
	}
	return false, nil
}

// Terminate ends a session, for mcp-go: what the guest has is ended by whoever asks for it.
func (m sessionManager) Terminate(string) (notAllowed bool, err error) { return false, nil }

// envelope is what has to be known of an MCP message before it is handed on.
type envelope struct {
	Method mcp.MCPMethod `json:"method"`
	Params struct {
		Meta *mcp.Meta `json:"_meta"`
	} `json:"params"`
}

// modern tells whether a message is of the protocol without sessions, as mcp-go decides it.
func (e envelope) modern(h http.Header) bool {
	return mcp.IsModernProtocol(e.Params.Meta.ProtocolVersion()) || mcp.IsModernProtocol(h.Get(mcp.HeaderProtocolVersion))
}

// postMCP takes an MCP message, and answers it.
func (s *Server) postMCP(w *writer, r *http.Request, body []byte) {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		var broken *json.SyntaxError
		if errors.As(err, &broken) {
			refuse(w, http.StatusBadRequest, "the body is not JSON")
			return
		}
		e = envelope{Method: e.Method} // mcp-go says what is wrong
	}
	switch {
	case e.modern(r.Header):
		if e.Method == mcp.MethodNotificationCancelled {
			// Over HTTP it is the end of a request's connection that cancels it. By the number of the request, which
			// is all that mcp-go has without a session, this would cancel another client's.
			w.WriteHeader(http.StatusAccepted)
			return
		}
		s.withPrincipal(w, r, func(r *http.Request) { s.stream.ServeHTTP(w, r) })
	case e.Method == mcp.MethodInitialize:
		if s.sessions.full() {
			busy(w, http.StatusServiceUnavailable, errTooManySessions.Error())
			return
		}
		s.stream.ServeHTTP(w, r)
	default:
		s.withSession(w, r, false, func(r *http.Request, _ *mcpSession) { s.stream.ServeHTTP(w, r) })
	}
}

// getMCP opens a stream on which the server may speak of its own accord.
func (s *Server) getMCP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		w.Header().Set("Allow", "POST")
		refuse(w, http.StatusMethodNotAllowed, r.Method+" is not part of this revision of the protocol: subscriptions/listen is")
		return
	}
	s.withSession(w, r, true, func(r *http.Request, _ *mcpSession) { s.serveStream(w, r, s.stream) })
}

// deleteMCP ends an MCP session.
func (s *Server) deleteMCP(w http.ResponseWriter, r *http.Request) {
	if mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		w.Header().Set("Allow", "POST")
		refuse(w, http.StatusMethodNotAllowed, "DELETE is not part of this revision of the protocol, which has no sessions")
		return
	}
	n := s.sessions.find(r.Header.Get(server.HeaderKeySessionID), callerIn(r.Context()), false)
	if n == nil || s.sessions.remove(n.id) == nil {
		refuse(w, http.StatusNotFound, errNoSession.Error())
		return
	}
	s.endClient(n.client)
	s.stream.ServeHTTP(w, r) // frees what mcp-go keeps, and answers
}

// expire ends a guest who was silent for too long.
func (s *Server) expire(n *mcpSession) {
	s.log.Info("an MCP client was silent for too long, and counts as gone", "after", s.cfg.ClientTimeout)
	s.endClient(n.client)
	header := http.Header{}
	header.Set(server.HeaderKeySessionID, n.id)
	s.stream.Handle(discard{}, &server.HTTPRequest{Method: http.MethodDelete, Header: header, Context: context.Background()})
}

// withSession lets a request of an MCP session go on as that guest's.
func (s *Server) withSession(w http.ResponseWriter, r *http.Request, stream bool, next func(*http.Request, *mcpSession)) {
	id := r.Header.Get(server.HeaderKeySessionID)
	if id == "" {
		refuse(w, http.StatusBadRequest, "the header Mcp-Session-Id is missing: initialize begins a session and answers it")
		return
	}
	n := s.sessions.find(id, callerIn(r.Context()), false)
	if n == nil {
		refuse(w, http.StatusNotFound, errNoSession.Error())
		return
	}
	s.inSession(w, r, n, stream, next)
}

// withPrincipal lets a request without an MCP session go on as the caller's.
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
	bound, end := asClient(r, c)
	defer end()
	next(bound)
}

// inSession counts a request as a guest's, and lets it go on.
func (s *Server) inSession(w http.ResponseWriter, r *http.Request, n *mcpSession, stream bool, next func(*http.Request, *mcpSession)) {
	done, err := s.sessions.begin(n, stream)
	switch {
	case errors.Is(err, errSessionBusy):
		busy(w, http.StatusTooManyRequests, err.Error())
		return
	case err != nil:
		refuse(w, http.StatusNotFound, err.Error())
		return
	}
	defer done()
	bound, end := asClient(r, n.client)
	defer end()
	next(bound, n)
}

// serveStream serves a stream of events.
func (s *Server) serveStream(plain http.ResponseWriter, r *http.Request, h http.Handler) {
	w, ok := plain.(*writer)
	if !ok { // ServeHTTP is the only way here
		refuse(plain, http.StatusInternalServerError, "internal error")
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	done := w.keep(ctx, s.cfg.Limits.QuietTime, cancel)
	defer func() {
		cancel()
		<-done
	}()
	h.ServeHTTP(w, r.WithContext(ctx))
}

// discard is where an answer goes that nobody reads.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) WriteHeader(int)             {}
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Flush()                      {}
func (discard) CanStream() bool             { return false }
