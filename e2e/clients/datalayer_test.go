package clients_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// These tests make the same tool calls as the tests of Datalayer's jupyter-mcp-server 2.2.4 and look for the same words,
// over Streamable HTTP and with the SDK for Python. The tests are our own, because its package contains none.
//
// The other tests there do not concern the tools: the routes /api/connect and /api/stop, which choose another server;
// the sandboxes, which run code outside of Jupyter; its command line and settings.

// datalayerTools are the tools that jupyter-mcp-server lists, without its sandbox tools.
var datalayerTools = []string{
	"clear_cell_output", "connect_to_jupyter", "delete_cell", "edit_cell_source", "execute_cell", "execute_code", "insert_cell",
	"insert_execute_code_cell", "list_files", "list_kernels", "list_notebooks", "move_cell", "overwrite_cell_source", "read_cell",
	"read_notebook", "restart_notebook", "unuse_notebook", "use_notebook",
}

// datalayerGuest is a client of jupyter-mcp-server.
type datalayerGuest struct {
	*sdk.Client
	t *testing.T
}

func TestDatalayerCalls(t *testing.T) {
	path := kit.NewNotebook(t, kit.Markdown("# Matplotlib Examples"), kit.Code("1 + 1"), kit.Code("one"), kit.Code("two"), kit.Code("three"))
	w := kit.StartWeb(t, 1, "--toolsets=datalayer-today", "--document-id="+path)
	for name, test := range map[string]func(g datalayerGuest){
		"tools": datalayerGuest.lists, "cells": datalayerGuest.cells, "pictures": datalayerGuest.pictures, "notebooks": datalayerGuest.notebooks,
		"errors": datalayerGuest.errors, "code": datalayerGuest.code, "cited": datalayerGuest.cited,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(datalayerGuest{typescript(t, sdk.Options{Kit: sdk.Python, URL: w.URL + "/mcp", Headers: kit.Bearer(w.Tokens[0])}), t})
		})
	}
	t.Run("token", func(t *testing.T) {
		for _, headers := range []map[string]string{nil, kit.Bearer(kit.Jupyter(t).Token)} { // Jupyter's is not the program's
			if c, err := sdk.Start(t.Context(), sdk.Options{Kit: sdk.Python, URL: w.URL + "/mcp", Headers: headers}); err == nil {
				t.Error("a client without the token is let in")
				must.NoError(t, c.Close())
			}
		}
	})
}

// text calls a tool and returns all texts of its answer, even of an error.
func (g datalayerGuest) text(tool string, args map[string]any) string {
	g.t.Helper()
	a, err := g.Call(g.t.Context(), tool, args)
	must.NoError(g.t, err)
	var texts []string
	for _, c := range a.Content {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n")
}

// result calls a tool that must succeed, and returns its texts and the type of each image.
func (g datalayerGuest) result(tool string, args map[string]any) []any {
	g.t.Helper()
	a, err := g.Call(g.t.Context(), tool, args)
	must.NoError(g.t, err)
	must.False(g.t, a.IsError, must.Sprint(tool))
	must.SliceNotEmpty(g.t, a.Content, must.Sprint(tool))
	var out []any
	for _, c := range a.Content {
		if c.Type == "image" {
			out = append(out, c.MIMEType)
		} else {
			out = append(out, c.Text)
		}
	}
	return out
}

// wants checks that a tool's answer contains the words.
func (g datalayerGuest) wants(got any, words ...string) {
	g.t.Helper()
	for _, word := range words {
		if !strings.Contains(fmt.Sprint(got), word) {
			g.t.Errorf("%q is missing in %.2000v", word, got)
		}
	}
}

// use makes a new notebook the current one.
func (g datalayerGuest) use(cells ...kit.Cell) (path string) {
	g.t.Helper()
	path = kit.NewNotebook(g.t, cells...)
	g.wants(g.text("use_notebook", map[string]any{"notebook_name": "mine", "notebook_path": path, "mode": "connect"}), "Successfully activate notebook 'mine'")
	return path
}

// lists requests the tools, and the kernels in a table.
func (g datalayerGuest) lists() {
	tools, err := g.Tools(g.t.Context())
	must.NoError(g.t, err)
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, datalayerTools) {
		g.t.Errorf("the tools are %v", names)
	}
	g.use(kit.Code("1"))
	g.result("execute_code", map[string]any{"code": "1"}) // so that there is a kernel
	g.wants(g.text("list_kernels", nil), "ID\tName\tDisplay_Name\tLanguage\tState\tConnections\tLast_Activity\tEnvironment", "\tpython3\t")
}

