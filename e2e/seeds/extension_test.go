package seeds

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbduet/nbduet/e2e/embedded"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Seed 001: inside a Jupyter server with the wheel installed in its Python.
func checkExtension(c *check) {
	in, err := embedded.Install(c.TempDir())
	if err != nil {
		c.Fatal(err)
	}
	// The command line has one setting, and the file has the others.
	config := filepath.Join(c.TempDir(), "config.py")
	if err := os.WriteFile(config, []byte(`
c.ServerApp.jpserver_extensions = {"jupyter_mcp_server": True}
c.JupyterMCPServerExtensionApp.document_url = "local"
c.JupyterMCPServerExtensionApp.runtime_url = "local"
`), 0o600); err != nil {
		c.Fatal(err)
	}
	server, err := lab.Start(c.Context(), lab.Options{Command: in.Command(), Env: in.Env, Args: []string{"--config=" + config, "--JupyterMCPServerExtensionApp.document_id=first.ipynb"}})
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if err := server.Stop(); err != nil {
			c.Error(err)
		}
	})
	at := &jupytertest.Server{URL: server.URL, Token: server.Token, Root: server.Root}
	content := `{"nbformat":4,"nbformat_minor":5,"metadata":{"kernelspec":{"name":"python3","display_name":"Python 3","language":"python"}},"cells":[{"id":"a","cell_type":"code","metadata":{},"outputs":[],"execution_count":null,"source":"6 * 7"}]}`
	at.Write(c, "first.ipynb", content)
	inside := site{c, server.URL, "token " + server.Token}
	rest := func(tool, args string) string {
		_, _, body := inside.request(http.MethodPost, "/mcp/tools/call", `{"tool_name":"`+tool+`","arguments":`+args+`}`)
		return body
	}
	status, _, body := inside.request(http.MethodGet, "/mcp/healthz", "")
	c.row("001.042", status == http.StatusOK && strings.Contains(body, "healthy"), status, body)
	status, _, body = inside.request(http.MethodGet, "/mcp/tools/list", "")
	c.row("001.043", status == http.StatusOK && strings.Contains(body, `"read_nb_cells"`) && strings.Contains(body, `"parameters":{`), status, body)
	for row, tool := range map[string]string{"001.045": "list_notebook", "001.046": "list_notebooks"} {
		body := rest(tool, "{}")
		c.row(row, strings.Contains(body, "first.ipynb"), body)
	}
	body = rest("list_cells", "{}")
	c.row("001.047", strings.Contains(body, "6 * 7"), body)
	status, _, body = site{c, server.URL, "token guess"}.request(http.MethodGet, "/mcp/tools/list", "")
	c.row("001.048", status == http.StatusForbidden, status, body)
	for row, path := range map[string]string{"001.049": "/mcp", "001.049b": "/mcp/"} {
		_, header, body := inside.request(http.MethodPost, path, hello)
		session := header.Get("Mcp-Session-Id")
		_, _, cells := inside.request(http.MethodPost, path, message("tools/call", dict{"name": "list_cells", "arguments": dict{}}), "Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-06-18")
		c.row(row, session != "" && strings.Contains(cells, "6 * 7"), body, cells)
	}
	first := inside.events("/mcp/sse")()
	c.row("001.050", first[0] == "endpoint", first)
	c.row("001.051", strings.Contains(rest("list_cells", "{}"), "6 * 7"))
	log := server.LogTail(1000)
	c.row("001.053", strings.Contains(log, "jupyter_mcp_server | extension was successfully loaded"), log)
	c.row("001.054", strings.Contains(log, "nbduet_jupyter | extension was successfully loaded"), log)
	c.row("001.062", strings.Contains(filepath.Base(in.Wheel), "nbduet_jupyter-"), in.Wheel)
	c.row("001.055", strings.Contains(log, "started nbduet, process"), log)

	person := sessiontest.PersonIn(c.T, sessiontest.Server(c.T, at), "first.ipynb")
	source := func(i int) string { cell, _ := person.Notebook.CellAt(i); return cell.Source }
	rest("insert_cell", `{"cell_index":1,"cell_type":"markdown","cell_source":"# There"}`)
	there := eventually(func() bool { return source(1) == "# There" })
	rest("overwrite_cell_source", `{"cell_index":1,"cell_source":"# Here"}`)
	here := eventually(func() bool { return source(1) == "# Here" })
	rest("delete_cell", `{"cell_index":1}`)
	c.row("001.056", there && here && eventually(func() bool { return person.Notebook.Len() == 1 }))
	body = rest("execute_cell_simple_timeout", `{"cell_index":0}`)
	c.row("001.057", strings.Contains(body, "42") && eventually(func() bool { cell, _ := person.Notebook.CellAt(0); return len(cell.Outputs) == 1 }), body)
}
