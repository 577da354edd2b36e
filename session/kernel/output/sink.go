package output

import (
	"sync"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

// Sink takes in the output of one run: a [Writer] for a run with a cell, a [Keeper] for one without.
type Sink interface {
	// Handle applies one event of the kernel.
	Handle(ev kernel.Event)
	// Snapshot is the run's output so far.
	Snapshot() Snapshot
	// Count is the execution count, once the kernel has given it.
	Count() *int
	// LeftOut is the text that the cell does not get.
	LeftOut() LeftOut
}

// Snapshot is what a run has put out so far.
type Snapshot struct {
	Outputs []ydoc.Output // as they stand in the cell
	Count   *int          // the execution count, once the kernel has given it
	// Dropped tells that the Jupyter server left out output of its own accord, beyond its limits.
	Dropped bool
	// Omitted counts the bytes of output that the cell does not hold because there were too many. The last of them are in
	// Outputs, after the note that says so.
	Omitted int
	// Figures counts the figures that the cell does not hold because there were too many.
	Figures int
}

// held is what both sinks hold.
type held struct {
	mu   sync.Mutex
	outs outputs
	cell []ydoc.Output // the cell's outputs if the server writes them; nil otherwise
}

// Snapshot is the run's output so far.
func (h *held) Snapshot() Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cell != nil {
		return Snapshot{Outputs: h.cell, Count: h.outs.count}
	}
	return Snapshot{
		Outputs: h.outs.remembered(), Count: h.outs.count, Dropped: h.outs.dropped, Omitted: h.outs.omitted, Figures: h.outs.figures,
	}
}

// Count is the execution count, once the kernel has given it.
func (h *held) Count() *int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.outs.count
}

// LeftOut is the text that the cell does not get.
func (h *held) LeftOut() LeftOut {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.outs.leftOut()
}
