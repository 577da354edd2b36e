package seeds

import (
	"bufio"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Seed 001: the tools of Datalayer's server.
func checkDatalayer(c *check) {
	p := start(c, c.Server, "--toolsets=datalayer")
	c.row("001.001", strings.Contains(p.welcome, "Jupyter"), p.welcome)
	all := schemas(p)
	named := strings.Fields("list_notebook use_notebook unuse_notebook restart_notebook read_cells list_cells read_cell insert_cell insert_execute_code_cell overwrite_cell_source delete_cell execute_cell_simple_timeout execute_cell_streaming execute_cell_with_progress execute_ipython list_files list_kernels")
	c.row("001.025", has(any(all), named...) && len(all) > len(named), len(all))
	described := true
	for _, t := range all {
		described = described && text(t, "name") != "" && text(t, "description") != "" && at(t, "inputSchema.type") == "object"
	}
	c.row("001.026", described)
	plain := start(c, c.Server)
	c.row("001.002", schemas(plain)["list_cells"] == nil && !plain.call("list_notebook", nil).Failed)

	folder := "datalayer of " + c.Server.Name(c, "")
	content := c.Server.Read(c, c.Server.Notebook(c, "x = 1", "print(x + 1)"))
	path, other := c.Server.Write(c, folder+"/deep/a.ipynb", content), c.Server.Write(c, folder+"/b.ipynb", content)
	c.Server.Write(c, folder+"/c.txt", "no notebook")
	words := func(tool string, args dict) string { return strings.Join(p.good(tool, args).Texts, "\n") }
	table := words("list_notebook", nil)
	c.row("001.003", strings.Contains(table, "\t") && strings.Contains(table, path) && strings.Contains(table, other) && !strings.Contains(table, "c.txt"), table)
	used := words("use_notebook", dict{"notebook_name": "nb", "notebook_path": path})
	c.row("001.004", strings.Contains(used, "nb"), used)
	table = words("list_notebook", nil)
	c.row("001.005", strings.Contains(table, path+"\tYes\tnb\t") && strings.Contains(table, other+"\tNo\t"), table)
	made := folder + "/made.ipynb"
	p.good("use_notebook", dict{"notebook_name": "new", "notebook_path": made, "mode": "create"})
	c.row("001.006", strings.Contains(c.Server.Read(c, made), "nbformat"))
	p.good("use_notebook", dict{"notebook_name": "nb"})

	person := sessiontest.PersonIn(c.T, sessiontest.Server(c.T, c.Server), path)
	source := func(i int) string { cell, _ := person.Notebook.CellAt(i); return cell.Source }
	cells := words("list_cells", nil)
	c.row("001.007", strings.Contains(cells, "\t") && strings.Contains(cells, "x = 1"), cells)
	words("execute_cell_simple_timeout", dict{"cell_index": 0})
	words("execute_cell_simple_timeout", dict{"cell_index": 1})
	read := p.good("read_cells", nil)
	c.row("001.008", strings.Contains(read.Raw, "print(x + 1)") && has(decoded(read.Texts[1]), "index", "type", "source", "outputs"), read.Raw)
	c.row("001.009", strings.Contains(words("read_cell", dict{"cell_index": 1}), "print(x + 1)"))
	p.good("insert_cell", dict{"cell_index": 2, "cell_type": "markdown", "cell_source": "# There"})
	c.row("001.010", eventually(func() bool { return source(2) == "# There" }))
	p.good("overwrite_cell_source", dict{"cell_index": 2, "cell_source": "# Here"})
	c.row("001.011", eventually(func() bool { return source(2) == "# Here" }))
	p.good("delete_cell", dict{"cell_index": 2})
	c.row("001.012", eventually(func() bool { return person.Notebook.Len() == 2 }))
	ran := words("insert_execute_code_cell", dict{"cell_index": 2, "cell_source": "print('inserted')"})
	c.row("001.013", strings.Contains(ran, "inserted") && eventually(func() bool { return source(2) == "print('inserted')" }), ran)
	c.row("001.014", eventually(func() bool {
		cell, _ := person.Notebook.CellAt(1)
		return len(cell.Outputs) == 1 && cell.Outputs[0]["text"] == "2\n"
	}))
	p.good("overwrite_cell_source", dict{"cell_index": 2, "cell_source": "import time\nprint('a', flush=True)\ntime.sleep(1)\nprint('b')"})
	began := time.Now()
	late := p.call("execute_cell_simple_timeout", dict{"cell_index": 2, "timeout_seconds": 0.2})
	c.row("001.015", time.Since(began) < time.Minute && strings.Contains(strings.ToLower(late.Raw), "timeout"), late.Raw)
	eventually(func() bool { cell, _ := person.Notebook.CellAt(2); return cell.ExecutionState == "idle" })
	stream := words("execute_cell_streaming", dict{"cell_index": 2, "progress_interval": 1})
	c.row("001.016", strings.Count(stream, "\n") > 1 && strings.Contains(stream, "b"), stream)
	progressed := p.ask("tools/call", dict{"name": "execute_cell_with_progress", "arguments": dict{"cell_index": 2}, "_meta": dict{"progressToken": "p"}})
	c.row("001.017", !progressed.Failed && find(results(p.noted("notifications/progress")), "progressToken", "p") != nil, progressed.Raw)
	magic := words("execute_ipython", dict{"code": "%who"})
	c.row("001.018", strings.Contains(magic, "x"), magic)
	shell := words("execute_ipython", dict{"code": "!echo from the shell"})
	c.row("001.019", strings.Contains(shell, "from the shell"), shell)
	files := words("list_files", dict{"path": folder, "max_depth": 2})
	c.row("001.020", strings.Contains(files, "c.txt") && strings.Contains(files, "a.ipynb"), files)
	kernels := words("list_kernels", nil)
	c.row("001.021", strings.Contains(kernels, "python3") && strings.Contains(kernels, "Python 3"), kernels)
	again := words("restart_notebook", dict{"notebook_name": "nb"})
	c.row("001.022", strings.Contains(again, "Notebook 'nb' kernel restarted successfully"), again)
	gone := words("execute_cell_simple_timeout", dict{"cell_index": 1})
	c.row("001.023", strings.Contains(gone, "NameError"), gone)
	index := p.call("read_cell", dict{"cell_index": 99})
	c.row("001.027", index.Failed && strings.Contains(index.Raw, "99"), index.Raw)
	wrong := p.call("use_notebook", dict{"notebook_name": "w", "notebook_path": "../w.ipynb"})
	c.row("001.028", wrong.Failed && strings.Contains(wrong.Raw, ".."), wrong.Raw)
	typed := p.call("read_cell", dict{"cell_index": dict{"a": 1}})
	c.row("001.029", (typed.Failed || typed.Code != 0) && strings.Contains(typed.Raw, "cell_index"), typed.Raw)
	negative := p.call("overwrite_cell_source", dict{"cell_index": -1, "cell_source": "x"})
	c.row("001.030", negative.Failed && strings.Contains(negative.Raw, "-1"), negative.Raw)
	unused := words("unuse_notebook", dict{"notebook_name": "nb"})
	c.row("001.024", strings.Contains(unused, "nb") && p.call("unuse_notebook", dict{"notebook_name": "nb"}).Failed, unused)
}

// web is a program that serves HTTP, and a token for it.
type web struct {
	*program
	url, token string
}

// serve starts the program with HTTP, on a free port.
func serve(c *check, args ...string) web {
	c.Helper()
	w := web{token: "a-t0ken-of-the-seeds"}
	process, err := agent.Spawn(agent.Options{Binary: binary, Args: args, Env: env("NBDUET_STATE=:memory:", "NBDUET_AUTH_TOKEN="+w.token, "MCP_PORT=0")})
	if err != nil {
		c.Fatal(err)
	}
	w.program = &program{Process: process, t: c, waiting: make(map[int]chan answer)}
	w.wg.Go(w.read)
	c.Cleanup(func() {
		_ = process.Signal(os.Interrupt) // it may have ended already
		w.stop()
	})
	says := regexp.MustCompile(`serving MCP at (\S+)/mcp`)
	if !eventually(func() bool { return says.MatchString(w.Log()) }) {
		c.Fatalf("the program does not say where it serves: %s", w.Log())
	}
	w.url = says.FindStringSubmatch(w.Log())[1]
	return w
}

// send sends a request and returns the answer's status, header and body.
func (w web) request(method, path, body string, header ...string) (int, http.Header, string) {
	w.t.Helper()
	req, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport, Timeout: patience}).Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

