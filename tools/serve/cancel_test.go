package serve

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/tool"
)

// A call ends with the reason for which its client cancelled it. The end of the connection cancels a call only in the newest
// revision.
func TestWhyACallEnds(t *testing.T) {
	begun, causes := make(chan struct{}), make(chan error)
	r := newRig(t, func(cfg *Config) {
		hooks := &server.Hooks{}
		cfg.Clients.Calls.Hook(hooks)
		cfg.MCP = server.NewMCPServer("toy", "1", server.WithHooks(hooks), server.WithToolCapabilities(false))
		cfg.MCP.AddTool(mcp.NewTool("why"), cfg.Clients.Calls.Bound(func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			begun <- struct{}{}
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, ctx.Err()
		}))
	})
	why := call(5, "why", "")
	modernWhy, modernHeaders := modern(5, "tools/call", map[string]any{"name": "why"})
	note := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"the user"}}`
	mine, other := r.begin(), r.begin()
	stream, message := r.events()
	defer stream.close()
	for name, c := range map[string]struct {
		path, body string
		headers    []change
		cancel     func()
		want       error
	}{
		"a notification": {"/mcp", why, []change{mine}, func() {
			r.wants(r.send("POST", "/mcp", note, other), 202)
			r.wants(r.send("POST", "/mcp", note, mine), 202)
		}, tool.Cancelled{Reason: "the user"}},
		"a notification to the stream of events": {message, why, nil, func() {
			r.wants(r.send("POST", "/mcp", note, other), 202)
			r.wants(r.send("POST", message, note), 202)
		}, tool.Cancelled{Reason: "the user"}},
		"the connection's end":                        {"/mcp", why, []change{mine}, nil, tool.ErrDisconnected},
		"the connection's end in the newest revision": {"/mcp", modernWhy, modernHeaders, nil, tool.Cancelled{}},
	} {
		ctx, stop := context.WithCancel(t.Context())
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			res, err := r.client.Do(r.request(ctx, http.MethodPost, c.path, c.body, c.headers...))
			if err == nil {
				res.Body.Close()
			}
		}()
		<-begun
		if c.cancel == nil {
			c.cancel = stop
		}
		c.cancel()
		if got := <-causes; !errors.Is(got, c.want) {
			t.Errorf("%s: the cause is %v, want %v", name, got, c.want)
		}
		<-answered
		stop()
	}
}
