package kernel

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// dispatch handles one message; it runs on the reading goroutine and waits for a slow handler.
func (c *Conn) dispatch(m incoming) {
	switch m.channel {
	case "iopub":
		switch m.header.Type {
		case "status":
			c.onStatus(m)
		case "shutdown_reply":
			c.onShutdown(m)
		default:
			c.onOutput(m)
		}
	case "shell":
		switch m.header.Type {
		case "execute_reply":
			c.onReply(m)
		case "kernel_info_reply":
			c.onInfo(m)
			c.onProbeReply(m.parent.ID)
		}
	case "control":
		if m.header.Type == "kernel_info_reply" {
			c.onInfo(m)
		}
	case "stdin":
		if m.header.Type == "input_request" {
			c.onInputRequest(m)
		}
	}
}

// onStatus follows the kernel's state, and ends what a restart or death has ended.
func (c *Conn) onStatus(m incoming) {
	var content struct {
		State string `json:"execution_state"`
	}
	if err := json.Unmarshal(m.content, &content); err != nil {
		c.log.Warn("kernel message ignored", "kernel", c.kernelID, "type", m.header.Type, "error", err)
		return
	}
	c.mu.Lock()
	c.state.status(content.State, m.parent.ID)
	ex := c.pending[m.parent.ID]
	switch content.State {
	case StateStarting, StateBusy, StateIdle:
		c.processAnswered()
	}
	switch content.State {
	case StateStarting, StateRestarting, StateDead:
		c.introduced = ""
		clear(c.late.byID)
	}
	switch content.State {
	case StateStarting:
		// A new process. The old one's running request is lost; a probe decides about the rest.
		c.restarted(ErrKernelRestarted)
	case StateRestarting:
		// Only the server sends this, when it restarts a kernel whose process died.
		c.restartErr = errDied
		c.expectProcess()
		c.restarted(errDied)
	case StateDead:
		for _, p := range c.pending {
			c.finishDead(p, ErrKernelDead)
		}
	case StateBusy:
		c.leaving = time.Time{}
		if ex != nil {
			ex.begun, ex.session = true, m.header.Session
		}
	}
	c.mu.Unlock()
	if ex == nil {
		c.finishAfterProbe(m.parent.ID, content.State)
		return
	}
	c.deliver(ex, Status{State: content.State})
	if content.State == StateIdle {
		c.mu.Lock()
		ex.idle = true
		c.finishIfAnswered(ex)
		c.mu.Unlock()
	}
}

// onShutdown handles the kernel's shutdown_reply.
func (c *Conn) onShutdown(m incoming) {
	var content struct {
		Restart bool `json:"restart"`
	}
	_ = json.Unmarshal(m.content, &content) // if unreadable, assume the worse
	c.mu.Lock()
	occupied := c.state.occupied(m.parent.ID)
	c.state.shutdown(content.Restart)
	c.introduced = ""
	if content.Restart {
		c.restartErr = ErrKernelRestarted
		c.restarted(ErrKernelRestarted)
	} else {
		c.leaving = time.Now()
		for _, ex := range c.pending {
			// An idle kernel begins a request at once, and reports that before it announces its end. A request that came
			// too late may still begin while the kernel ends: the outcome is known when the kernel is gone.
			ex.missed = ex.written && !ex.begun && !occupied && ex.failure == nil
			if !ex.missed {
				c.finishDead(ex, ErrShutDown)
			}
		}
	}
	c.mu.Unlock()
	c.wakeWatcher()
}

// onOutput hands a message about one of our requests to its handler.
func (c *Conn) onOutput(m incoming) {
	c.mu.Lock()
	ex := c.pending[m.parent.ID]
	late := ex == nil
	if late {
		ex = c.late.byID[m.parent.ID]
	}
	var session string
	if ex != nil {
		ex.begun = true
		session = ex.session
	}
	c.mu.Unlock()
	if ex == nil {
		return // of another client, or of a forgotten request
	}
	ev, err := decodeEvent(m)
	if err != nil {
		c.log.Warn("kernel message ignored", "kernel", c.kernelID, "type", m.header.Type, "error", err)
		return
	}
	if s, ok := ev.(Stream); ok && isRateNotice(s, m.header.Session, session) {
		ev = RateLimited{Text: s.Text}
	}
	if late {
		c.late.deliver(c.ctx, ex, ev)
		return
	}
	c.deliver(ex, ev)
}

func (c *Conn) onReply(m incoming) {
	reply, err := decodeReply(m.content)
	if err != nil {
		c.log.Warn("kernel reply cannot be read", "kernel", c.kernelID, "error", err)
		reply = &Reply{Status: "error", Error: &Error{Name: "UnreadableReply", Value: "the kernel's reply could not be read"}}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	ex := c.pending[m.parent.ID]
	if ex == nil {
		return
	}
	ex.reply = reply
	// An aborted request has no output, and not every kernel sends an idle status for it.
	ex.idle = ex.idle || reply.Status == "aborted"
	c.finishIfAnswered(ex)
}

// finishIfAnswered ends an execution whose reply and idle status have come. c.mu is held.
func (c *Conn) finishIfAnswered(ex *execution) {
	if ex.reply != nil && ex.idle {
		c.finish(ex, nil)
	}
}

// deliver hands an event to an execution's handler, and waits while the handler's buffer is full.
func (c *Conn) deliver(ex *execution, ev Event) {
	if ev == nil {
		return
	}
	select {
	case ex.events <- ev:
	case <-ex.gone:
	case <-ex.done:
	case <-c.ctx.Done():
	}
}

// lateOutput hands on the output of requests that have ended, see [Request.Late].
type lateOutput struct {
	events chan lateEvent
	start  sync.Once
	byID   map[string]*execution // the ended requests whose process may still produce output; guarded by Conn.mu
}

type lateEvent struct {
	ex *execution
	ev Event
}

// deliver hands an event to the handOn goroutine, and waits while its buffer is full.
func (l *lateOutput) deliver(ctx context.Context, ex *execution, ev Event) {
	if ev == nil {
		return
	}
	l.start.Do(func() { go l.handOn(ctx) })
	select {
	case l.events <- lateEvent{ex, ev}:
	case <-ex.late.Done():
	case <-ctx.Done():
	}
}

// handOn calls the handlers. It runs in its own goroutine so that ending the connection need not wait for them.
func (l *lateOutput) handOn(ctx context.Context) {
	for {
		select {
		case e := <-l.events:
			select {
			case <-e.ex.gone: // events from before the end have been handed over
			case <-ctx.Done():
				return
			}
			if e.ex.late.Err() == nil {
				e.ex.handle(e.ev)
			}
		case <-ctx.Done():
			return
		}
	}
}
