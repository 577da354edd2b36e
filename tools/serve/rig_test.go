package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/tool"
)

const (
	token1 = "first-t0ken"
	token2 = "second-t0ken"
)

// rig is a running server, and an HTTP client for it.
type rig struct {
	t      *testing.T
	s      *Server
	url    string // without a path
	client *http.Client
	dials  func(ctx context.Context, network, addr string) (net.Conn, error) // dials the server, whatever the address
	tls    *tls.Config                                                       // of a WebSocket client
	log    *buffer
	waits  chan string   // the marks of the "wait" calls that have begun
	stop   func() error  // ends the server, once
	ended  chan struct{} // closed when it has ended
}

// buffer is safe for concurrent use.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// toy returns an MCP server with three tools that need no Jupyter: "echo" answers its mark, "wait" waits for the end of its
// context, "big" answers a megabyte.
func toy(waits chan<- string) *server.MCPServer {
	s := server.NewMCPServer("toy", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithString("mark")), func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if req.GetString("mark", "") == "bad" {
			return mcp.NewToolResultError("a bad mark"), nil
		}
		return mcp.NewToolResultText(req.GetString("mark", "")), nil
	})
	s.AddTool(mcp.NewTool("wait", mcp.WithString("mark")), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		waits <- req.GetString("mark", "")
		<-ctx.Done()
		waits <- "ended " + req.GetString("mark", "")
		return nil, ctx.Err()
	})
	s.AddTool(mcp.NewTool("big"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(strings.Repeat("x", 1<<20)), nil
	})
	return s
}

// newRig serves the toy; edit changes the configuration.
func newRig(t *testing.T, edit func(*Config)) *rig {
	t.Helper()
	r := &rig{t: t, log: &buffer{}, waits: make(chan string, 1000), ended: make(chan struct{})}
	cfg := Config{
		MCP: toy(r.waits), Clients: &tool.Clients{}, Tokens: []string{token1, token2},
		Logger: slog.New(slog.NewTextHandler(io.MultiWriter(r.log, t.Output()), &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if edit != nil {
		edit(&cfg)
	}
	var err error
	if r.s, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	l := jupytertest.Listen(t)
	r.url = "http://" + l.Addr().String()
	if l.Addr().Network() != "tcp" {
		r.url = "http://localhost" // a name that needs no flag
	}
	dial := jupytertest.Dial(t)
	r.dials = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dial(ctx, network, l.Addr().String())
	}
	r.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100, DialContext: r.dials}}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- r.s.Serve(ctx, l)
		close(r.ended)
	}()
	r.stop = sync.OnceValue(func() error {
		cancel()
		return <-served
	})
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		r.client.CloseIdleConnections()
		for _, secret := range []string{token1, token2} {
			if strings.Contains(r.log.String(), secret) {
				t.Error("the log holds a token")
			}
		}
	})
	return r
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

// change changes a request before it is sent.
type change func(*http.Request)

func with(key, value string) change { return func(r *http.Request) { r.Header.Set(key, value) } }

func bearing(token string) change { return with("Authorization", "Bearer "+token) }

func (r *rig) request(ctx context.Context, method, path, body string, changes ...change) *http.Request {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if body == "" {
		req.Body, req.ContentLength = nil, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	bearing(token1)(req)
	for _, c := range changes {
		c(req)
	}
	return req
}

// send sends a request with the first token and reads the whole answer.
func (r *rig) send(method, path, body string, changes ...change) answer {
	r.t.Helper()
	res, err := r.client.Do(r.request(r.t.Context(), method, path, body, changes...))
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

func (r *rig) wants(a answer, status int, says ...string) {
	r.t.Helper()
	if a.status != status {
		r.t.Errorf("status %d, want %d: %s", a.status, status, a.body)
	}
	for _, s := range says {
		if !strings.Contains(a.body, s) {
			r.t.Errorf("the answer does not say %q: %s", s, a.body)
		}
	}
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// call returns a tool call as JSON-RPC.
func call(id int, tool, mark string) string {
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": map[string]any{"mark": mark}}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// modern returns a message of the revision without sessions, and its headers.
func modern(id int, method string, params map[string]any) (body string, changes []change) {
	params["_meta"] = map[string]any{
		mcp.MetaKeyProtocolVersion: mcp.ProtocolVersion20260728, mcp.MetaKeyClientCapabilities: map[string]any{},
	}
	m := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id > 0 {
		m["id"] = id
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	changes = []change{with(mcp.HeaderProtocolVersion, mcp.ProtocolVersion20260728), with("Mcp-Method", method)}
	if name, ok := params["name"].(string); ok {
		changes = append(changes, with("Mcp-Name", name))
	}
	return string(b), changes
}

// begin begins an MCP session, and returns the change that adds it to a request.
func (r *rig) begin(changes ...change) change {
	r.t.Helper()
	a := r.send("POST", "/mcp", hello, changes...)
	id := a.header.Get("Mcp-Session-Id")
	must.Eq(r.t, http.StatusOK, a.status, must.Sprint("initialize"))
	must.NotEq(r.t, "", id, must.Sprint("initialize"))
	return with("Mcp-Session-Id", id)
}

// stream is an open stream of events.
type stream struct {
	lines chan string // closed at its end
	close func()
}

// open opens a stream.
func (r *rig) open(path string, changes ...change) (*stream, answer) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	res, err := r.client.Do(r.request(ctx, http.MethodGet, path, "", changes...)) //nolint:bodyclose // the stream's end closes it
	if err != nil {
		cancel()
		r.t.Fatal(err)
	}
	a := answer{status: res.StatusCode, header: res.Header}
	if res.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		cancel()
		a.body = string(b)
		return nil, a
	}
	st := &stream{lines: make(chan string, 10_000)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(st.lines)
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			st.lines <- lines.Text()
		}
	}()
	st.close = sync.OnceFunc(func() {
		cancel()
		res.Body.Close()
		<-read
	})
	r.t.Cleanup(st.close)
	return st, a
}

// until reads lines up to one that contains want.
func (st *stream) until(want string) (string, error) {
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	for {
		select {
		case line, ok := <-st.lines:
			if !ok {
				return "", fmt.Errorf("the stream ended before %q", want)
			}
			if strings.Contains(line, want) {
				return line, nil
			}
		case <-late.C:
			return "", fmt.Errorf("%q does not come", want)
		}
	}
}

// end reads to the end.
func (st *stream) end() error {
	_, err := st.until("\x00")
	if err != nil && strings.Contains(err.Error(), "ended") {
		return nil
	}
	return fmt.Errorf("the stream goes on: %w", err)
}

// events opens the older transport's stream, and returns the address for its messages.
func (r *rig) events(changes ...change) (*stream, string) {
	r.t.Helper()
	st, a := r.open("/sse", changes...)
	if st == nil {
		r.t.Fatalf("%+v", a)
	}
	line, err := st.until("data: ")
	if err != nil {
		r.t.Fatal(err)
	}
	return st, strings.TrimSpace(strings.TrimPrefix(line, "data: "))
}

// begun waits for a call of "wait" to begin, or to end.
func (r *rig) begun(want string) {
	r.t.Helper()
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	select {
	case got := <-r.waits:
		if got != want {
			r.t.Errorf("%q, want %q", got, want)
		}
	case <-late.C:
		r.t.Fatalf("%q does not come", want)
	}
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
