package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The reasons that SDKs and hosts send.
func TestReasons(t *testing.T) {
	for reason, user := range map[string]bool{
		"McpError: MCP error -32001: Request timed out":              false,
		"McpError: MCP error -32001: Maximum total timeout exceeded": false,
		"Error: MCP error -2: Request timed out":                     false,
		"TimeoutError: The operation was aborted due to timeout":     false,
		"SdkError: Request timed out":                                false,
		"request timeout":                                            false,
		"request_timeout":                                            false,
		"context deadline exceeded":                                  false,
		"Timeout":                                                    false,
		"Shared runtime client disconnected":                         false,
		"":                                                           false,
		"because":                                                    false,
		"AbortError: This operation was aborted":                     true,
		"AbortError: The user aborted a request.":                    true,
		"User requested cancellation":                                true,
		"user-cancel":                                                true,
		"Caller cancelled":                                           true,
		"context canceled":                                           true,
		"Interrupted by the user":                                    true,
		"Stopped":                                                    true,
	} {
		if got := (Cancelled{reason}).ByUser(); got != user {
			t.Errorf("%q is the user's stop: %v", reason, got)
		}
	}
}

// A call that is cancelled by its id ends with the reason, a call of another session continues, and nothing is kept.
func TestCancelByID(t *testing.T) {
	var calls Calls
	hooks := &server.Hooks{}
	calls.Hook(hooks)
	begun, causes := make(chan string), make(chan error, 3)
	s := server.NewMCPServer("toy", "1", server.WithHooks(hooks), server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("wait"), calls.Bound(func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		begun <- server.ClientSessionFromContext(ctx).SessionID()
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return nil, ctx.Err()
	}))
	c, err := client.NewInProcessClient(s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	var req mcp.CallToolRequest
	req.Params.Name = "wait"
	go func() {
		defer close(answered)
		_, _ = c.CallTool(t.Context(), req)
	}()
	session := <-begun
	var id any
	calls.mu.Lock()
	for key := range calls.by {
		id = key.id
	}
	calls.mu.Unlock()
	calls.Cancel("another", id, "user")
	calls.Cancel(session, "another", "user")
	calls.Cancel(session, []any{id}, "user") // cannot be a map key
	calls.Cancel(session, id, "user")
	calls.Cancel(session, id, "another reason")
	if cause := <-causes; !errors.Is(cause, Cancelled{"user"}) {
		t.Errorf("the cause is %v", cause)
	}
	<-answered
	for kept := 1; kept > 0; time.Sleep(time.Millisecond) { // until the test times out
		calls.mu.Lock()
		kept = len(calls.by)
		calls.mu.Unlock()
	}

	// A client's own value in our field has no effect.
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	raw := fmt.Sprintf(`{"params":{"name":"wait","_meta":{%q:{"cause":{}}}}}`, callField)
	var own mcp.CallToolRequest
	if err := json.Unmarshal([]byte(raw), &own); err != nil {
		t.Fatal(err)
	}
	_, _ = c.CallTool(ctx, own)
	if cause := <-causes; !errors.Is(cause, context.Canceled) {
		t.Errorf("the cause is %v", cause)
	}
}
