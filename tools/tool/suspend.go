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
)

// Since its version 2026-07-28 a server cannot ask a client anything of its own accord. A call that needs an answer is
// itself answered with the question, and the client makes it once more, with the answer and the state that it was given.
//
// What a call has done so far, such as inserting the cells that it runs, must not be done again then. So a call that may
// come to ask is carried out by a goroutine of its own, which goes on while the client asks its user. The state is the
// name of that goroutine's call: random, and without meaning to anybody else.

const (
	// maxSuspended bounds the calls whose clients ask their users.
	maxSuspended = 256
	// keptFor is how long the outcome of a call is kept for a client that does not come back for it.
	keptFor = 5 * time.Minute
)

// Suspended are the calls that can be continued, by their state.
type Suspended struct {
	// start has work done in a goroutine that somebody waits for; false where no more can be.
	Start func(work func(end context.Context)) bool
	Log   *slog.Logger

	mu    sync.Mutex
	calls map[string]*openCall
}

// An openCall is one call, over all the requests that it takes.
type openCall struct {
	state  string
	client string
	tool   string
	cancel context.CancelFunc // of its work
	done   chan struct{}      // closed when answer and err are there
	answer *Answer
	err    error
	asks   chan asked    // taken by the request that is attached
	slot   chan struct{} // holds a token while a request is attached

	mu      sync.Mutex
	request context.Context // of the request that is attached; nil while there is none
	asking  *asked          // told to the client, and not answered
	asked   int
}

// asked is a question of a call's.
type asked struct {
	id     string
	params mcp.ElicitationParams
	reply  chan *mcp.ElicitationResult
}

// ErrAnswered is why nobody can be asked on behalf of a call any more.
var ErrAnswered = errors.New("the call has been answered")

type openCallKey struct{}

// openCallOf is the call that a context belongs to, nil for one that is answered in one request.
func openCallOf(ctx context.Context) *openCall {
	c, _ := ctx.Value(openCallKey{}).(*openCall)
	return c
}

// AskThrough asks the client of a call by way of the call's answers; nil for a call that is answered in one request.
func AskThrough(ctx context.Context) func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	if c := openCallOf(ctx); c != nil {
		return c.elicit
	}
	return nil
}

// MayBeAsked tells whether the request's client has to be asked by way of the answer, and can be.
func MayBeAsked(ctx context.Context) bool {
	info := server.RequestProtocolInfoFromContext(ctx)
	return info != nil && info.Modern && info.ClientCapabilities != nil && info.ClientCapabilities.Elicitation != nil
}

// Call carries out a call, or what is left of it. The result is set where the client is to be asked something first.
func (s *Suspended) Call(ctx context.Context, t Tool, req mcp.CallToolRequest) (*Answer, *mcp.CallToolResult, error) {
	var c *openCall
	if req.Params.RequestState == "" {
		if c = s.open(ctx, t, req); c == nil {
			a, err := t.Handle(ctx, req)
			return a, nil, err
		}
	} else if c = s.find(ctx, req.Params.RequestState, t.Name); c == nil {
		return nil, nil, errors.New("the call that this one continues is no longer known: it was given up, or this program was started again since; list_runs shows what its cells have come to")
	}
	select {
	case c.slot <- struct{}{}:
		defer func() { <-c.slot }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	waiting := c.attach(ctx, req)
	defer c.detach()
	if waiting != nil { // the client has come back without an answer
		return nil, c.question(*waiting), nil
	}
	select {
	case <-c.done:
	case q := <-c.asks:
		return nil, c.question(q), nil
	case <-ctx.Done():
		c.cancel()
		<-c.done // which says what has become of its cells
	}
	s.forget(c)
	return c.answer, nil, c.err
}

// open begins a call; nil where no more of them can be kept.
func (s *Suspended) open(ctx context.Context, t Tool, req mcp.CallToolRequest) *openCall {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
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
		cancel()
		return nil
	}
	return c
}

// work carries out a call and keeps its outcome for a while.
func (s *Suspended) work(end, ctx context.Context, c *openCall, t Tool, req mcp.CallToolRequest) {
	defer c.cancel()
	defer context.AfterFunc(end, c.cancel)()
	bound, leave, err := AsClient(ctx)
	if err != nil {
		c.err = err
		close(c.done)
		return
	}
	defer leave()
	ctx = bound
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
	case <-ctx.Done(): // fetched, or the client leaves, or the program ends
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
	c.cancel()
}

// attach notes the request on whose behalf the call goes on, and hands over the answer that it brings. It returns the
// question that is still open.
func (c *openCall) attach(ctx context.Context, req mcp.CallToolRequest) *asked {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.request = ctx
	if c.asking == nil {
		return nil
	}
	if res := server.ElicitationResponse(req.Params.InputResponses, c.asking.id); res != nil {
		c.asking.reply <- res // has room for it
		c.asking = nil
	}
	return c.asking
}

func (c *openCall) detach() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.request = nil
}

// question answers the attached request with a question.
func (c *openCall) question(q asked) *mcp.CallToolResult {
	c.mu.Lock()
	c.asking = &q
	c.mu.Unlock()
	return server.NewInputRequestBuilder(c.state).Elicit(q.id, q.params).ToolResult()
}

// elicit asks the call's client, through the request that is attached or the one that comes.
func (c *openCall) elicit(ctx context.Context, params mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	c.mu.Lock()
	c.asked++
	q := asked{id: "input-" + strconv.Itoa(c.asked), params: params, reply: make(chan *mcp.ElicitationResult, 1)}
	c.mu.Unlock()
	select {
	case c.asks <- q:
	case <-c.done: // the call has been answered, and its cells go on
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

// attached is the context of the request on whose behalf the call goes on; nil while there is none.
func (c *openCall) attached() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.request
}
