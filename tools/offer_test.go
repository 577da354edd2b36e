package tools_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// listedBy returns the tools that are listed for a client.
func listedBy(t *testing.T, c *client.Client) map[string]mcp.Tool {
	t.Helper()
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]mcp.Tool{}
	for _, one := range list.Tools {
		out[one.Name] = one
	}
	return out
}

// refusedAs calls a tool that does not exist, and returns the protocol error.
func refusedAs(t *testing.T, c *client.Client, name string) string {
	t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name = name
	res, err := c.CallTool(t.Context(), req)
	if err == nil {
		t.Fatalf("%s can be called: %+v", name, res)
	}
	return err.Error()
}

// Without chosen toolsets, every tool can be called by its name, though the list shows only the core; with chosen ones, all
// other tools are refused, with the toolset that has them.
func TestListedAndCallable(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 1")
		c := r.Connect(tools.Config{Work: r.Work, Activity: r.Record, Answers: tools.JSONAnswers})
		defer c.Close()
		list := listedBy(t, c)
		must.LessEq(t, 20, len(list))
		test.NotEq(t, "", list["read_nb_cells"].Name)
		test.Eq(t, "", list["get_nb_stat"].Name)
		var stat map[string]any
		toolstest.Decode(t, r.CallAs(c, "get_nb_stat", toolstest.Dict{"path": path}), &stat)
		if stat["path"] != path {
			t.Errorf("not listed, but called: %v", stat)
		}
		got := refusedAs(t, c, "get_nb_stats")
		test.StrContains(t, got, "no tool", test.Sprint("unknown"))
		test.StrContains(t, got, "get_nb_stat", test.Sprint("unknown"))
		some := r.Connect(tools.Config{Work: r.Work, Toolsets: []string{tool.ToolsetRuns}})
		defer some.Close()
		got = refusedAs(t, some, "get_nb_stat")
		test.StrContains(t, got, "toolset notebook", test.Sprint("of another toolset"))
		test.StrContains(t, got, "--toolsets runs,notebook", test.Sprint("of another toolset"))
		quiet := r.Connect(tools.Config{Work: r.Work, ReadOnly: true})
		defer quiet.Close()
		if got := refusedAs(t, quiet, "delete_nb_cells"); !strings.Contains(got, "--read-only") {
			t.Errorf("read-only: %s", got)
		}
		list = listedBy(t, quiet)
		test.NotEq(t, "", list["call_tool"].Name, test.Sprint("read-only, call_tool is there and reads only"))
		test.True(t, *list["call_tool"].Annotations.ReadOnlyHint, test.Sprint("read-only, call_tool is there and reads only"))
	})
}

// The toolsets of the other servers are complete under their names.
func TestSetsOfTheSeeds(t *testing.T) {
	count := map[string]int{}
	for _, d := range tools.Definitions() {
		for _, set := range []string{tool.ToolsetCore, tool.ToolsetRTCMCP, tool.ToolsetAnalysis} {
			if d.In(set) {
				count[set]++
			}
		}
	}
	test.Eq(t, 27, count[tool.ToolsetRTCMCP])
	test.Eq(t, 20, count[tool.ToolsetCore])
	test.GreaterEq(t, 21, count[tool.ToolsetAnalysis])
}

// find_tools finds unlisted tools, and adds them to the client's own list, and notifies the client; call_tool calls
// them, with the same checks, without the list.
func TestFindAndCall(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 1")
		c := r.Connect(tools.Config{Work: r.Work, Activity: r.Record, Answers: tools.JSONAnswers})
		defer c.Close()
		other := r.Connect(tools.Config{Work: r.Work, Activity: r.Record})
		defer other.Close()
		var told atomic.Int32
		c.OnNotification(func(n mcp.JSONRPCNotification) {
			if n.Method == mcp.MethodNotificationToolsListChanged {
				told.Add(1)
			}
		})
		var found struct {
			Tools []struct {
				Name      string
				Arguments json.RawMessage
			}
			Message string
		}
		toolstest.Decode(t, r.CallAs(c, "find_tools", toolstest.Dict{"query": "copy a file"}), &found)
		must.SliceNotEmpty(t, found.Tools)
		must.Eq(t, "copy_document", found.Tools[0].Name)
		must.Nil(t, found.Tools[0].Arguments)
		test.Eq(t, "", listedBy(t, c)["copy_document"].Name, test.Sprint("naming a tool does not change a list"))
		toolstest.Decode(t, r.CallAs(c, "find_tools", toolstest.Dict{"query": "copy_document"}), &found)
		must.SliceLen(t, 1, found.Tools)
		must.StrContains(t, string(found.Tools[0].Arguments), `"path"`)
		test.NotEq(t, "", listedBy(t, c)["copy_document"].Name, test.Sprint("it is on the list of the client that found it, and of no other"))
		test.Eq(t, "", listedBy(t, other)["copy_document"].Name, test.Sprint("it is on the list of the client that found it, and of no other"))
		for range 100 {
			if told.Load() > 0 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if told.Load() != 1 {
			t.Errorf("the client was told %d times that its list has changed", told.Load())
		}
		toolstest.Decode(t, r.CallAs(c, "find_tools", toolstest.Dict{"wish": "rename or move a file"}), &found)
		must.SliceNotEmpty(t, found.Tools)
		test.Eq(t, "rename_document", found.Tools[0].Name, test.Sprint("by the former name of the argument"))
		for query, says := range map[string]string{"save a screenshot": "No tool does this", "send an email": "in a few English words", "ノートブックを開く": "in a few English words", "interrupt a running cell": "This tool is on your list", "use_notebook": "call_tool"} {
			toolstest.Decode(t, r.CallAs(c, "find_tools", toolstest.Dict{"query": query}), &found)
			test.StrContains(t, found.Message, says, test.Sprint(query))
		}
		for _, args := range []any{toolstest.Dict{"path": path}, `{"path": "` + path + `"}`} {
			var stat map[string]any
			toolstest.Decode(t, callAs(t, c, toolstest.Dict{"name": "get_nb_stat", "arguments": args}), &stat)
			if stat["path"] != path {
				t.Errorf("called: %v", stat)
			}
		}
		for says, args := range map[string]toolstest.Dict{
			"invalid arguments":          {"name": "get_nb_stat", "arguments": toolstest.Dict{"path": 5}},
			"the required argument":      {"name": "get_nb_stat"},
			"no tool":                    {"name": "no_such_tool"},
			"itself, not through":        {"name": "call_tool", "arguments": toolstest.Dict{}},
			"is not the text of a JSON ": {"name": "get_nb_stat", "arguments": "path"},
		} {
			res := callAs(t, c, args)
			test.True(t, res.IsError, test.Sprint(args))
			test.StrContains(t, toolstest.MessageOf(res), says, test.Sprint(args))
		}
	})
}

