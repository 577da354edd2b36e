package output

import "github.com/nbduet/nbduet/session/kernel"

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
