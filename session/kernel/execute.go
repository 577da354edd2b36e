package kernel

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// eventBuffer is how many events are buffered for a handler before the reading goroutine waits for it.
const eventBuffer = 32

// Request is code to run.
type Request struct {
	Code string
	// Silent code gets no number, no history and no output.
	Silent bool
	// StoreHistory counts the code and keeps it in the kernel's history; Silent overrides it.
	StoreHistory bool
	// AllowStdin lets the code ask for input, see [InputRequest]; without it, asking is an exception in the code.
	AllowStdin bool
	// UserExpressions are evaluated after the code, if it did not fail.
	UserExpressions map[string]string
	// First, if not empty, is a Python expression that the kernel's process evaluates before the request, once for all
	// requests with the same First. Its result is ignored. A kernel known to be for another language does not get it.
	First string
	// Late, if not nil, lets handle receive output that comes after the end of the request, such as that of the code's
	// threads and tasks: until the context, the connection or the kernel's process ends. One goroutine of the connection
	// delivers it in order; while its handler waits, the kernel's other messages wait, too.
	Late context.Context
	// Marked, if not nil, is called before the request is sent, with the mark that lets a later connection take it up.
	Marked func(Mark)
}

// Reply is the kernel's reply to a request.
type Reply struct {
	// Status is "ok", "error" or "aborted" (not run, because something before it failed or it was interrupted).
	Status string
	// Count is the execution count; 0 if the kernel gave none.
	Count int
	// Error is set with the status "error".
	Error *Error
	// UserExpressions holds, by name, an object with "status" and either "data" or the exception.
	UserExpressions map[string]any
	// Payload holds the kernel's requests to its client, such as to show a help page.
	Payload []map[string]any
}

// execution is a request on its way. The fields below done are guarded by Conn.mu.
type execution struct {
	id     string
	late   context.Context // see Request.Late; nil for none
	handle func(Event)     // gets the late events
	events chan Event
	done   chan struct{} // closed when it has ended: no event comes after that
	gone   chan struct{} // closed when the caller stops taking events

	written   bool // on its way to the kernel
	begun     bool // the kernel has begun it
	missed    bool // the kernel was idle, and announced its shutdown without having begun it
	idle      bool // the kernel has sent its idle status
	ended     bool
	reply     *Reply
	err       error
	session   string    // the kernel's own, from its messages
	probe     string    // id of the probe whose answer shows that none will come for this one
	failure   error     // the error to report then
	waitUntil time.Time // when to stop waiting for the idle status; zero for never
}

func newExecution(id string) *execution {
	return &execution{id: id, events: make(chan Event, eventBuffer), done: make(chan struct{}), gone: make(chan struct{})}
}

// Execute runs code and calls handle with the events, in order and one at a time; handle may be nil. Several requests may be
// on their way at once; the kernel runs them one after the other. stop_on_error is always false, so that a failure here does
// not cancel other clients' queued code.
//
// It returns when the kernel has finished the request. A Python exception is not an error of Execute: see Reply.Error. The
// errors are ErrKernelRestarted (with ErrKernelDied if the restart was not requested), ErrKernelDead (with ErrNotReached if
// the code can be sent to another kernel), ErrAnswerLost, ErrClosed, or the context's own: then the kernel keeps running
// the code, and no more events come.
func (c *Conn) Execute(ctx context.Context, req Request, handle func(Event)) (Reply, error) {
	defer c.server.srv.Changes.Begin()() // code writes files
	if err := c.awaitProcess(ctx); err != nil {
		return Reply{}, fmt.Errorf("execute code: %w", err)
	}
	expressions := req.UserExpressions
	if expressions == nil {
		expressions = map[string]string{}
	}
	m := newOutgoing("shell", c.ids.header("execute_request"), nil, map[string]any{
		"code": req.Code, "silent": req.Silent, "store_history": req.StoreHistory && !req.Silent,
		"user_expressions": expressions, "allow_stdin": req.AllowStdin, "stop_on_error": false,
	})
	ex := newExecution(m.id)
	if handle != nil {
		ex.late, ex.handle = req.Late, handle
	}
	m.sending = func() bool { return c.setWritten(ex, true) }
	m.unsent = func() { c.setWritten(ex, false) }
	if req.Marked != nil {
		req.Marked(Mark{Server: c.server.srv.BaseURL(), Kernel: c.kernelID, Session: c.ids.session, Request: m.id})
	}
	if err := c.register(ex); err != nil {
		return Reply{}, fmt.Errorf("execute code: %w", err)
	}
	c.introduce(ctx, ex, req.First)
	return c.follow(ctx, ex, c.outbox, m, handle)
}

