package jupyter

import "sync"

// A ChangeCounter counts possible changes on a server and tracks those in progress, so that a cached answer can be
// recognised as outdated. The zero value is ready to use. It is safe for concurrent use.
type ChangeCounter struct {
	mu    sync.Mutex
	n     uint64
	going int
}

// Begin starts a change, which lasts until end is called, once.
func (c *ChangeCounter) Begin() (end func()) {
	c.add(1)
	return func() { c.add(-1) }
}

// Note counts a completed change.
func (c *ChangeCounter) Note() { c.add(0) }

func (c *ChangeCounter) add(going int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.going += going
}

// Count returns a number that grows at the start and the end of each change. quiet reports that no change is in
// progress.
func (c *ChangeCounter) Count() (n uint64, quiet bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n, c.going == 0
}
