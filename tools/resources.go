package tools

import "github.com/mark3labs/mcp-go/server"

// addResources makes resources of images and notebooks, lists them, and has clients hear of their changes.
func addResources(s *server.MCPServer, hooks *server.Hooks, d *deps) {
	d.live = addLive(hooks, d)
	addImages(s, d)
	addNotebooks(s, hooks, d)
	addLists(hooks, lister{"notebooks", d.listNotebooks}, lister{"images", d.listImages})
	codeErrors(hooks, d.live.refusal)
}
