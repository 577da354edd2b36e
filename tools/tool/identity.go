package tool

import (
	"context"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// InfoOf returns the calling client's description of itself, from the request or from the beginning of its session, or zero.
func InfoOf(ctx context.Context) mcp.Implementation {
	if p := server.RequestProtocolInfoFromContext(ctx); p != nil && p.ClientInfo != nil {
		return *p.ClientInfo
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return s.GetClientInfo()
	}
	return mcp.Implementation{}
}

// PersonaOf returns the id of the Jupyter AI persona for which a request was sent, or "".
func PersonaOf(h http.Header) string { return h.Get("X-JupyterAI-Persona-Id") }