// cells makes, reads, changes and deletes cells of both kinds.
func (g datalayerGuest) cells() {
	g.use(kit.Markdown("# Title"), kit.Code("0"))
	readAndDelete := func(kind, source string) {
		g.t.Helper()
		read := g.result("read_cell", map[string]any{"cell_index": 1, "include_outputs": true})
		if len(read) < 2 {
			g.t.Fatalf("the cell is %v", read)
		}
		g.wants(read[0], "=====Cell 1 | type: "+kind)
		g.wants(read[1], source)
		g.wants(g.result("delete_cell", map[string]any{"cell_indices": []int{1}, "include_source": true}),
			"Cell 1 ("+kind+") deleted successfully", "deleted cell source:\n"+source)
	}
	g.wants(g.result("insert_cell", map[string]any{"cell_index": 1, "cell_type": "markdown", "cell_source": "Hello **World** !"}),
		"Cell inserted successfully at index 1 (markdown)!")
	readAndDelete("markdown", "Hello **World** !")

	for _, index := range []int{1, -1} {
		if got := g.result("insert_execute_code_cell", map[string]any{"cell_index": index, "cell_source": "1 + 1", "timeout": 90}); fmt.Sprint(got[0]) != "2" {
			g.t.Errorf("1 + 1 at %d is %v", index, got)
		}
	}
	g.wants(g.result("overwrite_cell_source", map[string]any{"cell_index": 1, "cell_source": "(1 + 1) * 2"}), "Cell 1 overwritten successfully!", "diff", "-1 + 1", "+(1 + 1) * 2")
	if got := g.result("execute_cell", map[string]any{"cell_index": 1}); fmt.Sprint(got[0]) != "4" {
		g.t.Errorf("overwritten, the cell is %v", got)
	}
	readAndDelete("code", "(1 + 1) * 2")
}

// pictures runs a cell that shows a picture.
func (g datalayerGuest) pictures() {
	g.use(kit.Code("0"), kit.Code("1"))
	answer, err := g.Call(g.t.Context(), "insert_execute_code_cell", map[string]any{"cell_index": 1, "cell_source": kit.Plot})
	must.NoError(g.t, err)
	at := slices.IndexFunc(answer.Content, func(c sdk.Content) bool { return c.Type == "image" })
	must.GreaterEq(g.t, 0, at)
	must.Eq(g.t, "image/png", answer.Content[at].MIMEType)
	if _, err := base64.StdEncoding.DecodeString(answer.Content[at].Data); err != nil {
		g.t.Error(err)
	}
	if answer.Structured != nil {
		g.t.Errorf("beside the picture there is structured content: %s", answer.Structured)
	}
	g.result("delete_cell", map[string]any{"cell_indices": []int{1}})
}

