package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// updates counts the program's update notifications by resource and keeps the messages of the channel.
type updates struct {
	mu     sync.Mutex
	seen   map[string]int
	pushed []string
}

func (u *updates) take(n mcp.JSONRPCNotification) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if n.Method == "notifications/claude/channel" {
		content, _ := n.Params.AdditionalFields["content"].(string)
		u.pushed = append(u.pushed, content)
	}
	if n.Method != string(mcp.MethodNotificationResourceUpdated) {
		return
	}
	uri, _ := n.Params.AdditionalFields["uri"].(string)
	if u.seen == nil {
		u.seen = make(map[string]int)
	}
	u.seen[uri]++
}

// Updates returns how many notifications the program has sent for a resource.
func (a *Agent) Updates(uri string) int {
	a.updates.mu.Lock()
	defer a.updates.mu.Unlock()
	return a.updates.seen[uri]
}

// Pushed returns the messages that the program has sent by Claude Code's channel.
func (a *Agent) Pushed() []string {
	a.updates.mu.Lock()
	defer a.updates.mu.Unlock()
	return slices.Clone(a.updates.pushed)
}

// Read reads a text resource.
func (a *Agent) Read(ctx context.Context, uri string) (string, error) {
	var request mcp.ReadResourceRequest
	request.Params.URI = uri
	result, err := a.client.ReadResource(ctx, request)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", uri, err)
	}
	var all strings.Builder
	for _, content := range result.Contents {
		if text, ok := content.(mcp.TextResourceContents); ok {
			all.WriteString(text.Text)
		}
	}
	return all.String(), nil
}

// Subscribe subscribes to a resource's changes, see [Agent.Updates]. Only revisions before 2026-07-28 have
// subscriptions.
func (a *Agent) Subscribe(ctx context.Context, uri string) error {
	var request mcp.SubscribeRequest
	request.Params.URI = uri
	if err := a.client.Subscribe(ctx, request); err != nil { //nolint:staticcheck // the older revisions have nothing else
		return fmt.Errorf("subscribe to %s: %w", uri, err)
	}
	return nil
}
