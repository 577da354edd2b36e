package datalayer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// The older names still work as they did.
func TestDatalayerOldNames(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		for _, tool := range []string{"list_cells", "read_cells"} {
			r.Bad(tool, nil, "use_notebook")
		}
		path := r.Use("print('a')\nprint('b')", "x")
		r.Said("insert_cell", toolstest.Dict{"cell_index": 2, "cell_type": "markdown", "cell_source": "# T\n\ntext\n"})
		r.Wants(r.Said("list_cells", nil), "Index\tType\tCount\tFirst Line\n0\tcode\tNone\tprint('a')...(1 lines hidden)\n1\tcode\tNone\tx\n2\tmarkdown\tN/A\t# T...(2 lines hidden)")
		r.Lists(r.Result("execute_cell_simple_timeout", toolstest.Dict{"cell_index": 0}), "a\nb\n")
		r.Lists(r.Result("execute_cell_with_progress", toolstest.Dict{"cell_index": 0, "timeout_seconds": 60}), "a\nb\n")
		r.Lists(r.Worked(r.Result("execute_cell_streaming", toolstest.Dict{"cell_index": 0, "timeout_seconds": 60, "progress_interval": 1})), "a\nb\n")
		r.Lists(r.Result("execute_ipython", toolstest.Dict{"code": "6 * 7"}), "42")
		r.Bad("execute_cell_streaming", toolstest.Dict{"cell_index": 2}, "only code cells")
		got := r.Result("execute_ipython", toolstest.Dict{"code": "import time; time.sleep(600)", "timeout": 1})
		if got[0] != "[TIMEOUT ERROR: IPython execution exceeded 1 seconds and was interrupted]" {
			t.Errorf("%q", got)
		}
		r.Said("overwrite_cell_source", toolstest.Dict{"cell_index": 1, "cell_source": "time.sleep(600)"})
		for tool, want := range map[string]string{
			"execute_cell_simple_timeout": "[TIMEOUT ERROR: Cell execution exceeded 1 seconds]",
			"execute_cell_with_progress":  "[TIMEOUT ERROR: Execution exceeded 1 seconds]",
		} {
			if got := "|" + strings.Join(r.Result(tool, toolstest.Dict{"cell_index": 1, "timeout_seconds": 1}), "|"); !strings.Contains(got, "|"+want+"|") {
				t.Errorf("%s: %q", tool, got)
			}
		}
		body, _ := r.Good("read_cells", nil, nil).StructuredContent.(map[string]any)
		cells, _ := body["result"].([]any)
		must.SliceLen(t, 3, cells)
		test.Eq(t, `map["index":%!q(float64=0) "outputs":["a\nb\n"] "source":["print('a')\n" "print('b')"] "type":"code"]`, fmt.Sprintf("%q", cells[0]))
		test.Eq(t, `["# T\n" "\n" "text"]`, fmt.Sprintf("%q", cells[2].(map[string]any)["source"]))
		all := r.Said("list_notebook", nil)
		test.StrHasPrefix(t, "Path\tManaged\tName\tStatus\tCurrent\n", all)
		test.StrContains(t, all, "\n"+path+"\tYes\tnb\talive\t✓")
		r.Good("delete_document", toolstest.Dict{"path": path}, nil)
		if all := r.Said("list_notebook", nil); !strings.Contains(all, "\n"+path+"\tYes (not found)\tnb\t") {
			t.Errorf("%.1000s", all)
		}
		r.Bad("read_cells", nil, "'"+path+"' not found")
	})
}

// The cells of a long notebook do not all fit in an answer, which says where to continue.
func TestReadCellsIsBounded(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		var sources []string
		for i := range 60 {
			sources = append(sources, fmt.Sprintf("# %d\n", i)+strings.Repeat("x", 20_000))
		}
		r.Use(sources...)
		body, _ := r.Good("read_cells", nil, nil).StructuredContent.(map[string]any)
		n, left := len(body["result"].([]any)), body["cells_left_out"]
		test.GreaterEq(t, 10, n)
		test.EqOp[any](t, float64(60-n), left)
	})
}

// The prompt puts cells before the instruction, and is offered only with the toolset.
func TestJupyterCite(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Use("# Examples\n", "b", "c", "d", "e")
		ask := func(args map[string]string) (string, error) {
			var req mcp.GetPromptRequest
			req.Params.Name, req.Params.Arguments = "jupyter_cite", args
			res, err := r.Client.GetPrompt(t.Context(), req)
			if err != nil {
				return "", err
			}
			text, _ := res.Messages[0].Content.(mcp.TextContent)
			return text.Text, nil
		}
		for _, c := range []struct {
			args map[string]string
			want string
		}{
			{
				map[string]string{"prompt": "test prompt", "cell_indices": "0"},
				"USER Cite cells [0] from notebook nb, here are the cells:\n=====Cell 0 | type: code | execution count: N/A=====\n# Examples\n=====End of Cited Cells=====\nUSER's Instruction are follow: test prompt",
			},
			{
				map[string]string{"prompt": "", "cell_indices": "4, 0-1,1", "notebook_name": path},
				"USER Cite cells [0, 1, 4] from notebook " + path + ", here are the cells:\n=====Cell 0 | type: code | execution count: N/A=====\n# Examples\n" +
					"=====Cell 1 | type: code | execution count: N/A=====\nb\n=====Cell 4 | type: code | execution count: N/A=====\ne\n=====End of Cited Cells=====\nUSER's Instruction are follow: ",
			},
		} {
			got, err := ask(c.args)
			must.NoError(t, err)
			test.Eq(t, c.want, got)
		}
		if got, err := ask(map[string]string{"prompt": "", "cell_indices": "3-"}); err != nil || !strings.Contains(got, "cells [3, 4] from") {
			t.Errorf("%q, %v", got, err)
		}
		for _, c := range []struct{ indices, name, says string }{
			{"5", "", "Cell index 5 is out of range. Notebook has 5 cells."},
			{"9-", "", "Cell index 9 is out of range"},
			{"0-9999999", "", "Cell index 9999999 is out of range"},
			{"-1", "", "neither"},
			{"x", "", "neither"},
			{"2-1", "", "not a range"},
			{",", "", "no index given"},
			{" ", "", "cell_indices"},
			{"0", "none", "not connected"},
		} {
			if got, err := ask(map[string]string{"prompt": "p", "cell_indices": c.indices, "notebook_name": c.name}); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %q, %v", c, got, err)
			} else if c.name == "" && !errors.Is(err, mcp.ErrInvalidParams) {
				t.Errorf("%+v is not called a wrong argument: %v", c, err)
			}
		}
		if _, err := ask(map[string]string{"cell_indices": "0"}); err == nil {
			t.Error("no prompt is needed")
		}
		c := r.Connect(tools.Config{Work: r.Work, Version: "test"})
		defer c.Close()
		list, err := c.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list.Prompts {
			if p.Name == "jupyter_cite" {
				t.Error("offered without its toolset")
			}
		}
	})
}
