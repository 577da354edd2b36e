package tools

import (
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Resources, templates, completions and prompts are the same in the protocol's
// revisions with sessions and in the one without.
func TestResourcesInBothEras(t *testing.T) {
	for _, revision := range []string{"2025-06-18", "2025-11-25", mcp.ProtocolVersion20260728} {
		t.Run(revision, func(t *testing.T) {
			r := newRig(t)
			file := r.server.Write(t, r.server.Name(t, "-project.yaml"), toolstest.Shop)
			r.who = (&tool.Clients{}).Enter() // who asks is not told by the protocol in the newest one
			ctx := tool.WithClient(t.Context(), r.who)
			c := r.revision(Config{Work: r.work, Version: "test", Toolsets: toolsetNames(), Activity: r.record, Project: file}, revision)
			path := r.server.Write(t, r.server.Name(t, ".ipynb"), notebookJSON(
				`{"id":"title","cell_type":"markdown","metadata":{},"source":"# Sales"}`,
				`{"id":"load","cell_type":"code","metadata":{},"outputs":[],"execution_count":null,"source":"1/0"}`,
			))
			read := func(uri string) (string, error) {
				var req mcp.ReadResourceRequest
				req.Params.URI = uri
				res, err := c.ReadResource(ctx, req)
				if err != nil {
					return "", err
				}
				return toolstest.AsJSON(t, res.Contents), nil
			}
			var ran notebook.ExecuteResult
			decode(t, r.callAs(c, "execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1}}}), &ran)
			list, err := c.ListResources(ctx, mcp.ListResourcesRequest{})
			if err != nil {
				t.Fatal(err)
			}
			var uri string
			for _, one := range list.Resources {
				if strings.HasPrefix(one.URI, desk.NotebookScheme) && strings.Count(one.URI, "/") == 3 && !strings.HasPrefix(one.URI, desk.UriTemplates) {
					uri = one.URI
				}
			}
			for at, want := range map[string]string{
				desk.UriList: path, desk.UriCurrent: "# Sales", uri: "# Sales", uri + "/srcmd": "1/0", uri + "/json": "nbformat", uri + "/cells": "load",
				uri + "/cells/load": "1/0", uri + "/cells/load/outputs": "ZeroDivisionError", uri + "/executions/" + ran.Results[0].RunID: "failed",
				desk.UriTemplates + "mcts": "```python", resource.UriOverview: "# Project: My SaaS App", resource.UriModule + "auth": "# Module: auth",
				resource.UriCurrentWork: "### " + path, resource.UriRecent + "?limit=5": "# Recent Sessions (1)",
			} {
				if got, err := read(at); err != nil || !strings.Contains(got, want) {
					t.Errorf("%s: %v, %s", at, err, got)
				}
			}
			for _, at := range []string{desk.NotebookScheme + "other/none", uri + "/cells/none", uri + "/nothing", resource.UriModule + "none", resource.ContextScheme + "none"} {
				if got, err := read(at); err == nil {
					t.Errorf("%s is %s", at, got)
				}
			}
			templates, err := c.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
			if err != nil || len(templates.ResourceTemplates) < 10 {
				t.Errorf("%v, %v", templates, err)
			}
			var ask mcp.CompleteRequest
			ask.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: resource.UriModule + "{name}"}
			ask.Params.Argument = mcp.CompleteArgument{Name: "name", Value: "a"}
			if got, err := c.Complete(ctx, ask); err != nil || len(got.Completion.Values) != 1 || got.Completion.Values[0] != "auth" {
				t.Errorf("%+v, %v", got, err)
			}
			var prompt mcp.GetPromptRequest
			prompt.Params.Name, prompt.Params.Arguments = "fix_failing_cell", map[string]string{"path": path}
			if got, err := c.GetPrompt(ctx, prompt); err != nil || len(got.Messages) != 1 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// revision is a client of a server of its own, in a revision of the protocol.
func (r *rig) revision(cfg Config, revision string) *client.Client {
	r.t.Helper()
	s, err := New(cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	var options []client.ClientOption
	var hello mcp.InitializeRequest
	if hello.Params.ProtocolVersion = revision; revision == mcp.ProtocolVersion20260728 {
		options, hello = append(options, client.WithProtocolVersion(revision)), mcp.InitializeRequest{}
	}
	c, err := client.NewInProcessClientWithOptions(s, options...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	if err := c.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	if got, err := c.Initialize(r.t.Context(), hello); err != nil || got.ProtocolVersion != revision {
		r.t.Fatalf("protocol version %v, %v", got, err)
	}
	return c
}