// notebooks switches from one notebook to another and back, by their names.
func (g datalayerGuest) notebooks() {
	a, b := kit.NewNotebook(g.t, kit.Code("print('a')")), kit.NewNotebook(g.t, kit.Code("print('b')"))
	name := func(name string) map[string]any { return map[string]any{"notebook_name": name} }
	use := func(name, path string) string {
		return g.text("use_notebook", map[string]any{"notebook_name": name, "notebook_path": path, "mode": "connect"})
	}
	g.wants(use("notebook_a", a), "Successfully activate notebook 'notebook_a'")
	g.result("insert_cell", map[string]any{"cell_index": -1, "cell_type": "markdown", "cell_source": "# This is notebook A"})
	g.wants(use("notebook_b", b), "Successfully activate notebook 'notebook_b'")
	g.result("insert_cell", map[string]any{"cell_index": -1, "cell_type": "markdown", "cell_source": "# This is notebook B\nA hidden content"})
	g.wants(use("notebook_a", a), "Reactivating notebook 'notebook_a' and deactivating 'notebook_b'.")
	g.wants(g.text("read_notebook", map[string]any{"notebook_name": "notebook_a", "response_format": "brief", "start_index": 0, "limit": 1000}), "# This is notebook A")
	use("notebook_b", b)
	g.wants(g.text("read_notebook", map[string]any{"notebook_name": "notebook_b", "response_format": "detailed", "start_index": 0, "limit": 1000}), "# This is notebook B\nA hidden content")
	g.wants(g.text("list_notebooks", nil), "notebook_a", "notebook_b", "✓")
	g.wants(g.text("restart_notebook", name("notebook_a")), "Notebook 'notebook_a' kernel restarted successfully")
	g.wants(g.text("unuse_notebook", name("notebook_a")), "Notebook 'notebook_a' unused successfully")
	g.wants(g.text("unuse_notebook", name("notebook_b")), "Notebook 'notebook_b' unused successfully")
}

// errors names missing notebooks, cells and kernels.
func (g datalayerGuest) errors() {
	g.wants(g.text("use_notebook", map[string]any{"notebook_name": "nonexistent", "notebook_path": "nonexistent.ipynb", "mode": "connect"}), "not found")
	g.wants(g.text("restart_notebook", map[string]any{"notebook_name": "nonexistent_notebook"}), "not connected")
	g.wants(g.text("unuse_notebook", map[string]any{"notebook_name": "nonexistent_notebook"}), "not connected")
	g.use(kit.Code("0"))
	g.wants(g.text("read_cell", map[string]any{"cell_index": 7}), "is out of range")
}

// code runs code outside the cells.
func (g datalayerGuest) code() {
	g.use(kit.Code("0"))
	run := func(code string, seconds int) any {
		g.t.Helper()
		return g.result("execute_code", map[string]any{"code": code, "timeout": seconds})[0]
	}
	g.result("execute_code", map[string]any{"code": "words='Hello IPython World!'", "timeout": 60})
	g.wants(run("%who", 60), "words")
	g.wants(run("!echo 'Hello from shell'", 60), "Hello from shell")
	g.wants(run("import time\ntime.sleep(600)", 1), "TIMEOUT ERROR")
}

// cited cites cells of the notebook that the program was started for, and of another.
func (g datalayerGuest) cited() {
	if got := g.result("read_cell", map[string]any{"cell_index": 0}); len(got) < 2 {
		g.t.Errorf("the notebook to begin with has %v", got)
	} else {
		g.wants(got[0], "=====Cell 0 | type: markdown")
		g.wants(got[1], "# Matplotlib Examples")
	}
	g.text("use_notebook", map[string]any{"notebook_name": "new", "notebook_path": kit.NewNotebook(g.t, kit.Markdown("# A New Notebook")), "mode": "connect"})
	g.text("use_notebook", map[string]any{"notebook_name": "default"})
	cite := func(prompt, cells, notebook string) string {
		g.t.Helper()
		got, err := g.Prompt(g.t.Context(), "jupyter_cite", map[string]string{"prompt": prompt, "cell_indices": cells, "notebook_name": notebook})
		must.NoError(g.t, err)
		return got.Messages[0].Content.Text
	}
	g.wants(cite("test prompt", "0", ""), "# Matplotlib Examples", "test prompt")
	some := cite("", "0-2,4", "")
	g.wants(some, "USER Cite cells [0, 1, 2, 4]", "=====Cell 0", "=====Cell 1", "=====Cell 2", "=====Cell 4", "=====End of Cited Cells=====")
	if strings.Contains(some, "=====Cell 3") {
		g.t.Errorf("a cell that was not asked for is cited: %s", some)
	}
	g.wants(cite("", "0", "new"), "from notebook new", "# A New Notebook")
}