// follow sends a request, unless outbox is nil, and hands its events over until it has ended.
func (c *Conn) follow(ctx context.Context, ex *execution, outbox chan<- outgoing, m outgoing, handle func(Event)) (Reply, error) {
	defer close(ex.gone)
	defer c.forget(ex)
	for {
		select {
		case outbox <- m:
			outbox = nil
		case ev := <-ex.events:
			if handle != nil {
				handle(ev)
			}
		case <-ctx.Done():
			ex.drain(handle) // the output so far belongs to the caller
			return Reply{}, fmt.Errorf("execute code: %w", ctx.Err())
		case <-ex.done:
			return c.conclude(ex, handle)
		}
	}
}

// conclude hands over the remaining events and returns the outcome.
func (c *Conn) conclude(ex *execution, handle func(Event)) (Reply, error) {
	ex.drain(handle)
	c.mu.Lock()
	defer c.mu.Unlock()
	if ex.err != nil {
		return Reply{}, fmt.Errorf("execute code: %w", ex.err)
	}
	if ex.reply.Status == "aborted" {
		c.introduced = "" // First was not evaluated either
	}
	return *ex.reply, nil
}

// drain hands over the buffered events.
func (ex *execution) drain(handle func(Event)) {
	for {
		select {
		case ev := <-ex.events:
			if handle != nil {
				handle(ev)
			}
		default:
			return
		}
	}
}

func (c *Conn) register(ex *execution) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := cmp.Or(c.err, c.gone()); err != nil {
		return unreached(err)
	}
	c.pending[ex.id] = ex
	return nil
}

func (c *Conn) forget(ex *execution) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, ex.id)
}

// setWritten notes whether an execution is on its way, and reports whether a caller still waits for it.
func (c *Conn) setWritten(ex *execution, written bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ex.written = written
	return c.pending[ex.id] == ex
}

// finishDead ends an execution whose kernel is gone. c.mu is held.
func (c *Conn) finishDead(ex *execution, err error) {
	if !ex.written || ex.missed && !ex.begun {
		err = unreached(err)
	}
	c.finish(ex, err)
}

// unreached adds ErrNotReached to the end of a kernel.
func unreached(err error) error {
	if !errors.Is(err, ErrKernelDead) {
		return err
	}
	return fmt.Errorf("%w, and %w", err, ErrNotReached)
}

// finish ends an execution, with its reply or with err. c.mu is held.
func (c *Conn) finish(ex *execution, err error) {
	if ex.ended {
		return
	}
	ex.ended = true
	delete(c.pending, ex.id)
	if err == nil && ex.begun && ex.idle && ex.reply != nil {
		c.state.requestDone()
	}
	if err != nil || ex.reply == nil {
		ex.err = err
		if err == nil {
			ex.err = ErrAnswerLost
		}
	}
	if c.asking != nil && c.asking.request == ex.id {
		c.asking = nil
	}
	if ex.err == nil && ex.late != nil {
		c.late.byID[ex.id] = ex
		context.AfterFunc(ex.late, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.late.byID, ex.id)
		})
	}
	close(ex.done)
}

// decodeReply decodes an execute_reply's content.
func decodeReply(content json.RawMessage) (*Reply, error) {
	var r struct {
		Error
		Status          string    `json:"status"`
		Count           int       `json:"execution_count"`
		UserExpressions mapping   `json:"user_expressions"`
		Payload         []mapping `json:"payload"`
	}
	if err := json.Unmarshal(content, &r); err != nil {
		return nil, fmt.Errorf("execute_reply: %w", err)
	}
	reply := &Reply{Status: r.Status, Count: r.Count, UserExpressions: r.UserExpressions}
	if r.Status == "error" {
		reply.Error = &r.Error
	}
	for _, p := range r.Payload {
		reply.Payload = append(reply.Payload, p)
	}
	return reply, nil
}
