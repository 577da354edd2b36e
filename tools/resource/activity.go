package resource

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// localOwner owns the sessions of all clients that start this program themselves, because these belong to the same user.
const localOwner = "local"

// activityClient returns the client of ctx for the record of activity. A client that connects over the network owns its
// sessions alone: no other client sees them.
func activityClient(ctx context.Context) activity.Client {
	c := activity.Client{Key: tool.ClientOf(ctx), Owner: localOwner}
	if tool.ClientIn(ctx) != nil {
		c.Owner = c.Key
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		info := s.GetClientInfo()
		c.Name = oneLine(info.Name + " " + info.Version)
	}
	return c
}

// Recording counts a tool's calls in the record of activity, each successful call with its files.
func (d *Provider) Recording(t tool.Tool) tool.Tool {
	if d.Activity == nil {
		return t
	}
	handle := t.Handle
	t.Handle = func(ctx context.Context, req mcp.CallToolRequest) (*tool.Answer, error) {
		bound, meant := target.WithMeant(ctx)
		a, err := handle(bound, req)
		var files []string
		if err == nil {
			files = d.filesOf(ctx, req, a, meant)
		}
		d.Activity.Called(activityClient(ctx), files...)
		return a, err
	}
	return t
}

// filesOf returns the files of a call, from its answer and its arguments. meant returns the file that a path turned out to
// mean.
func (d *Provider) filesOf(ctx context.Context, req mcp.CallToolRequest, a *tool.Answer, meant func(path jupyter.Path) jupyter.Path) []string {
	var files []string
	add := func(path jupyter.Path) {
		if file := meant(path).String(); !path.IsRoot() && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	if a != nil && a.Doc != nil {
		add(a.Doc.Path())
	}
	args := req.GetArguments()
	for _, name := range []string{"path", "notebook_path", "file_path", "newPath", "copyPath"} {
		if text, ok := args[name].(string); ok {
			if path, err := jupyter.ParsePath(text); err == nil {
				add(path)
			}
		}
	}
	if id, ok := args["session_id"].(string); ok && len(files) == 0 {
		if s, err := d.Analyses.Get(tool.ClientOf(ctx), id); err == nil {
			add(s.NotebookPath())
		}
	}
	return files
}
