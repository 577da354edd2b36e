package resource

import (
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/tool"
)

// Add makes images and notebooks resources, lists them, and notifies clients of their changes.
func Add(s *server.MCPServer, hooks *server.Hooks, d *Provider) {
	d.notifier = startNotifier(hooks, d)
	addImages(s, d)
	addNotebooks(s, hooks, d)
	addLists(hooks, lister{"modules", d.listModules}, lister{"notebooks", d.listNotebooks}, lister{"images", d.listImages})
	codeErrors(hooks, d.notifier.refusal, d.Log)
}

// Forget drops what is kept for a client.
func (d *Provider) Forget(client string) {
	d.notifier.leave(client)
	if d.Activity != nil {
		d.Activity.End(client)
	}
}

// Tools returns the tools that keep what resources show.
func (d *Provider) Tools() []tool.Tool { return []tool.Tool{recordContext(d)} }
