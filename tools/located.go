package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// located makes a core tool also take, as path, the address of a document in JupyterLab, and a file name without its folder
// if only one document has that name.
func located(d *deps.Deps, t tool.Tool) tool.Tool {
	if !t.In(tool.ToolsetCore) || !t.Input.Takes("path") {
		return t
	}
	handle := t.Handle
	t.Handle = func(ctx context.Context, req mcp.CallToolRequest) (*tool.Answer, error) {
		if given, _ := req.GetArguments()["path"].(string); strings.HasPrefix(given, "http://") || strings.HasPrefix(given, "https://") {
			documents := d.Manager.Servers().Documents
			if err := documents.Find(ctx); err != nil {
				return nil, err
			}
			path, err := target.PathInURL(given, documents.BaseURL())
			if err != nil {
				return nil, err
			}
			return callWith(ctx, handle, req, path)
		}
		a, err := handle(ctx, req)
		if absent, ok := errors.AsType[*target.AbsentError](err); ok && !strings.Contains(absent.Path.String(), "/") {
			switch found := named(ctx, d, absent.Path.Name()); len(found) {
			case 0:
			case 1:
				return callWith(ctx, handle, req, found[0].Path)
			default:
				err = fmt.Errorf("%w; documents of that name in folders are %s: give one of these paths", err,
					textfmt.QuotedList(lo.Map(found[:min(len(found), 5)], func(c jupyter.Content, _ int) string { return c.Path.String() })))
			}
		}
		return a, err
	}
	return t
}

// callWith makes a call with another path, which the answer names.
func callWith(ctx context.Context, handle func(context.Context, mcp.CallToolRequest) (*tool.Answer, error), req mcp.CallToolRequest, path jupyter.Path) (*tool.Answer, error) {
	args := maps.Clone(req.GetArguments())
	args["path"] = path.String()
	req.Params.Arguments = args
	a, err := handle(ctx, req)
	if err != nil {
		return a, fmt.Errorf("%w (path taken as %s)", err, textfmt.Quoted(path.String()))
	}
	a.People = append([]string{"path taken as " + path.String()}, a.People...)
	return a, nil
}

// named returns the documents with a file name, in any folder; none if the folders cannot be listed.
func named(ctx context.Context, d *deps.Deps, name string) []jupyter.Content {
	found, _, err := d.Walk(ctx, files.Search{
		What: "document", Depth: files.MaxDepth, Wants: func(c jupyter.Content) bool { return c.Type != "directory" && c.Name == name },
	})
	if err != nil {
		return nil
	}
	return found
}
