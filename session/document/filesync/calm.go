package filesync

import (
	"sync"
	"time"
)

// Each edit of anybody's breaks off a save that the server has begun, unless it is writing the file already, and the
// save starts anew after a second without edits. A cell that prints would break off every one. So our own output, which
// comes in batches anyway, is held while a save goes on.

// calmMax is how long output is held at most: for people who see it, and because a save may take longer, or never come
// to its end while somebody types.
const calmMax = 2 * time.Second

// calm holds output. The zero value lets it pass.
type calm struct {
	mu   sync.Mutex
	over chan struct{} // closed when output may pass; nil if it may now
	most *time.Timer
}

// passing is a channel that is closed.
var passing = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// begin holds output back, until end or for calmMax.
func (c *calm) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	over := make(chan struct{})
	c.over = over
	c.most = time.AfterFunc(calmMax, func() { c.let(over) })
}

// end lets output pass.
func (c *calm) end() {
	c.mu.Lock()
	over := c.over
	c.most.Stop()
	c.mu.Unlock()
	c.let(over)
}

// let ends one hold, unless it has ended.
func (c *calm) let(over chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if over != nil && c.over == over {
		close(over)
		c.over = nil
	}
}

// wait is a channel that is closed when output may pass.
func (c *calm) wait() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over == nil {
		return passing
	}
	return c.over
}
