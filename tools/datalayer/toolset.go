package datalayer

import (
	"github.com/nbduet/nbduet/tools/deps"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A Toolset makes the tools of the toolset, and remembers which notebooks each client has named.
type Toolset struct {
	*deps.Deps
	used deps.PerClient[*userNotebooks]
	// Notebook is the path of the notebook that each client begins with, "" for none.
	Notebook jupyter.Path
}

// Forget drops the state of a client.
func (d *Toolset) Forget(client string) { d.used.Forget(client) }
