package kernel

import (
	"context"
	"time"
)

// How a new process is listened for. The server's ear for a kernel's output comes back a moment after the process has,
// and what the kernel says in between is lost: the output of the first request after a death, mostly.
const (
	askEvery = 300 * time.Millisecond // between two questions
	askTries = 20                     // then the request goes out all the same
)

// expectProcess notes that the kernel's process has ended by itself, and that nothing has been heard of the next one. c.mu is
// held.
func (c *Conn) expectProcess() {
	if c.unheard == nil {
		c.unheard = make(chan struct{})
	}
}

// processHeard notes a word of the process. c.mu is held.
func (c *Conn) processHeard() {
	if c.unheard != nil {
		close(c.unheard)
		c.unheard = nil
	}
}

// awaitProcess waits until something has been heard of a process that took the place of a dead one, asking it for a word.
func (c *Conn) awaitProcess(ctx context.Context) error {
	for range askTries {
		c.mu.Lock()
		hears := c.unheard
		c.mu.Unlock()
		if hears == nil {
			return nil
		}
		m, err := newOutgoing("shell", c.ids.header("kernel_info_request"), nil, struct{}{})
		if err != nil {
			return err
		}
		outbox := c.outbox
		again := time.NewTimer(askEvery)
		for waiting := true; waiting; {
			select {
			case outbox <- m:
				outbox = nil
			case <-hears:
				waiting = false
			case <-again.C:
				waiting = false
			case <-c.ctx.Done():
				waiting = false // what follows says why
			case <-ctx.Done():
				again.Stop()
				return ctx.Err()
			}
		}
		again.Stop()
	}
	return nil
}
