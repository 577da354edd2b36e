package datalayer

import "github.com/nbduet/nbduet/tools/desk"

// Toolset are the tools of the toolset, and what they keep for each client.
type Toolset struct {
	*desk.Desk
	used desk.PerClient[*userNotebooks]
	// notebook is the path of the one that each client begins with, "" for none.
	Notebook string
}

// Forget ends what is kept for a client.
func (d *Toolset) Forget(client string) { d.used.Forget(client) }
