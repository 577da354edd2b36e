package tools

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/resource"
)

// hookUnknown makes mcp-go's error for a tool that cannot be called say why, and what to do.
func (o *offer) hookUnknown(hooks *server.Hooks) {
	hooks.AddOnError(func(_ context.Context, _ any, _ mcp.MCPMethod, message any, err error) {
		if req, ok := message.(*mcp.CallToolRequest); ok && errors.Is(err, server.ErrToolNotFound) {
			resource.Reword(err, o.unknown(req.Params.Name))
		}
	})
}
