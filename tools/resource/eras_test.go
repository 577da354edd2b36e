package resource_test

import (
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// Resources, templates, completions and prompts are the same in the protocol's revisions with sessions and in the one
// without.
func TestResourcesInBothEras(t *testing.T) {
	for _, revision := range []string{"2025-06-18", "2025-11-25", mcp.ProtocolVersion20260728} {
		t.Run(revision, func(t *testing.T) {
			r := toolstest.New(t)
			file := r.Server.Write(t, r.Server.Name(t, "-project.yaml"), sample.Shop)
			r.Who = (&tool.Clients{}).Enter() // the newest protocol does not identify the client
			ctx := tool.WithClient(t.Context(), r.Who)
			c := r.Revision(tools.Config{Work: r.Work, Version: "test", Toolsets: tools.ToolsetNames(), Activity: r.Record, Project: jupyter.MustPath(file)}, revision)
			path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), notebookJSON(
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
				return sample.AsJSON(t, res.Contents), nil
			}
			var ran notebook.ExecuteResult
			toolstest.Decode(t, r.CallAs(c, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}), &ran)
			list, err := c.ListResources(ctx, mcp.ListResourcesRequest{})
			if err != nil {
				t.Fatal(err)
			}
			var uri string
			for _, one := range list.Resources {
				if strings.HasPrefix(one.URI, target.NotebookScheme) && strings.Count(one.URI, "/") == 3 && !strings.HasPrefix(one.URI, target.URITemplates) {
					uri = one.URI
				}
			}
			for at, want := range map[string]string{
				target.URIList: path, target.URICurrent: "# Sales", uri: "# Sales", uri + "/srcmd": "1/0", uri + "/json": "nbformat", uri + "/cells": "load",
				uri + "/cells/load": "1/0", uri + "/cells/load/outputs": "ZeroDivisionError", uri + "/executions/" + ran.Results[0].RunID: "failed",
				target.URITemplates + "mcts": "```python", resource.URIOverview: "# Project: My SaaS App", resource.URIModule + "auth": "# Module: auth",
				resource.URICurrentWork: "### " + path, resource.URIRecent + "?limit=5": "# Recent Sessions (1)",
			} {
				got, err := read(at)
				must.NoError(t, err, must.Sprint(at))
				test.StrContains(t, got, want, test.Sprint(at))
			}
			for _, at := range []string{target.NotebookScheme + "other/none", uri + "/cells/none", uri + "/nothing", resource.URIModule + "none", resource.ContextScheme + "none"} {
				if got, err := read(at); err == nil {
					t.Errorf("%s is %s", at, got)
				}
			}
			templates, err := c.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
			must.NoError(t, err)
			test.GreaterEq(t, 10, len(templates.ResourceTemplates))
			var ask mcp.CompleteRequest
			ask.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: resource.URIModule + "{name}"}
			ask.Params.Argument = mcp.CompleteArgument{Name: "name", Value: "a"}
			got, err := c.Complete(ctx, ask)
			must.NoError(t, err)
			must.SliceLen(t, 1, got.Completion.Values)
			test.Eq(t, "auth", got.Completion.Values[0])
			var prompt mcp.GetPromptRequest
			prompt.Params.Name, prompt.Params.Arguments = "fix_failing_cell", map[string]string{"path": path}
			if got, err := c.GetPrompt(ctx, prompt); err != nil || len(got.Messages) != 1 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
