package kernel

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A Mark names a request that was sent to a kernel, so that another connection, even of another process, can take it up.
type Mark struct {
	Server  string // base URL
	Kernel  string
	Session string // of the connection
	Request string // the message's id
}

// Resume connects to a kernel under the session of an earlier connection, which must have ended, to take up its request
// with [Conn.Await]. The server buffers the messages of a session while no other client is connected to the kernel, and
// sends them first; otherwise the messages in between are missing. The kernel addresses its answers to the session, so they
// arrive here.
func Resume(ctx context.Context, srv *jupyter.Server, m Mark, opt Options) (*Conn, error) {
	return resume(ctx, srv, m, opt, defaultTiming)
}

func resume(ctx context.Context, srv *jupyter.Server, m Mark, opt Options, tm timing) (*Conn, error) {
	ids := &idMaker{session: m.Session, part: randomID()[:8] + "_"}
	return dialAs(ctx, srv, m.Kernel, opt, tm, ids, func(c *Conn) {
		ex := newExecution(m.Request)
		// As after a lost connection: if the kernel answers the probe first, nothing more comes for the request.
		ex.written, ex.failure = true, ErrAnswerLost
		c.pending[ex.id], c.resumed = ex, ex
		c.first, c.refresh = append(c.first, c.newProbe()), true
	})
}

// Await follows the request of [Resume] to its end, as [Conn.Execute] does. It returns [ErrAnswerLost] if the kernel no
// longer has it: it ended while no client was connected, or the kernel's process was replaced. Call it once, and soon:
// until then the connection waits.
func (c *Conn) Await(ctx context.Context, handle func(Event)) (Reply, error) {
	c.mu.Lock()
	ex := c.resumed
	c.resumed = nil
	c.mu.Unlock()
	if ex == nil {
		return Reply{}, fmt.Errorf("await a request: %w", errors.New("the connection resumed none"))
	}
	return c.follow(ctx, ex, nil, outgoing{}, handle)
}
