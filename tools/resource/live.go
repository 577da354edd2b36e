package resource

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// A Live is a resource that is not about notebooks, and changes by itself. Each client may see another one.
type Live struct {
	URI, Name, Description string
	// Read is what it says to the client of ctx, as JSON.
	Read func(ctx context.Context) any
	// State tells what it says to a client from what it said before.
	State func(client string) string
	// Observe has a function called whenever something in it has changed for anybody, until it is stopped. The function
	// returns at once, and calls nothing back.
	Observe func(f func()) (stop func())
	// News is what a client is to be told of by itself, where it takes that; see [Channel].
	News func(client string) []News
}

// News is one thing to be told of, once.
type News struct {
	ID, Text string
	Meta     map[string]string // names of letters, digits and underscores
}

// Channel is the experimental capability of servers and clients by which a server has something put before the model that is
// at work, instead of waiting to be asked. It is Claude Code's: https://code.claude.com/docs/en/channels-reference. Those who
// did not ask for it drop what comes.
const Channel = "claude/channel"

// newsAfter is how long news waits: who is waiting for it by a call has it then.
const newsAfter = time.Second

// takesNews reports whether a client has a channel, by what it says of itself.
func takesNews(ctx context.Context) bool {
	c, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok {
		return false
	}
	_, says := c.GetClientCapabilities().Experimental[Channel]
	return says || c.GetClientInfo().Name == "claude-code"
}
