package jupyter

import "sync"

// A ChangeCounter counts what may have changed on a server, and knows of the changes that go on, so that an older answer of
// the server can be known to be old. The zero value is ready for use. It is safe for concurrent use.
type ChangeCounter struct {
	mu    sync.Mutex
	n     uint64
	going int
}

// Begin begins a change, which lasts until end is called, once.
func (c *ChangeCounter) Begin() (end func()) {
	c.add(1)
	return func() { c.add(-1) }
}

// Note counts a change that is over.
func (c *ChangeCounter) Note() { c.add(0) }

func (c *ChangeCounter) add(going int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.going += going
}

// Count is a number that grows with each change's beginning and end. It is quiet when no change goes on.
func (c *ChangeCounter) Count() (n uint64, quiet bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n, c.going == 0
}
