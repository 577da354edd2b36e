package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A client cancels a call because its user stopped it, or because the client's own time limit for answers has passed: the
// SDKs' default is a minute, and the user does not see it. The protocol has one notification for both. Only its reason
// distinguishes them, and mcp-go drops the reason. The transports therefore pass it on here, before mcp-go ends the call's
// context.

// Cancelled is the cause with which a call's context ends when its client cancels the call.
type Cancelled struct{ Reason string }

func (c Cancelled) Error() string {
	if c.Reason == "" {
		return "cancelled without a reason"
	}
	return fmt.Sprintf("cancelled: %q", c.Reason)
}

// Is reports whether target is [context.Canceled].
func (c Cancelled) Is(target error) bool { return target == context.Canceled }

var (
	// "McpError: MCP error -32001: Request timed out", "request timeout", "context deadline exceeded", "client
	// disconnected"
	gaveUp = regexp.MustCompile(`(?i)time[\s_-]*(d[\s_-]*)?out|time[\s_-]*limit|deadline|-32001|disconnect|connection`)
	// "AbortError: This operation was aborted", "User requested cancellation", "Caller cancelled", "context canceled"
	stopped = regexp.MustCompile(`(?i)\b(user|human|abort|stop|cancel|interrupt)`)
)

// ByUser reports whether the reason says that the client's user wants to stop the call. A reason that mentions a time limit
// or a lost connection means the opposite, whatever else it says.
func (c Cancelled) ByUser() bool {
	return !gaveUp.MatchString(c.Reason) && stopped.MatchString(c.Reason)
}

// ErrDisconnected is the cause with which a call's context ends when its connection is lost, if the protocol does not treat
// that as a cancellation.
var ErrDisconnected = errors.New("the client's connection was lost")

// StopsRuns reports whether the code started by a call ends with the call, whose context has ended: if its client's user
// wants that, or, with always, if its client has cancelled the call for any reason, or has left.
func StopsRuns(ctx context.Context, always bool) bool {
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrDisconnected) {
		return false
	}
	var c Cancelled
	return always || errors.As(cause, &c) && c.ByUser()
}

// Calls are the tool calls in progress, by their requests' ids. The zero value is ready for use.
type Calls struct {
	mu sync.Mutex
	by map[callID]*call
}

// callID identifies a request as mcp-go does.
type callID struct {
	session string
	id      any
}

// A call is a call in progress.
type call struct {
	cause  *Cancelled              // set when it is cancelled
	cancel context.CancelCauseFunc // set when it has begun
}

// callField is the field of a request's _meta in which a hook passes its call to the handler. A value from a client has
// another type there.
const callField = "nbduet/call"

// Hook records the calls as they begin.
func (c *Calls) Hook(hooks *server.Hooks) {
	hooks.AddBeforeCallTool(func(ctx context.Context, id any, req *mcp.CallToolRequest) {
		s := server.ClientSessionFromContext(ctx)
		if s == nil || s.SessionID() == "" {
			return // ids are shared with other clients, so a call cannot be cancelled by its id
		}
		switch id.(type) {
		case string, float64, int64:
		default:
			return
		}
		key, one := callID{s.SessionID(), id}, &call{}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.by == nil {
			c.by = map[callID]*call{}
		}
		c.by[key] = one
		context.AfterFunc(ctx, func() { // mcp-go ends ctx when the request has been served
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.by[key] == one {
				delete(c.by, key)
			}
		})
		if req.Params.Meta == nil {
			req.Params.Meta = &mcp.Meta{}
		}
		if req.Params.Meta.AdditionalFields == nil {
			req.Params.Meta.AdditionalFields = map[string]any{}
		}
		req.Params.Meta.AdditionalFields[callField] = one
	})
}

// Bound wraps a tool's handler so that Cancel ends its calls.
func (c *Calls) Bound(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if req.Params.Meta != nil {
			if one, ok := req.Params.Meta.AdditionalFields[callField].(*call); ok {
				c.begin(one, cancel)
			}
		}
		return next(ctx, req)
	}
}

func (c *Calls) begin(one *call, cancel context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.cancel = cancel; one.cause != nil {
		cancel(*one.cause)
	}
}

// Cancel ends the context of a call, because the client of that session has cancelled the request with that id. It does
// nothing if the call is not in progress.
func (c *Calls) Cancel(session string, id any, reason string) {
	switch id.(type) {
	case string, float64, int64:
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.by[callID{session, id}]
	if one == nil {
		return
	}
	one.cause = cmp.Or(one.cause, &Cancelled{reason})
	if one.cancel != nil {
		one.cancel(*one.cause)
	}
}
