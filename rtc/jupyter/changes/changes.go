// Package changes counts what may have changed on a Jupyter server, so that what was asked of it before can be known to be
// old. A [Counter] is safe for concurrent use.
package changes

import "sync"

// A Counter counts changes, and knows of those that go on. The zero value is ready for use.
type Counter struct {
	mu    sync.Mutex
	n     uint64
	going int
}

// Begin begins a change, which lasts until end is called, once.
func (c *Counter) Begin() (end func()) {
	c.add(1)
	return func() { c.add(-1) }
}

// Note counts a change that is over.
func (c *Counter) Note() { c.add(0) }

func (c *Counter) add(going int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.going += going
}

// Count is a number that grows with each change's beginning and end. It is quiet when no change goes on.
func (c *Counter) Count() (n uint64, quiet bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n, c.going == 0
}
