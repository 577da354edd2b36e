package resource

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/analysis/templates"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// maxCompletions is the protocol's limit for the values of a completion.
const maxCompletions = 100

// A Completer completes arguments of prompts and variables in addresses of resources, with values that the client can use.
type Completer struct{ D *Provider }

// CompleteResourceArgument implements server.ResourceCompletionProvider.
func (c Completer) CompleteResourceArgument(ctx context.Context, uri string, arg mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	var values []string
	switch {
	case strings.HasPrefix(uri, target.NotebookScheme), strings.HasPrefix(uri, target.ExportScheme):
		values = c.notebook(ctx, arg.Name, given.Arguments)
	case strings.HasPrefix(uri, ContextScheme):
		values = c.D.completeContext(ctx, arg.Name)
	case strings.Contains(uri, "/images/"):
		values = c.image(ctx, arg.Name, given.Arguments)
	case strings.HasPrefix(uri, target.JupyterScheme) && arg.Name == "session_id":
		values = c.D.Analyses.IDs(tool.ClientOf(ctx))
	case strings.HasPrefix(uri, target.JupyterScheme) && arg.Name == "path":
		values = completeFiles(c.D.Deps, "")(ctx, arg.Value, nil)
	}
	return completion(values, arg.Value), nil
}

// completion returns the values that begin with prefix, each once, in the order given.
func completion(values []string, prefix string) *mcp.Completion {
	out := []string{}
	seen := map[string]bool{}
	for _, v := range values {
		if strings.HasPrefix(v, prefix) && v != "" && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	total := len(out)
	return &mcp.Completion{Values: out[:min(total, maxCompletions)], Total: total, HasMore: total > maxCompletions}
}

// notebook returns the values for a variable in the address of a notebook, given the other variables.
func (c Completer) notebook(ctx context.Context, name string, given map[string]string) (values []string) {
	if name == "pattern" {
		return lo.Map(templates.All(), func(t templates.Template, _ int) string { return t.Name })
	}
	for _, o := range c.D.OwnedNotebooks(ctx) {
		if s := given["session_id"]; s != "" && s != o.Session && name != "session_id" {
			continue
		}
		if n := given["notebook_id"]; n != "" && n != o.Doc.FileID() && name != "notebook_id" && name != "session_id" {
			continue
		}
		switch name {
		case "session_id":
			values = append(values, o.Session)
		case "notebook_id":
			values = append(values, o.Doc.FileID())
		case "file":
			values = append(values, target.ExportName(o.Doc.Path()))
		case "cell_id":
			values = append(values, o.Doc.Notebook().IDs()...)
		case "run_id":
			for _, r := range c.D.runsOf(ctx, o.Doc) {
				values = append(values, r.ID)
			}
		case "ext":
			values = append(values, extensions(o.Doc, given["cell_id"])...)
		}
	}
	return values
}

// extensions returns the file extension of a cell, or of all cells if none is named.
func extensions(doc *session.Document, cell string) (out []string) {
	nb := doc.Notebook()
	for _, c := range nb.Cells() {
		if ext := strings.TrimPrefix(cellLanguage(nb, c).Extension, "."); (cell == "" || cell == c.ID) && !slices.Contains(out, ext) {
			out = append(out, ext)
		}
	}
	return out
}

// image returns the values for a variable in the address of an image.
func (c Completer) image(ctx context.Context, name string, given map[string]string) (values []string) {
	sessions := c.D.ImageSessions(ctx)
	if name == "session_id" {
		return sessions
	}
	if s := given["session_id"]; s != "" {
		sessions = slices.DeleteFunc(sessions, func(mine string) bool { return mine != s })
	}
	list, _ := c.D.Images.Store.List(sessions, 0, 10*maxCompletions)
	for _, e := range list {
		_, file, _ := strings.Cut(e.URI(), "/images/")
		id, ext, _ := strings.Cut(file, ".")
		switch {
		case name == "image_id":
			values = append(values, id)
		case name == "ext" && (given["image_id"] == "" || given["image_id"] == id):
			values = append(values, ext)
		}
	}
	return values
}
