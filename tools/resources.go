package tools

import (
	"github.com/mark3labs/mcp-go/server"
	"github.com/nbduet/nbduet/session/activity"
)

// addResources makes resources of images and notebooks, lists them, and has clients hear of their changes.
func addResources(s *server.MCPServer, hooks *server.Hooks, d *provider) {
	d.live = addLive(hooks, d)
	addImages(s, d)
	addNotebooks(s, hooks, d)
	addLists(hooks, lister{"notebooks", d.listNotebooks}, lister{"images", d.listImages})
	codeErrors(hooks, d.live.refusal)
}

// A provider offers the resources and prompts, and knows what they are about besides notebooks.
type provider struct {
	*deps
	live     *live
	activity *activity.Store // nil where the toolset context is off
	project  *projectFile
	prompts  []prompt
}

// forget ends what is kept for a client.
func (d *provider) forget(client string) {
	d.live.leave(client)
	if d.activity != nil {
		d.activity.End(client)
	}
}
