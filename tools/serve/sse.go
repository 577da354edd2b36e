package serve

import (
	"context"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
)

// newEvents returns mcp-go's transport of HTTP with server-sent events with our own MCP sessions.
func newEvents(s *Server) *server.SSEServer {
	return server.NewSSEServer(s.cfg.MCP,
		server.WithSSEDisableLocalhostProtection(true), // ServeHTTP is stricter
		server.WithDynamicBasePath(func(r *http.Request, _ string) string { return prefix(r) }),
		server.WithSessionIDGenerator(func(ctx context.Context, _ *http.Request) (string, error) {
			sess, ok := ctx.Value(sessionKey{}).(*mcpSession)
			if !ok {
				return "", errors.New("a stream without a session")
			}
			return sess.id, nil
		}),
	)
}

type sessionKey struct{}

// getEvents opens a stream. Its session lasts as long as the stream.
func (s *Server) getEvents(w *writer, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", "GET")
		Refuse(w, http.StatusMethodNotAllowed, "open a stream with GET")
		return
	}
	if !s.makeRoom(callerIn(r.Context())) {
		busy(w, http.StatusServiceUnavailable, errTooManySessions.Error())
		return
	}
	sess := s.sessions.open(callerIn(r.Context()), true)
	defer s.endClient(sess.client)
	defer s.sessions.remove(sess.id)
	s.inSession(w, r, sess, aStream, func(r *http.Request, sess *mcpSession) {
		s.serveStream(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, sess)), sess, s.events.SSEHandler())
	})
}

// postMessage accepts an MCP message; the answer goes over the client's stream.
func (s *Server) postMessage(w *writer, r *http.Request, m jsonrpc.Message, body []byte) {
	sess := s.sessions.find(r.URL.Query().Get("sessionId"), callerIn(r.Context()), true)
	if sess == nil {
		Refuse(w, http.StatusNotFound, "unknown stream: it has ended, or belongs to another token; open a new one with GET /sse")
		return
	}
	// mcp-go requires a header with the method if there is one with the newest revision, but that rule belongs to Streamable
	// HTTP: here the SDK for TypeScript sends only the revision. Each message contains its revision anyway.
	r.Header.Del(mcp.HeaderProtocolVersion)
	s.inSession(w, r, sess, partOf(m), func(r *http.Request, _ *mcpSession) {
		if m.Answer() {
			w.WriteHeader(http.StatusAccepted) // no request waits for it: mcp-go sends none here
			return
		}
		s.noteCancelled(m, sess, body)
		s.events.MessageHandler().ServeHTTP(w, r)
	})
}