// message is a request of JSON-RPC.
func message(method string, params any) string {
	b, err := json.Marshal(dict{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		panic(err) // what is sent is made here
	}
	return string(b)
}

var hello = message("initialize", dict{"protocolVersion": "2025-06-18", "capabilities": dict{}, "clientInfo": dict{"name": "seeds", "version": "1"}})

// Seed 001: over HTTP.
func checkHTTP(c *check) {
	w := serve(c, "start", "--transport", "streamable-http", "--document-url", c.Server.URL, "--runtime-url", c.Server.URL, "--document-token", c.Server.Token, "--runtime-token", c.Server.Token, "--port", "0", "--metrics")
	c.row("001.031", w.url != "") // it serves, after the word start
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

	ws, answered, err := (&websocket.Dialer{Subprotocols: []string{"mcp"}}).DialContext(c.Context(), strings.Replace(w.url, "http", "ws", 1)+"/mcp/ws", http.Header{"Authorization": {"Bearer " + w.token}})
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
	req, err := http.NewRequestWithContext(c.Context(), http.MethodGet, w.url+"/sse", nil)
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewScanner(resp.Body)
	next := func() string {
		for events.Scan() {
			if data, ok := strings.CutPrefix(events.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	endpoint := strings.TrimPrefix(next(), w.url)
	w.request(http.MethodPost, endpoint, hello)
	c.row("001.035", strings.Contains(next(), `"serverInfo"`), endpoint)
}

// What the program is, and how it is started.
func checkProgram(c *check) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		c.Fatal(err)
	}
	var uses []string
	for _, dep := range info.Deps {
		uses = append(uses, dep.Path)
	}
	inGo := slices.Contains(uses, "github.com/mark3labs/mcp-go") && slices.Contains(uses, "github.com/skyterra/y-crdt") && slices.Contains(uses, "github.com/gorilla/websocket")
	for _, row := range []string{"001.063", "002.159", "003.111"} {
		c.row(row, inGo, uses)
	}
	once := func(args []string, env ...string) (out string, p *agent.Process) {
		p, err := agent.Spawn(agent.Options{Binary: binary, Args: args, Env: env})
		if err != nil {
			c.Fatal(err)
		}
		b, err := io.ReadAll(p.Stdout)
		if _, late := p.Wait(patience); err != nil || late != nil {
			c.Fatal(err, late)
		}
		return string(b), p
	}
	out, _ := once([]string{"--help"}, env()...)
	help := strings.Join(strings.Fields(out), " ")
	says := func(flag, end string) bool {
		return regexp.MustCompile(regexp.QuoteMeta(flag) + `=[^$]*?` + regexp.QuoteMeta(end)).MatchString(help)
	}
	c.row("002.153", says("--session-timeout", "Default: 5 ("), help)
	c.row("003.104", says("--jupyter-url", "http://localhost:8888"), help)
	c.row("003.107", says("--port", "Default: 3001 (") && says("--log-level", "Default: info ("), help)
	c.row("002.158", strings.Contains(help, "--session-timeout=MINUTES"), help)
	c.row("001.052", strings.Contains(help, "--document-id=") && !strings.Contains(help, "notebook.ipynb)."), help)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	_, refused := once([]string{"--transport=streamable-http"}, env("MCP_PORT="+port, "NBDUET_STATE=:memory:", "JUPYTER_SERVER_URL="+c.Server.URL, "JUPYTER_TOKEN="+c.Server.Token)...)
	c.row("003.106", strings.Contains(refused.Log(), "127.0.0.1:"+port), refused.Log())
	alone := startWith(c, agent.Options{Env: env("NBDUET_STATE=:memory:", "JUPYTER_RUNTIME_DIR="+c.TempDir())})
	told := alone.call("list_nbs", nil)
	c.row("003.108", told.Failed && strings.Contains(told.Raw, "JUPYTER_SERVER_URL") && strings.Contains(told.Raw, "JUPYTER_TOKEN"), told.Raw)
	c.row("003.112", strings.Contains(alone.welcome, "create_document") && strings.Contains(alone.welcome, "insert_nb_cells") && strings.Contains(alone.welcome, "inspect_data"), alone.welcome)
}
