package resource

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
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

// AddLive adds a live resource to the server.
func AddLive(s *server.MCPServer, d *Provider, r Live) {
	s.AddResource(mcp.NewResource(r.URI, r.Name, mcp.WithResourceDescription(r.Description), mcp.WithMIMEType(MIMEJSON)),
		func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			text, err := json.Marshal(r.Read(ctx))
			if err != nil {
				return nil, &requestError{mcp.INTERNAL_ERROR, "Failed to read resource", req.Params.URI, err.Error()}
			}
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: MIMEJSON, Text: d.settle(string(text))}}, nil
		})
	told := r.News
	r.News = func(client string) []News {
		news := told(client)
		for i := range news {
			news[i].Text = d.settle(news[i].Text)
		}
		return news
	}
	d.notifier.follow(r)
}

// Forget drops the state of a client.
func (d *Provider) Forget(client string) {
	d.notifier.leave(client)
	if d.Activity != nil {
		d.Activity.End(client)
	}
}

// settle settles the hints of a text, see [textfmt.Hint].
func (d *Provider) settle(text string) string {
	if d.Settle == nil {
		return text
	}
	return d.Settle(text)
}

// ToolsChanged notifies a client that its list of tools has changed, once the call that changed it has ended.
func (d *Provider) ToolsChanged(client string) {
	if d.notifier != nil {
		d.notifier.toolsChanged(client)
	}
}

// Tools returns the tools that store content for resources.
func (d *Provider) Tools() []tool.Tool { return []tool.Tool{recordContext(d)} }
