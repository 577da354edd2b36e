package output

import "github.com/nbduet/nbduet/session/kernel"

// Keeper takes in the output of a run that has no cell to show it.
type Keeper struct{ held }

// NewKeeper makes one for the run of that id. What is more than is kept goes to spools.
func NewKeeper(run string, spools *Spools) *Keeper {
	k := &Keeper{}
	k.outs.run, k.outs.spools = run, spools
	return k
}

// Handle takes in one event of the kernel.
func (k *Keeper) Handle(ev kernel.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.outs.add(ev)
	k.outs.kept()
}

// Finish notes how much was left out.
func (k *Keeper) Finish() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.outs.sayOmitted()
}
