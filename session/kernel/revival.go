package kernel

import (
	"context"
	"time"
)

// When a kernel's process has died, the server subscribes to the output of the new one a moment after it has started.
// Output in between is lost, usually the first request's. So requests wait for the new process's first message.
const (
	askEvery = 300 * time.Millisecond // between two info requests
	askTries = 20                     // then the request goes out anyway
)

// expectProcess notes that the kernel's process has died, and that no message of the next one has come. c.mu is held.
func (c *Conn) expectProcess() {
	if c.firstMessage == nil {
		c.firstMessage = make(chan struct{})
	}
}

// processAnswered notes a message of the process. c.mu is held.
func (c *Conn) processAnswered() {
	if c.firstMessage != nil {
		close(c.firstMessage)
		c.firstMessage = nil
	}
}

// awaitProcess waits for the first message of a process that has replaced a dead one, and sends it info requests.
func (c *Conn) awaitProcess(ctx context.Context) error {
	for range askTries {
		c.mu.Lock()
		hears := c.firstMessage
		c.mu.Unlock()
		if hears == nil {
			return nil
		}
		m, outbox := c.ids.infoRequest("shell"), c.outbox
		again := time.After(askEvery)
		for waiting := true; waiting; {
			select {
			case outbox <- m:
				outbox = nil
			case <-hears:
				waiting = false
			case <-again:
				waiting = false
			case <-c.ctx.Done():
				waiting = false // the next step returns the error
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}
