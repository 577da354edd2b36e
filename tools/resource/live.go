package resource

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// A Live is a resource that is not about notebooks and changes without a call. Each client may see different content.
type Live struct {
	URI, Name, Description string
	// Read returns the content for the client of ctx, to be written as JSON.
	Read func(ctx context.Context) any
	// State identifies the current content for a client.
	State func(client string) string
	// Observe makes f be called after each change of the content for any client, until stop is called. f returns at once,
	// and must not call back.
	Observe func(f func()) (stop func())
	// News returns the notifications for a client that accepts them; see [Channel].
	News func(client string) []News
}

// News is one notification, sent once.
type News struct {
	ID, Text string
	Meta     map[string]string // names of letters, digits and underscores
}

// Channel is the experimental capability of servers and clients by which a server can put a message before the running
// model, without a request. It is Claude Code's: https://code.claude.com/docs/en/channels-reference. Clients without the
// capability drop these notifications.
const Channel = "claude/channel"

// newsAfter is the delay of news: a client that waits for it in a call receives it there first.
const newsAfter = time.Second

// takesNews reports whether a client has a channel, by its capabilities or its name.
func takesNews(ctx context.Context) bool {
	c, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok {
		return false
	}
	_, says := c.GetClientCapabilities().Experimental[Channel]
	return says || c.GetClientInfo().Name == "claude-code"
}
