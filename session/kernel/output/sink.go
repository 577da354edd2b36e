package output

import (
	"sync"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

// Sink handles the output of one run: a [Writer] for a run with a cell, a [Keeper] for one without.
type Sink interface {
	// Handle applies one event of the kernel.
	Handle(ev kernel.Event)
	// Snapshot returns the run's output so far.
	Snapshot() Snapshot
	// Count returns the execution count, once the kernel has reported it.
	Count() *int
	// LeftOut returns the text that the cell lacks.
	LeftOut() LeftOut
}

// Snapshot is a run's output so far.
type Snapshot struct {
	Outputs []ydoc.Output // as in the cell
	Count   *int          // the execution count, once the kernel has reported it
	// Dropped reports that the Jupyter server dropped output beyond its limits.
	Dropped bool
	// Omitted counts the bytes of output that the cell lacks because of the bounds. The last of them are in Outputs, after
	// the note that says so.
	Omitted int
	// Figures counts the figures that the cell lacks because of the bounds.
	Figures int
}

// held is the common part of both sinks.
type held struct {
	mu   sync.Mutex
	outs outputs
	cell []ydoc.Output // the cell's outputs if the server writes them; nil otherwise
}

// Snapshot returns the run's output so far.
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

// Count returns the execution count, once the kernel has reported it.
func (h *held) Count() *int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.outs.count
}

// LeftOut returns the text that the cell lacks.
func (h *held) LeftOut() LeftOut {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.outs.leftOut()
}

// Keeper handles the output of a run without a cell.
type Keeper struct{ held }

// NewKeeper returns a Keeper for the run with that id.
func NewKeeper(run string, stores Stores) *Keeper {
	k := &Keeper{}
	k.outs.run, k.outs.stores = run, stores
	return k
}

// Handle applies one event of the kernel.
func (k *Keeper) Handle(ev kernel.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.outs.add(ev)
	k.outs.kept()
}

// Finish adds the note about omitted output.
func (k *Keeper) Finish() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.outs.sayOmitted()
}
