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
// does not answer at all is given up soon, because whoever waits for a run must hear that it is lost; one that answers
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
		ws, err := c.srv.Kernels.Dial(ctx, c.kernelID, c.ids.session)
		cancel()
		switch {
		case err == nil:
			c.noteAlive()
			return ws, nil
		case c.ctx.Err() != nil:
			return nil, ErrClosed
		case errors.Is(err, jupyter.ErrNotFound):
			return nil, c.missing()
		case errors.Is(err, jupyter.ErrUnauthorized), errors.Is(err, jupyter.ErrForbidden):
			return nil, fmt.Errorf("%w: it was lost (%w), and reconnecting failed: %w", ErrClosed, cause, err)
		}
		if !time.Now().Before(giveUp) {
			switch {
			case !c.answers():
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

// answers reports whether the server answers at all.
func (c *Conn) answers() bool {
	ctx, cancel := context.WithTimeout(c.ctx, c.timing.look)
	defer cancel()
	_, err := c.srv.Health.Status(ctx)
	return err == nil || errors.Is(err, jupyter.ErrNoGateway)
}

// noteServer notes when the server was started, so that a restart of it can be told from the end of one kernel.
func (c *Conn) noteServer() {
	ctx, cancel := context.WithTimeout(c.ctx, askTimeout)
	defer cancel()
	st, err := c.srv.Health.Status(ctx)
	if err != nil {
		return // then a kernel that is gone counts as shut down
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started.IsZero() {
		c.started = st.Started
	}
}

// missing is why the server no longer has the kernel.
func (c *Conn) missing() error {
	c.mu.Lock()
	started := c.started
	c.mu.Unlock()
	if started.IsZero() {
		return fmt.Errorf("%w: the server no longer has it", ErrShutDown)
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.timing.look)
	defer cancel()
	st, err := c.srv.Health.Status(ctx)
	switch {
	case err != nil || st.Started.IsZero() || st.Started.Equal(started):
		return fmt.Errorf("%w: the server no longer has it", ErrShutDown)
	}
	return ErrServerRestarted
}

// noteAlive notes a sign of life of the server.
func (c *Conn) noteAlive() {
	c.mu.Lock()
	c.alive = time.Now()
	c.mu.Unlock()
}

// quiet reports whether the server has been silent for so long that it may be away, although the reader waits for it.
// c.mu is held.
func (c *Conn) quiet(now time.Time) bool {
	return c.waiting && now.Sub(c.alive) > c.timing.away
}

// keepOpening allows a socket that the server does not read yet another period of silence, and reports whether it does.
//
// jupyter_server takes a socket, and reads it when the kernel has answered a question of its own, or after a minute. To
// leave it before that loses what comes after it: what it has subscribed to is handed on to the next socket of the
// session, and taken back when its minute is over, so that a client that comes every ten seconds is never heard again.
func (c *Conn) keepOpening() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unopened.IsZero() || time.Since(c.unopened) > c.timing.opening {
		return false
	}
	c.alive = time.Now()
	return c.socket.NetConn().SetReadDeadline(c.alive.Add(c.timing.silence)) == nil
}

// leaveSocket closes a socket from which nothing comes any more, though the server can be asked or is known to be gone.
// The answers to our pings are given time to come first: a server that has only stood still sends on the old socket what
// it has, and a new one would lose that.
func (c *Conn) leaveSocket() {
	select {
	case <-c.ctx.Done():
		return
	case <-time.After(c.timing.ping + c.timing.tick):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.quiet(time.Now()) && c.socket != nil {
		_ = c.socket.Close() // the reader's error leads to another one
	}
}

// awake sees, when a connection is used again after a while, that it still leads to the kernel. The error is for a gateway
// that does not answer; a kernel that is gone ends the connection, and a socket on which it says nothing is left for another.
func awake(ctx context.Context, c *Conn) error {
	heard, idle := rested(c)
	if !idle {
		return nil
	}
	asking, enough := context.WithTimeout(ctx, c.timing.look)
	k, err := c.srv.Kernels.Get(asking, c.kernelID)
	enough()
	switch {
	case errors.Is(err, jupyter.ErrNoGateway):
		return fmt.Errorf("use a kernel's connection: %w", err)
	case errors.Is(err, jupyter.ErrNotFound):
		c.end(c.missing())
		return nil
	case err != nil || k.ExecutionState != StateIdle:
		return nil // it says why later, if at all
	}
	m, err := question(c)
	if err != nil {
		return err
	}
	outbox := c.outbox
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
