package tool

import (
	"context"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// InfoOf is what the client that calls says of itself: with the request, or when its session began. It is zero if it says
// nothing.
func InfoOf(ctx context.Context) mcp.Implementation {
	if p := server.RequestProtocolInfoFromContext(ctx); p != nil && p.ClientInfo != nil {
		return *p.ClientInfo
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return s.GetClientInfo()
	}
	return mcp.Implementation{}
}

// PersonaOf is the id of the persona of Jupyter AI for which a request was sent, "" for none.
func PersonaOf(h http.Header) string { return h.Get("X-JupyterAI-Persona-Id") }
