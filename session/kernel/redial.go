package kernel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// redial connects again under the same session id, so that the server sends its buffered messages. It soon gives up on a
// server that does not answer, because callers that wait for a run must learn that it is lost; a server that answers other
// requests may take its time for a kernel that it restarts.
func (c *Conn) redial(cause error) (*websocket.Conn, error) {
	c.mu.Lock()
	c.state.gap()
	c.introduced = "" // it may be another process
	c.waiting = false
	since := c.alive
	c.mu.Unlock()
	lost := time.Now()
	giveUp := lost.Add(c.timing.redial)
	if silent := since.Add(c.timing.silence); !silent.After(lost) {
		giveUp = lost // it was waited for already
	}
	pause := 50 * time.Millisecond
	for {
		limit := min(max(time.Until(giveUp), c.timing.look), c.timing.redialOne)
		ctx, cancel := context.WithTimeout(c.ctx, limit)
		ws, err := c.server.srv.Kernels.Dial(ctx, c.kernelID, c.ids.session)
		cancel()
		switch {
		case err == nil:
			c.noteAlive()
			return ws, nil
		case c.ctx.Err() != nil:
			return nil, ErrClosed
		case errors.Is(err, jupyter.ErrNotFound):
			return nil, c.server.missing(c.ctx)
		case errors.Is(err, jupyter.ErrUnauthorized), errors.Is(err, jupyter.ErrForbidden):
			return nil, fmt.Errorf("%w: it was lost (%w), and reconnecting failed: %w", ErrClosed, cause, err)
		}
		if !time.Now().Before(giveUp) {
			switch {
			case !c.server.answers(c.ctx):
				return nil, &AwayError{Since: since, Err: err}
			case time.Since(lost) > c.timing.redialMax:
				return nil, fmt.Errorf("%w: it was lost (%w), and reconnecting failed: %w", ErrClosed, cause, err)
			}
			giveUp = time.Now().Add(c.timing.redial)
		}
		select {
		case <-c.ctx.Done():
			return nil, ErrClosed
		case <-time.After(pause):
		}
		pause = min(2*pause, time.Second)
	}
}

// noteAlive notes that the server has responded.
func (c *Conn) noteAlive() {
	c.mu.Lock()
	c.alive = time.Now()
	c.mu.Unlock()
}

// awake checks, when a connection is used again after a while, that it still leads to the kernel. It returns an error if a
// gateway does not answer; if the kernel is gone it ends the connection, and it replaces a socket on which the kernel is
// silent.
func awake(ctx context.Context, c *Conn) error {
	heard, idle := rested(c)
	if !idle {
		return nil
	}
	asking, enough := context.WithTimeout(ctx, c.timing.look)
	k, err := c.server.srv.Kernels.Get(asking, c.kernelID)
	enough()
	switch {
	case errors.Is(err, jupyter.ErrNoGateway):
		return fmt.Errorf("use a kernel's connection: %w", err)
	case errors.Is(err, jupyter.ErrNotFound):
		c.end(c.server.missing(c.ctx))
		return nil
	case err != nil || k.ExecutionState != StateIdle:
		return nil // a later step reports why
	}
	m, outbox := c.ids.infoRequest("control"), c.outbox
	tick := time.NewTicker(awakeAsk)
	defer tick.Stop()
	for end := time.Now().Add(c.timing.greetWait); time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return fmt.Errorf("use a kernel's connection: %w", ctx.Err())
		case <-c.ctx.Done():
			return nil
		case outbox <- m:
			outbox = nil
		case <-tick.C:
		}
		if now, _ := rested(c); !now.Equal(heard) {
			return nil
		}
	}
	c.log.Info("kernel sends nothing on its connection", "kernel", c.kernelID)
	dropSocket(c)
	return nil
}

// awakeAsk is the time between two checks for the kernel's answer.
const awakeAsk = 5 * time.Millisecond

// rested returns when the kernel's last message came, and reports whether that is a while ago and no request is pending.
func rested(c *Conn) (heard time.Time, rested bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard, c.waiting && len(c.pending) == 0 && time.Since(c.heard) > c.timing.askAfter
}
