package filesync

import (
	"context"
	"sync/atomic"
	"time"
)

// Each edit by any client interrupts a save that the server has begun, unless it is already writing the file, and the save
// starts again after a second without edits. A cell that prints would interrupt every save. So our own output, which comes
// in batches anyway, is held during a save.

// maxHold is the longest time that output is held: people are waiting for it, and a save may take longer, or never finish
// while a person types.
const maxHold = 2 * time.Second

// outputGate holds output. Its first begin comes before the first wait.
type outputGate struct{ over atomic.Value } // a channel that is closed when output may pass

// begin holds output until end is called, at most for calmMax.
func (c *outputGate) begin() (end func()) {
	hold, end := context.WithTimeout(context.Background(), maxHold)
	c.over.Store(hold.Done())
	return end
}

// wait returns a channel that is closed when output may pass.
func (c *outputGate) wait() <-chan struct{} { return c.over.Load().(<-chan struct{}) }
