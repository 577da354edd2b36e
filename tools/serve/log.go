package serve

import (
	"context"
	"log/slog"
)

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
