package embedded_test

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/embedded"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
)

// floor is an extension with a handler that answers with a constant.
//
//go:embed testdata/nbduet_floor.py
var floor []byte

// notebook is the notebook that the calls read.
const notebook = `{"cells": [
 {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# A notebook"},
 {"cell_type": "code", "id": "b", "metadata": {}, "source": "print(6 * 7)", "execution_count": null, "outputs": []}
], "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}, "nbformat": 4, "nbformat_minor": 5}`

// BenchmarkInside measures a call's extra cost inside Jupyter Server compared with the program alone, and the cost of
// any Jupyter handler. The same calls go in turns to the program with its own port, to the one in the server, and to a
// handler there that answers with a constant. The figures are medians; "more" is the median of the pairs.
func BenchmarkInside(b *testing.B) {
	dir := b.TempDir()
	in, err := embedded.Install(dir)
	must.NoError(b, err)
	must.NoError(b, os.WriteFile(filepath.Join(in.Packages, "nbduet_floor.py"), floor, 0o600))
	server, err := lab.Start(b.Context(), lab.Options{Command: in.Command(), Env: in.Env, Args: []string{
		"--JupyterMCPServerExtensionApp.toolsets=all", `--ServerApp.jpserver_extensions={"nbduet_floor": True}`,
	}})
	must.NoError(b, err)
	b.Cleanup(func() { must.NoError(b, server.Stop()) })
	for i := range 4 {
		must.NoError(b, os.MkdirAll(server.Path(fmt.Sprint("folder", i)), 0o700))
		for _, path := range []string{fmt.Sprintf("folder%d/one.ipynb", i), fmt.Sprintf("%d.ipynb", i)} {
			must.NoError(b, os.WriteFile(server.Path(path), []byte(notebook), 0o600))
		}
	}
	alone := &target{url: startAlone(b, in.Program, server), auth: "Bearer " + server.Token}
	inside := &target{url: server.URL + "/mcp", auth: "token " + server.Token}
	bare := &target{url: server.URL + "/floor", auth: "token " + server.Token}
	for i, t := range []*target{alone, inside} {
		t.name = fmt.Sprint(i)
		t.rest(b, "use_notebook", map[string]any{"notebook_name": "n", "notebook_path": "0.ipynb"})
		t.begin(b)
		t.mcp(b, "use_notebook", map[string]any{"notebook_name": "n", "notebook_path": "0.ipynb"})
		if i == 0 {
			t.rest(b, "session_create", map[string]any{}) // a kernel to list
		}
	}
	for _, way := range []struct {
		name string
		call func(*target)
	}{
		{"REST/read_cells", func(t *target) { t.rest(b, "read_cells", map[string]any{}) }},
		{"REST/list_notebook", func(t *target) { t.rest(b, "list_notebook", map[string]any{}) }},
		{"REST/list_kernels", func(t *target) { t.rest(b, "list_kernels", map[string]any{}) }},
		{"MCP/read_cells", func(t *target) { t.mcp(b, "read_cells", map[string]any{}) }},
		{"MCP/list_notebook", func(t *target) { t.mcp(b, "list_notebook", map[string]any{}) }},
		{"MCP/list_kernels", func(t *target) { t.mcp(b, "list_kernels", map[string]any{}) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			calls := []func(){
				func() { way.call(alone) }, func() { way.call(inside) },
				func() { bare.post(b, "", `{"tool_name": "read_cells", "arguments": {}}`) },
			}
			took := make([][]float64, len(calls))
			var more []float64
			for i := range b.N {
				for n := range calls { // each is first equally often
					at := (n + i) % len(calls)
					began := time.Now()
					calls[at]()
					took[at] = append(took[at], time.Since(began).Seconds()*1000)
				}
				more = append(more, took[1][i]-took[0][i])
			}
			b.ReportMetric(median(took[0]), "alone-ms")
			b.ReportMetric(median(took[1]), "inside-ms")
			b.ReportMetric(median(took[2]), "floor-ms")
			b.ReportMetric(median(more), "more-ms")
			b.ReportMetric(0, "ns/op") // of all three
		})
	}
}

// startAlone starts the program with its own port and ends it with the benchmark.
func startAlone(b *testing.B, program string, server *lab.Lab) (url string) {
	b.Helper()
	p, err := agent.Spawn(agent.Options{
		Binary: program, Words: true,
		Env:  append(server.ClientEnv(), "JUPYTER_SERVER_URL="+server.URL, "JUPYTER_TOKEN="+server.Token, "NBDUET_AUTH_TOKEN="+server.Token),
		Args: []string{"--transport=streamable-http", "--port=0", "--toolsets=all"},
	})
	must.NoError(b, err)
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, p.Stdout)
		read <- err
	}()
	b.Cleanup(func() {
		must.NoError(b, p.Signal(syscall.SIGTERM))
		if _, err := p.Wait(poll.Patience); err != nil {
			p.Kill()
			b.Error(err)
		}
		must.NoError(b, <-read)
	})
	must.NoError(b, poll.Until(b.Context(), "the address", func(context.Context) error {
		_, after, _ := strings.Cut(p.Log(), "serving MCP at ")
		at, _, whole := strings.Cut(after, "/mcp")
		if url = at; !whole {
			return fmt.Errorf("no address yet: %s", p.Log())
		}
		return nil
	}))
	return url
}

// A target is a destination of calls.
type target struct {
	name, url, auth string
	session         string // MCP session
}

// post sends JSON and expects status 200, or 202 with an empty body.
func (t *target) post(b *testing.B, path, body string) (header http.Header, text []byte) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, t.url+path, strings.NewReader(body))
	must.NoError(b, err)
	req.Header.Set("Authorization", t.auth)
	req.Header.Set("Content-Type", "application/json")
	if !strings.HasSuffix(path, "/tools/call") {
		req.Header.Set("Accept", "application/json, text/event-stream")
		if t.session != "" {
			req.Header.Set("Mcp-Session-Id", t.session)
		}
	}
	res, err := http.DefaultClient.Do(req)
	must.NoError(b, err)
	defer res.Body.Close()
	text, err = io.ReadAll(res.Body)
	must.NoError(b, err)
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusAccepted {
		b.Fatalf("%s%s: status %d: %s", t.url, path, res.StatusCode, text)
	}
	return res.Header, text
}

// rest calls a tool without MCP.
func (t *target) rest(b *testing.B, tool string, args map[string]any) {
	b.Helper()
	body, err := json.Marshal(map[string]any{"tool_name": tool, "arguments": args})
	must.NoError(b, err)
	if _, text := t.post(b, "/tools/call", string(body)); !bytes.Contains(text, []byte(`"success":true`)) {
		b.Fatalf("%s: %s", tool, text)
	}
}

// mcpPath returns the path of MCP below the target's address.
func (t *target) mcpPath() string {
	if strings.HasSuffix(t.url, "/mcp") {
		return ""
	}
	return "/mcp"
}

// begin begins an MCP session.
func (t *target) begin(b *testing.B) {
	b.Helper()
	header, _ := t.post(b, t.mcpPath(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	t.session = header.Get("Mcp-Session-Id")
	t.post(b, t.mcpPath(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// mcp calls a tool in the MCP session.
func (t *target) mcp(b *testing.B, tool string, args map[string]any) {
	b.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	must.NoError(b, err)
	_, text := t.post(b, t.mcpPath(), string(body))
	must.True(b, bytes.Contains(text, []byte(`"result"`)), must.Sprint(tool))
	must.False(b, bytes.Contains(text, []byte(`"isError":true`)), must.Sprint(tool))
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