// callAs calls call_tool. Its result is another tool's, so the rig does not check it against its schema.
func callAs(t *testing.T, c *client.Client, args toolstest.Dict) *mcp.CallToolResult {
	t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = "call_tool", args
	res, err := c.CallTool(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Only clients of a protocol revision with output schemas receive them, and those of the core only if all are requested.
func TestOutputSchemas(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		for _, one := range []struct {
			outputs   tools.OutputSchemas
			revision  string
			core, run bool
		}{
			{"", "2025-06-18", false, false},
			{tools.LeanOutputs, "2025-06-18", false, true},
			{tools.FullOutputs, "2025-06-18", true, true},
			{tools.NoOutputs, "2025-06-18", false, false},
			{tools.FullOutputs, "2025-03-26", false, false},
			{"", "2024-11-05", false, false},
		} {
			c := r.Revision(tools.Config{Work: r.Work, Toolsets: tools.ToolsetNames(), OutputSchemas: one.outputs}, one.revision)
			list := listedBy(t, c)
			core, run := list["read_nb_cells"], list["get_run"]
			hasCore, hasRun := core.OutputSchema.Type != "" || core.RawOutputSchema != nil, run.OutputSchema.Type != "" || run.RawOutputSchema != nil
			test.Eq(t, one.core, hasCore)
			test.Eq(t, one.run, hasRun)
		}
	})
}

var toolName = regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b`)

// No definition names another tool, because the list differs between clients.
func TestDefinitionsNameNoOtherTools(t *testing.T) {
	known := map[string]bool{}
	for _, d := range tools.Definitions() {
		known[d.Name] = true
	}
	for _, d := range tools.Definitions() {
		b, err := json.Marshal(d.Definition())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range toolName.FindAllString(string(b), -1) {
			pair := d.Name == "find_tools" && name == "call_tool" || d.Name == "call_tool" && name == "find_tools"
			if known[name] && name != d.Name && !pair {
				t.Errorf("%s names %s", d.Name, name)
			}
		}
	}
}

// A hint names a tool that the client has: the most suitable one, or one that can replace it, or none.
func TestHintsNameWhatThereIs(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		for _, one := range []struct {
			toolsets []string
			says     string
		}{
			{nil, "too long ago; watch_runs shows the known ones"},
			{[]string{tool.ToolsetRuns}, "too long ago; list_runs shows the known ones"},
			{[]string{tool.ToolsetCore}, "too long ago; watch_runs shows the known ones"},
		} {
			c := r.Connect(tools.Config{Work: r.Work, Toolsets: one.toolsets})
			if got := toolstest.MessageOf(r.CallAs(c, "cancel_run", toolstest.Dict{"run_id": "none"})); !strings.Contains(got, one.says) {
				t.Errorf("%v: %s", one.toolsets, got)
			}
			c.Close()
		}
		c := r.Connect(tools.Config{Work: r.Work, Toolsets: []string{tool.ToolsetRTC}})
		defer c.Close()
		got := toolstest.MessageOf(r.CallAs(c, "end_nb_session", toolstest.Dict{"path": "/"}))
		test.StrNotContains(t, got, "list_", test.Sprint("nothing else"))
		test.StrContains(t, got, "root folder", test.Sprint("nothing else"))
	})
}
