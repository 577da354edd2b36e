package tools_test

import (
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A result has structured content if the tool is listed with the schema of its result, and never with an image: called by
// its name or by call_tool, in each revision of the protocol.
func TestStructuredContent(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "display({'image/png': '"+onePixel+"'}, raw=True)", "print('plain')")
		running := toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}
		drawing := toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}
		for _, one := range []struct {
			outputs      tools.OutputSchemas
			revision     string
			core, others bool
		}{
			{"", "2025-06-18", false, false},
			{"", mcp.ProtocolVersion20260728, false, false},
			{tools.NoOutputs, "2025-06-18", false, false},
			{tools.LeanOutputs, "2025-06-18", false, true},
			{tools.LeanOutputs, mcp.ProtocolVersion20260728, false, true},
			{tools.FullOutputs, "2025-11-25", true, true},
			{tools.FullOutputs, mcp.ProtocolVersion20260728, true, true},
			{tools.FullOutputs, "2025-03-26", false, false},
		} {
			c := r.Revision(tools.Config{Work: r.Work, OutputSchemas: one.outputs, Answers: tools.JSONAnswers}, one.revision)
			var ran notebook.ExecuteResult
			toolstest.Decode(t, r.CallAs(c, "execute_nb_cells", drawing), &ran)
			for what, call := range map[string]struct {
				tool   string
				args   toolstest.Dict
				shows  bool
				wanted bool
			}{
				"of core":                {"execute_nb_cells", running, false, one.core},
				"of another set":         {"get_nb_stat", toolstest.Dict{"path": path}, false, one.others},
				"of core, with a plot":   {"execute_nb_cells", drawing, true, false},
				"of another, with plots": {"get_run", toolstest.Dict{"run_id": ran.Results[0].RunID}, true, false},
			} {
				for how, res := range map[string]*mcp.CallToolResult{
					"by name":      r.CallAs(c, call.tool, call.args),
					"by call_tool": calledBy(r, c, call.tool, call.args),
				} {
					where := fmt.Sprintf("%q, %s, %s, %s", one.outputs, one.revision, what, how)
					if res.IsError {
						t.Fatalf("%s: %s", where, toolstest.MessageOf(res))
					}
					if got := res.StructuredContent != nil; got != call.wanted {
						t.Errorf("%s: structured content %v, want %v", where, got, call.wanted)
					}
					if shows := len(toolstest.ImagesOf(res)) > 0; shows != call.shows {
						t.Errorf("%s: with a picture %v, want %v", where, shows, call.shows)
					}
				}
			}
		}
	})
}

// calledBy calls a tool through call_tool.
func calledBy(r *toolstest.Rig, c *client.Client, tool string, args toolstest.Dict) *mcp.CallToolResult {
	r.T.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = "call_tool", toolstest.Dict{"name": tool, "arguments": args}
	res, err := c.CallTool(r.T.Context(), req)
	if err != nil {
		r.T.Fatal(err)
	}
	return res
}
