package seeds

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/e2e/agent"
)

// web is a program that serves HTTP, and its address.
type web struct {
	*program
	site
}

// serve starts the program with HTTP, on a free port.
func serve(c *check, args ...string) web {
	c.Helper()
	const token = "a-t0ken-of-the-seeds"
	process, err := agent.Spawn(agent.Options{Binary: binary, Args: args, Env: env("NBDUET_STATE=:memory:", "NBDUET_AUTH_TOKEN="+token, "MCP_PORT=0")})
	if err != nil {
		c.Fatal(err)
	}
	w := web{program: &program{Process: process, t: c, waiting: make(map[int]chan answer)}}
	w.wg.Go(w.read)
	c.Cleanup(func() {
		_ = process.Signal(os.Interrupt) // it may have exited already
		w.stop()
	})
	says := regexp.MustCompile(`serving MCP at (\S+)/mcp`)
	if !eventually(func() bool { return says.MatchString(w.Log()) }) {
		c.Fatalf("the program does not say where it serves: %s", w.Log())
	}
	w.site = site{c, says.FindStringSubmatch(w.Log())[1], "Bearer " + token}
	return w
}

// message is a request of JSON-RPC.
func message(method string, params any) string {
	b, err := json.Marshal(dict{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		panic(err) // the values are made here
	}
	return string(b)
}

var hello = message("initialize", dict{"protocolVersion": "2025-06-18", "capabilities": dict{}, "clientInfo": dict{"name": "seeds", "version": "1"}})

// Seed 001: over HTTP.
func checkHTTP(c *check) {
	w := serve(c, "start", "--transport", "streamable-http", "--document-url", c.Server.URL, "--runtime-url", c.Server.URL, "--document-token", c.Server.Token, "--runtime-token", c.Server.Token, "--port", "0", "--metrics")
	c.row("001.031", w.url != "") // it serves after the argument start
	path := c.Server.Notebook(c, "6 * 7")
	in := func(at, session, method string, params any) string {
		header := []string{"Mcp-Protocol-Version", "2025-06-18"}
		if session != "" {
			header = append(header, "Mcp-Session-Id", session)
		}
		_, _, body := w.request(http.MethodPost, at, message(method, params), header...)
		return body
	}
	begin := func(at string) string {
		_, header, body := w.request(http.MethodPost, at, hello)
		if header.Get("Mcp-Session-Id") == "" {
			c.Fatalf("no session at %s: %s", at, body)
		}
		return header.Get("Mcp-Session-Id")
	}
	call := func(tool string, args dict) dict { return dict{"name": tool, "arguments": args} }
	one := begin("/mcp")
	ran := in("/mcp", one, "tools/call", call("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0, "end": 1}}}))
	c.row("001.032", strings.Contains(ran, "42"), ran) // documents and kernels are reached with their tokens
	c.row("001.033", strings.Contains(ran, "42"), ran)
	bare := begin("")
	c.row("001.034", strings.Contains(in("", bare, "tools/call", call("get_nb_stat", dict{"path": path})), "cell_count"))

	status, _, tools := w.request(http.MethodGet, "/tools/list", "")
	listed := list(decoded(tools), "tools")
	c.row("001.036", status == http.StatusOK && len(listed) > 0, tools)
	tool := at(listed, "0")
	c.row("001.044", has(tool, "name", "description", "parameters", "inputSchema") && fmt.Sprint(at(tool, "parameters")) == fmt.Sprint(at(tool, "inputSchema")), tool)
	status, _, said := w.request(http.MethodPost, "/tools/call", `{"tool_name":"get_nb_stat","arguments":{"path":"`+path+`"}}`)
	c.row("001.037", status == http.StatusOK && strings.Contains(said, "cell_count"), said)
	_, _, metrics := w.request(http.MethodGet, "/metrics", "")
	c.row("001.038", regexp.MustCompile(`nbduet_\w+\{[^}]*tool="get_nb_stat"[^}]*\} [1-9]`).MatchString(metrics), metrics)

	in("/mcp", one, "tools/call", call("use_notebook", dict{"notebook_name": "mine", "notebook_path": path}))
	two := begin("/mcp")
	c.row("001.040", strings.Contains(in("/mcp", one, "tools/call", call("list_cells", nil)), "6 * 7"))
	theirs := in("/mcp", two, "tools/call", call("list_cells", nil))
	c.row("001.039", !strings.Contains(theirs, "6 * 7") && strings.Contains(theirs, "isError"), theirs)

	ws, answered, err := (&websocket.Dialer{Subprotocols: []string{"mcp"}}).DialContext(c.Context(), strings.Replace(w.url, "http", "ws", 1)+"/mcp/ws", http.Header{"Authorization": {w.login}})
	if err != nil {
		c.Fatal(err, answered)
	}
	defer ws.Close()
	defer answered.Body.Close()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(hello)); err != nil {
		c.Fatal(err)
	}
	_, welcome, err := ws.ReadMessage()
	c.row("001.041", err == nil && ws.Subprotocol() == "mcp" && text(decoded(string(welcome)), "result.serverInfo.name") == "nbduet", err, string(welcome))

	// The older transport.
	next := w.events("/sse")
	endpoint := strings.TrimPrefix(next()[1], w.url)
	w.request(http.MethodPost, endpoint, hello)
	c.row("001.035", strings.Contains(next()[1], `"serverInfo"`), endpoint)
}
