package kernel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// redial connects again under the same session id, so that the server sends the messages that it has kept. A server that
// does not answer at all is given up soon, because callers that wait for a run must learn that it is lost; one that answers
// other requests may take its time for a kernel that it restarts.
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

// noteAlive notes a sign of life of the server.
func (c *Conn) noteAlive() {
	c.mu.Lock()
	c.alive = time.Now()
	c.mu.Unlock()
}

// awake sees, when a connection is used again after a while, that it still leads to the kernel. The error is for a gateway
// that does not answer; a kernel that is gone ends the connection, and a socket on which it says nothing is left for another.
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
		return nil // it says why later, if at all
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
	c.log.Info("kernel says nothing on its connection", "kernel", c.kernelID)
	dropSocket(c)
	return nil
}

// awakeAsk is the time between two looks whether the kernel has answered.
const awakeAsk = 5 * time.Millisecond

// rested is when the kernel was last heard of, and reports whether that is a while ago, and nothing is asked of it.
func rested(c *Conn) (heard time.Time, rested bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard, c.waiting && len(c.pending) == 0 && time.Since(c.heard) > c.timing.askAfter
}
