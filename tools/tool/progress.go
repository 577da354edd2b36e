package tool

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type progressKey struct{}

// WithProgress notes in a call's context that its client wants to hear of progress, if it does.
func WithProgress(ctx context.Context, req mcp.CallToolRequest) context.Context {
	if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, req.Params.Meta.ProgressToken)
}

// Progress tells the call's client how far the call is, if it asked for that. done must grow from one call to the next.
func Progress(ctx context.Context, done float64, message string) {
	if c := openCallOf(ctx); c != nil {
		if ctx = c.attached(); ctx == nil {
			return // its client asks its user something
		}
	}
	token := ctx.Value(progressKey{})
	s := server.ServerFromContext(ctx)
	if token == nil || s == nil {
		return
	}
	// What cannot be delivered now is out of date a second later; the answer does not depend on it.
	_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
		"progressToken": token, "progress": done, "message": message,
	})
}
