package tool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/session/textfmt"
)

// Since MCP's version 2026-07-28 a server cannot send a request to a client. A call that needs input from the client's user
// is answered with the question, and the client repeats the call with the user's answer and the state from that question.
//
// The repeated call must not repeat the effects of the first one, such as inserting the cells that it runs. A call that may
// ask therefore runs in its own goroutine, which continues while the client asks its user. The state identifies that
// goroutine's call: it is random, and useless to other clients.

const (
	// maxSuspended bounds the calls kept at once.
	maxSuspended = 256
	// keptFor is how long the result of a call is kept for a client that does not fetch it.
	keptFor = 5 * time.Minute
)

// Suspended keeps the calls that can be continued, by their state.
type Suspended struct {
	// Start runs work in a goroutine whose end its provider awaits. It returns false if it accepts no more work.
	Start func(work func(end context.Context)) bool
	Log   *slog.Logger

	mu    sync.Mutex
	calls map[string]*openCall
}

// An openCall is one call, over all its requests.
type openCall struct {
	state  string
	client string
	tool   string
	cancel context.CancelCauseFunc // cancels its work
	done   chan struct{}           // closed when answer and err are set
	answer *Answer
	err    error
	asks   chan asked    // received by the attached request
	slot   chan struct{} // holds a token while a request is attached

	mu      sync.Mutex
	request context.Context // of the attached request, or nil
	asking  *asked          // sent to the client, not yet answered
	asked   int
}

// asked is a question of a call.
type asked struct {
	id     string
	params mcp.ElicitationParams
	reply  chan *mcp.ElicitationResult
}

// ErrAnswered means that the call has been answered, so its client cannot be asked any more.
var ErrAnswered = errors.New("the call has been answered")

type openCallKey struct{}

// openCallOf returns the call that a context belongs to, or nil for a call that is answered in one request.
func openCallOf(ctx context.Context) *openCall {
	c, _ := ctx.Value(openCallKey{}).(*openCall)
	return c
}

// AskThrough returns a function that asks the client of a call through the call's answers, or nil for a call that is
// answered in one request.
func AskThrough(ctx context.Context) func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	if c := openCallOf(ctx); c != nil {
		return c.elicit
	}
	return nil
}

// MayBeAsked reports whether the request's client can only be asked through the answer, and can answer questions.
func MayBeAsked(ctx context.Context) bool {
	info := server.RequestProtocolInfoFromContext(ctx)
	return info != nil && info.Modern && info.ClientCapabilities != nil && info.ClientCapabilities.Elicitation != nil
}

// Call runs a call, or the rest of it. The result is set if the client has to be asked a question first.
func (s *Suspended) Call(ctx context.Context, t Tool, req mcp.CallToolRequest) (*Answer, *mcp.CallToolResult, error) {
	var c *openCall
	if req.Params.RequestState == "" {
		if c = s.open(ctx, t, req); c == nil {
			a, err := t.Handle(ctx, req)
			return a, nil, err
		}
	} else if c = s.find(ctx, req.Params.RequestState, t.Name); c == nil {
		return nil, nil, errors.New("unknown requestState: the call that this one continues was abandoned, or nbduet was restarted since" + textfmt.Hint("; list_runs shows the outcome of its cells"))
	}
	select {
	case c.slot <- struct{}{}:
		defer func() { <-c.slot }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	waiting := c.attach(ctx, req)
	defer c.detach()
	if waiting != nil { // the client repeated the call without an answer
		return nil, c.question(*waiting), nil
	}
	select {
	case <-c.done:
	case q := <-c.asks:
		return nil, c.question(q), nil
	case <-ctx.Done():
		c.cancel(context.Cause(ctx))
		<-c.done // its result describes its cells
	}
	s.forget(c)
	return c.answer, nil, c.err
}

// open begins a call; it returns nil if no more calls can be kept.
func (s *Suspended) open(ctx context.Context, t Tool, req mcp.CallToolRequest) *openCall {
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c := &openCall{
		state: rand.Text(), client: ClientOf(ctx), tool: t.Name, cancel: cancel,
		done: make(chan struct{}), asks: make(chan asked), slot: make(chan struct{}, 1),
	}
	s.mu.Lock()
	full := len(s.calls) >= maxSuspended
	if !full {
		if s.calls == nil {
			s.calls = make(map[string]*openCall)
		}
		s.calls[c.state] = c
	}
	s.mu.Unlock()
	if full || !s.Start(func(end context.Context) { s.work(end, context.WithValue(work, openCallKey{}, c), c, t, req) }) {
		s.forget(c)
		return nil
	}
	return c
}

// work runs a call, and keeps its result for a while.
func (s *Suspended) work(end, ctx context.Context, c *openCall, t Tool, req mcp.CallToolRequest) {
	defer c.cancel(nil)
	defer context.AfterFunc(end, func() { c.cancel(nil) })()
	ctx, leave, err := AsClient(ctx)
	if err != nil {
		c.err = err
		close(c.done)
		return
	}
	defer leave()
	func() {
		defer close(c.done)
		defer func() {
			if r := recover(); r != nil {
				p := Caught(r)
				s.Log.ErrorContext(ctx, "a tool panicked", "tool", t.Name, "error", p, "stack", string(p.Stack))
				c.err = Fault{fmt.Errorf("%s: internal error, see the log of nbduet", t.Name)}
			}
		}()
		c.answer, c.err = t.Handle(ctx, req)
	}()
	late := time.NewTimer(keptFor)
	defer late.Stop()
	select {
	case <-late.C:
	case <-ctx.Done(): // the result was fetched, the client leaves, or the program ends
	}
	s.forget(c)
}

func (s *Suspended) find(ctx context.Context, state, tool string) *openCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[state]; c != nil && c.tool == tool && c.client == ClientOf(ctx) {
		return c
	}
	return nil
}

func (s *Suspended) forget(c *openCall) {
	s.mu.Lock()
	delete(s.calls, c.state)
	s.mu.Unlock()
	c.cancel(nil)
}

// attach makes a request the call's current one, and passes on the answer that it contains. It returns the question that is
// still open.
func (c *openCall) attach(ctx context.Context, req mcp.CallToolRequest) *asked {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.request = ctx
	if c.asking == nil {
		return nil
	}
	if res := server.ElicitationResponse(req.Params.InputResponses, c.asking.id); res != nil {
		c.asking.reply <- res // buffered
		c.asking = nil
	}
	return c.asking
}

func (c *openCall) detach() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.request = nil
}

// question returns an answer to the attached request that contains a question.
func (c *openCall) question(q asked) *mcp.CallToolResult {
	c.mu.Lock()
	c.asking = &q
	c.mu.Unlock()
	return server.NewInputRequestBuilder(c.state).Elicit(q.id, q.params).ToolResult()
}

// elicit asks the call's client, through the attached request or the next one.
func (c *openCall) elicit(ctx context.Context, params mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	c.mu.Lock()
	c.asked++
	q := asked{id: "input-" + strconv.Itoa(c.asked), params: params, reply: make(chan *mcp.ElicitationResult, 1)}
	c.mu.Unlock()
	select {
	case c.asks <- q:
	case <-c.done: // the call was answered, while its cells keep running
		return nil, ErrAnswered
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case res := <-q.reply:
		return res, nil
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.asking != nil && c.asking.id == q.id {
			c.asking = nil
		}
		return nil, ctx.Err()
	}
}

// attached returns the context of the attached request, or nil.
func (c *openCall) attached() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.request
}
