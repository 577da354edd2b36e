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
	codeErrors(hooks, d.settle, d.notifier.refusal, d.Log)
}

// Forget drops what is kept for a client.
func (d *Provider) Forget(client string) {
	d.notifier.leave(client)
	if d.Activity != nil {
		d.Activity.End(client)
	}
}

// settle settles the hints of a text, see [words.Hint].
func (d *Provider) settle(text string) string {
	if d.Settle == nil {
		return text
	}
	return d.Settle(text)
}

// ToolsChanged tells a client that its list of tools has changed, once the call that changed it is over.
func (d *Provider) ToolsChanged(client string) {
	if d.notifier != nil {
		d.notifier.toolsChanged(client)
	}
}

// Tools returns the tools that keep what resources show.
func (d *Provider) Tools() []tool.Tool { return []tool.Tool{recordContext(d)} }
