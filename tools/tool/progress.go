package tool

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type progressKey struct{}

// WithProgress records in a call's context that its client has asked for progress, if it has.
func WithProgress(ctx context.Context, req mcp.CallToolRequest) context.Context {
	if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, req.Params.Meta.ProgressToken)
}

// HearsProgress reports whether the call's client has asked for progress.
func HearsProgress(ctx context.Context) bool { return ctx.Value(progressKey{}) != nil }

// Progress sends the call's progress to its client, if the client has asked for it. done must grow from one call to the
// next.
func Progress(ctx context.Context, done float64, message string) {
	if c := openCallOf(ctx); c != nil {
		if ctx = c.attached(); ctx == nil {
			return // the client is asking its user a question
		}
	}
	token := ctx.Value(progressKey{})
	s := server.ServerFromContext(ctx)
	if token == nil || s == nil {
		return
	}
	params := map[string]any{"progressToken": token, "progress": done, "message": message}
	// A progress notification that cannot be delivered now is soon out of date; the answer does not depend on it.
	if to := NotifiersIn(ctx).Request; to != nil {
		_ = to.Notify(Notification("notifications/progress", params))
		return
	}
	_ = s.SendNotificationToClient(ctx, "notifications/progress", params)
}

// Notification returns a notification.
func Notification(method string, params map[string]any) mcp.JSONRPCNotification {
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	n.Method, n.Params.AdditionalFields = method, params
	return n
}
