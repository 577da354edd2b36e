package filesync

import (
	"context"
	"sync/atomic"
	"time"
)

// Each edit of anybody's breaks off a save that the server has begun, unless it is writing the file already, and the
// save starts anew after a second without edits. A cell that prints would break off every one. So our own output, which
// comes in batches anyway, is held while a save goes on.

// calmMax is how long output is held at most: for people who see it, and because a save may take longer, or never come
// to its end while somebody types.
const calmMax = 2 * time.Second

// calm holds output. Its first begin comes before the first wait.
type calm struct{ over atomic.Value } // a channel that is closed when output may pass

// begin holds output back, until end is called or for calmMax.
func (c *calm) begin() (end func()) {
	hold, end := context.WithTimeout(context.Background(), calmMax)
	c.over.Store(hold.Done())
	return end
}

// wait is a channel that is closed when output may pass.
func (c *calm) wait() <-chan struct{} { return c.over.Load().(<-chan struct{}) }
