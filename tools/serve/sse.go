package serve

import (
	"context"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// newEvents makes mcp-go's transport of HTTP with server-sent events, with MCP sessions of our own.
func newEvents(s *Server) *server.SSEServer {
	return server.NewSSEServer(s.cfg.MCP,
		server.WithSSEDisableLocalhostProtection(true), // ServeHTTP is stricter
		server.WithDynamicBasePath(func(r *http.Request, _ string) string { return prefix(r) }),
		server.WithSessionIDGenerator(func(ctx context.Context, _ *http.Request) (string, error) {
			n, ok := ctx.Value(sessionKey{}).(*mcpSession)
			if !ok {
				return "", errors.New("a stream without a guest")
			}
			return n.id, nil
		}),
	)
}

type sessionKey struct{}

// getEvents opens the stream of a client, who is there as long as it lasts.
func (s *Server) getEvents(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", "GET")
		refuse(w, http.StatusMethodNotAllowed, "only GET opens a stream")
		return
	}
	if s.sessions.full() {
		busy(w, http.StatusServiceUnavailable, errTooManySessions.Error())
		return
	}
	n := s.sessions.open(callerIn(r.Context()), true)
	defer s.endClient(n.client)
	defer s.sessions.remove(n.id)
	s.inSession(w, r, n, true, func(r *http.Request, n *mcpSession) {
		s.serveStream(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, n)), s.events.SSEHandler())
	})
}

// postMessage takes an MCP message, which is answered on the client's stream.
func (s *Server) postMessage(w *writer, r *http.Request, _ []byte) {
	n := s.sessions.find(r.URL.Query().Get("sessionId"), callerIn(r.Context()), true)
	if n == nil {
		refuse(w, http.StatusNotFound, "there is no such stream: it has ended, or was opened by somebody with another token; GET /sse opens one")
		return
	}
	// Who names the newest revision in a header has to name the method too, says mcp-go, but that holds for Streamable
	// HTTP only: the SDK for TypeScript sends the one without the other here. Each message says its revision itself.
	r.Header.Del(mcp.HeaderProtocolVersion)
	s.inSession(w, r, n, false, func(r *http.Request, _ *mcpSession) { s.events.MessageHandler().ServeHTTP(w, r) })
}
