package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext/plaintest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Programs that parse answers get the objects of the contracts: if they ask for them, if they have chosen another server's
// tools, and if they have the schemas of all results. Otherwise, and on request, answers are words.
func TestAnswersAreOfTheContract(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "print('an' + 'swer')", "x = 2")
		seed := []string{tool.ToolsetRTCMCP}
		for what, one := range map[string]struct {
			cfg   tools.Config
			words bool
		}{
			"by default":                  {tools.Config{}, true},
			"asked for":                   {tools.Config{Answers: tools.JSONAnswers}, false},
			"of rtc-mcp":                  {tools.Config{Toolsets: seed}, false},
			"of all":                      {tools.Config{Toolsets: tools.ToolsetNames()}, false},
			"of core and a seed's":        {tools.Config{Toolsets: []string{tool.ToolsetCore, tool.ToolsetAnalysis}}, false},
			"of core and runs":            {tools.Config{Toolsets: []string{tool.ToolsetCore, tool.ToolsetRuns}}, true},
			"with all schemas":            {tools.Config{OutputSchemas: tools.FullOutputs}, false},
			"with some schemas":           {tools.Config{OutputSchemas: tools.LeanOutputs}, true},
			"of a seed, in words":         {tools.Config{Toolsets: seed, Answers: tools.TextAnswers}, true},
			"with all schemas, in words":  {tools.Config{OutputSchemas: tools.FullOutputs, Answers: tools.TextAnswers}, true},
			"of core and runs, asked for": {tools.Config{Toolsets: []string{tool.ToolsetCore, tool.ToolsetRuns}, Answers: tools.JSONAnswers}, false},
		} {
			one.cfg.Work = r.Work
			c := r.Connect(one.cfg)
			t.Cleanup(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
			call := r.CallAs // checks JSON against the schemas
			if one.words {
				call = bare(t)
			}
			ran := toolstest.MessageOf(call(c, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(0)}))
			read := toolstest.MessageOf(call(c, "read_nb_cells", toolstest.Dict{"path": path}))
			if one.words {
				holdsWords(t, what, ran, read)
			} else {
				holdsContract(t, what, ran, read)
			}
		}
	})
}

// bare returns a function that calls tools without checking the answers.
func bare(t *testing.T) func(c *client.Client, name string, args toolstest.Dict) *mcp.CallToolResult {
	return func(c *client.Client, name string, args toolstest.Dict) *mcp.CallToolResult {
		t.Helper()
		var req mcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = name, args
		res, err := c.CallTool(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
}

// holdsWords checks that two answers are words.
func holdsWords(t *testing.T, what, ran, read string) {
	t.Helper()
	test.False(t, json.Valid([]byte(ran)), test.Sprint(what))
	test.StrHasSuffix(t, "]\n@@ out\nanswer", ran, test.Sprint(what))
	cells, _, err := plaintest.Cells(read)
	must.NoError(t, err, must.Sprint(what, read))
	must.SliceLen(t, 2, cells, must.Sprint(what, read))
	test.Eq(t, "print('an' + 'swer')", cells[0].Source, test.Sprint(what, read))
	must.SliceLen(t, 1, cells[0].Rest, must.Sprint(what, read))
	test.Eq(t, "answer", cells[0].Rest[0].Body, test.Sprint(what, read))
}

// holdsContract checks that two answers are the objects of the contract. The rig has checked them against their schemas.
func holdsContract(t *testing.T, what, ran, read string) {
	t.Helper()
	var result notebook.ExecuteResult
	err := json.Unmarshal([]byte(ran), &result)
	must.NoError(t, err, must.Sprint(what, ran))
	must.SliceLen(t, 1, result.Results, must.Sprint(what, ran))
	test.EqOp[any](t, "answer\n", result.Results[0].Outputs[0]["text"], test.Sprint(what, ran))
	var cells notebook.ReadResult
	err = json.Unmarshal([]byte(read), &cells)
	must.NoError(t, err, must.Sprint(what, read))
	must.SliceLen(t, 2, cells.Cells, must.Sprint(what, read))
	test.Eq(t, "c0", cells.Cells[0].ID, test.Sprint(what, read))
	test.EqOp[any](t, "answer\n", cells.Cells[0].Outputs[0]["text"], test.Sprint(what, read))
}

// The tools of the other servers answer according to their contracts, even if the tools of "core" answer in words.
func TestSeedsAnswerAsTheirContracts(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 1")
		for _, answers := range []tools.Answers{"", tools.TextAnswers, tools.JSONAnswers} {
			c := r.Connect(tools.Config{Work: r.Work, Toolsets: []string{tool.ToolsetRTCMCP, tool.ToolsetDatalayer, tool.ToolsetAnalysis}, Answers: answers})
			t.Cleanup(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
			for name, args := range map[string]toolstest.Dict{
				"get_nb_stat": {"path": path}, "list_documents": {"path": ""}, "get_base_url": {}, "session_list": {},
			} {
				if got := toolstest.MessageOf(r.CallAs(c, name, args)); !json.Valid([]byte(got)) {
					t.Errorf("%q: %s answers %s", answers, name, got)
				}
			}
			r.CallAs(c, "use_notebook", toolstest.Dict{"notebook_name": "n", "notebook_path": path})
			if got := toolstest.MessageOf(r.CallAs(c, "read_cell", toolstest.Dict{"cell_index": 0})); !strings.Contains(got, "=====Cell 0") {
				t.Errorf("%q: read_cell answers %s", answers, got)
			}
		}
	})
}
