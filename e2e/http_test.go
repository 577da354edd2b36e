package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// web is nbduet serving HTTP.
type web struct {
	*agent.Process
	t      *testing.T
	url    string   // without a path
	tokens []string // each is somebody's
}

// startWeb starts the program with so many tokens, and ends it when the test does.
func startWeb(t *testing.T, tokens int, args ...string) *web {
	t.Helper()
	file, err := binary()
	must(t, err)
	w := &web{t: t}
	for i := range tokens {
		w.tokens = append(w.tokens, fmt.Sprintf("t0ken-of-%d-%s", i, jupyter.Token[:8]))
	}
	list := filepath.Join(t.TempDir(), "tokens")
	must(t, os.WriteFile(list, []byte(strings.Join(w.tokens, "\n")), 0o600))
	w.Process, err = agent.Spawn(agent.Options{
		Binary: file, Env: append(agentEnv(), "LOG_LEVEL=debug"),
		Args: append([]string{"--transport=streamable-http", "--port=0", "--auth-token-file=" + list}, args...),
	})
	must(t, err)
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, w.Stdout)
		read <- err
	}()
	t.Cleanup(func() {
		if err := w.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		code, err := w.Wait(exitLimit)
		if err != nil || code != 0 {
			t.Errorf("exit code %d, %v", code, err)
			w.Kill()
		}
		if err := <-read; err != nil || len(w.Output()) > 0 {
			t.Errorf("stdout has %q, %v", w.Output(), err)
		}
		for _, bad := range append(w.tokens, "DATA RACE", "panic", jupyter.Token) {
			if strings.Contains(w.Log(), bad) {
				t.Errorf("the log holds %q", bad)
			}
		}
		if t.Failed() {
			t.Logf("the log of nbduet:\n%.100000s", w.Log())
		}
	})
	must(t, poll.Until(t.Context(), "the address", func(context.Context) error {
		_, after, ok := strings.Cut(w.Log(), "serving MCP at ")
		line, _, whole := strings.Cut(after, "\n")
		if !ok || !whole {
			return errors.New(w.Log())
		}
		w.url = strings.TrimSuffix(line, "/mcp")
		return nil
	}))
	return w
}

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

// bearers sends a token with each request.
type bearers string

// RoundTrip implements http.RoundTripper.
func (b bearers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// mcpClient is a client of either kind.
type mcpClient interface {
	// call calls a tool, and decodes what it answers; a tool's error is an error.
	call(ctx context.Context, tool string, args map[string]any, out any) error
	// leave tells the server that the client goes.
	leave() error
}

// goClient is a client made with mcp-go.
type goClient struct{ *client.Client }

// The ways in which a client can reach the program.
const (
	viaStream = "streamable HTTP"
	viaModern = "streamable HTTP without sessions"
	viaEvents = "HTTP with server-sent events"
)

func (w *web) dial(ctx context.Context, how, token string) (goClient, error) {
	return dial(ctx, how, w.url+"/mcp", w.url+"/sse", bearers(token))
}

// dial connects a client made with mcp-go to a program that serves at these addresses.
func dial(ctx context.Context, how, streamAt, eventsAt string, sender http.RoundTripper) (goClient, error) {
	var link transport.Interface
	var err error
	// mcp-go sends headers of its own with all requests but the last, which says that the client goes.
	by := &http.Client{Transport: sender}
	opt := client.WithProtocolVersion("2025-11-25")
	switch how {
	case viaModern:
		opt = client.WithProtocolVersion(mcp.ProtocolVersion20260728)
		fallthrough
	case viaStream:
		link, err = transport.NewStreamableHTTP(streamAt, transport.WithHTTPBasicClient(by))
	case viaEvents:
		link, err = transport.NewSSE(eventsAt, transport.WithHTTPClient(by), transport.WithResponseTimeout(10*time.Minute))
	}
	if err != nil {
		return goClient{}, err
	}
	c := goClient{client.NewClient(link, opt)}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "nbduet-e2e", Version: "1"}
	if err := c.Start(context.WithoutCancel(ctx)); err != nil {
		return c, fmt.Errorf("connect by %s: %w", how, err)
	}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return c, errors.Join(fmt.Errorf("connect by %s: %w", how, err), c.Close())
	}
	return c, nil
}

func (c goClient) call(ctx context.Context, tool string, args map[string]any, out any) error {
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = tool, args
	result, err := c.CallTool(ctx, request)
	if err != nil {
		return fmt.Errorf("call %s: %w", tool, err)
	}
	text, _ := mcp.AsTextContent(result.Content[0])
	if result.IsError {
		return fmt.Errorf("call %s: the tool answered with an error: %s", tool, text.Text)
	}
	return json.Unmarshal([]byte(text.Text), out)
}

func (c goClient) leave() error { return c.Close() }

// nodeClient is a client made with the SDK for TypeScript.
type nodeClient struct {
	*sdk.Client
	end bool // it says that it goes
}

func (c nodeClient) call(ctx context.Context, tool string, args map[string]any, out any) error {
	answer, err := c.Call(ctx, tool, args)
	if err != nil {
		return err
	}
	if answer.IsError {
		return fmt.Errorf("call %s: the tool answered with an error: %s", tool, answer.Text())
	}
	return json.Unmarshal([]byte(answer.Text()), out)
}

func (c nodeClient) leave() error {
	var err error
	if c.end {
		err = c.End(context.Background())
	}
	return errors.Join(err, c.Close())
}

// A client of each kind works in a notebook, has a session, and leaves: its kernel ends then.
func TestClientsOverHTTP(t *testing.T) {
	w := startWeb(t, 1)
	token := w.tokens[0]
	for how, start := range map[string]func() (mcpClient, error){
		viaStream: func() (mcpClient, error) { return w.dial(t.Context(), viaStream, token) },
		viaModern: func() (mcpClient, error) { return w.dial(t.Context(), viaModern, token) },
		viaEvents: func() (mcpClient, error) { return w.dial(t.Context(), viaEvents, token) },
		"SDK, " + viaStream: func() (mcpClient, error) {
			c, err := sdk.Start(t.Context(), sdk.Options{URL: w.url + "/mcp", Headers: bearer(token)})
			return nodeClient{c, true}, err
		},
		"SDK, " + viaEvents: func() (mcpClient, error) {
			c, err := sdk.Start(t.Context(), sdk.Options{URL: w.url + "/sse", SSE: true, Headers: bearer(token)})
			return nodeClient{c, false}, err
		},
	} {
		t.Run(how, func(t *testing.T) {
			path := newNotebook(t, code("print('hello, ' + 'over HTTP')"))
			c, err := start()
			must(t, err)
			var ran struct {
				Results []struct {
					RunID   string `json:"run_id"`
					Outputs []struct {
						Text string `json:"text"`
					} `json:"outputs"`
				} `json:"execution_results"`
			}
			must(t, c.call(t.Context(), "execute_nb_cells", map[string]any{"path": path, "ranges": []map[string]any{{"start": 0}}}, &ran))
			if len(ran.Results) != 1 || len(ran.Results[0].Outputs) != 1 || ran.Results[0].Outputs[0].Text != "hello, over HTTP\n" {
				t.Errorf("%+v", ran)
			}
			must(t, c.call(t.Context(), "get_run", map[string]any{"run_id": ran.Results[0].RunID}, &map[string]any{}))
			var made struct {
				ID     string `json:"session_id"`
				Kernel string `json:"kernel_id"`
			}
			must(t, c.call(t.Context(), "session_create", map[string]any{"name": how}, &made))
			if how == viaModern { // who does not end with a session
				must(t, c.call(t.Context(), "session_delete", map[string]any{"session_id": made.ID}, &map[string]any{}))
			}
			must(t, c.leave())
			must(t, poll.Until(t.Context(), "the kernel's end", func(ctx context.Context) error {
				status, err := jupyterStatus(ctx, "/api/kernels/"+made.Kernel)
				if err == nil && status != http.StatusNotFound {
					err = fmt.Errorf("status %d", status)
				}
				return err
			}))
		})
	}
}

// jupyterStatus asks the shared server for something.
func jupyterStatus(ctx context.Context, path string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, jupyter.URL+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "token "+jupyter.Token)
	return statusOf(req)
}

func statusOf(req *http.Request) (int, error) {
	link := &http.Transport{DisableKeepAlives: true}
	defer link.CloseIdleConnections()
	res, err := (&http.Client{Transport: link}).Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// Who may not is refused, by the program as it is started; and who is slow is not waited for.
func TestHTTPRefuses(t *testing.T) {
	w := startWeb(t, 1, "--allowed-origins=https://app.example.org")
	slow, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	must(t, err)
	defer slow.Close()
	_, err = io.WriteString(slow, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
	must(t, err)
	for name, c := range map[string]struct {
		change func(*http.Request)
		body   string
		status int
	}{
		"as it should be":     {func(*http.Request) {}, "", 200},
		"an allowed page":     {func(r *http.Request) { r.Header.Set("Origin", "https://app.example.org") }, "", 200},
		"a foreign page":      {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, "", 403},
		"a page on localhost": {func(r *http.Request) { r.Header.Set("Origin", "http://localhost:8888") }, "", 403},
		"a rebound name":      {func(r *http.Request) { r.Host = "evil.example:3001" }, "", 403},
		"no token":            {func(r *http.Request) { r.Header.Del("Authorization") }, "", 401},
		"a wrong token":       {func(r *http.Request) { r.Header.Set("Authorization", "Bearer guess") }, "", 401},
		"Jupyter's token":     {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+jupyter.Token) }, "", 401},
		"a token in the path": {func(r *http.Request) {
			r.Header.Del("Authorization")
			r.URL.RawQuery = "token=" + w.tokens[0]
		}, "", 401},
		"too long a body":     {func(*http.Request) {}, strings.Repeat(" ", 17<<20), 413},
		"a method of no kind": {func(r *http.Request) { r.Method = http.MethodPatch }, "", 405},
	} {
		t.Run(name, func(t *testing.T) {
			if c.body == "" {
				c.body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}}`
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/mcp", strings.NewReader(c.body))
			must(t, err)
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set("Authorization", "Bearer "+w.tokens[0])
			c.change(req)
			if status, err := statusOf(req); err != nil || status != c.status {
				t.Errorf("status %d, %v", status, err)
			}
		})
	}
	must(t, slow.SetReadDeadline(time.Now().Add(time.Minute)))
	if _, err := bufio.NewReader(slow).ReadByte(); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the slow one is answered, or waited for: %v", err)
	}
}

// Twenty cells that block do not stall the next call, least of all the one that stops them.
func TestBlockedCallsStallNobody(t *testing.T) {
	path := newNotebook(t, code("import time; time.sleep(600)"))
	w := spawn(t)
	w.hello()
	for i := range 20 {
		w.call(100+i, "execute_nb_cells", map[string]any{"path": path, "ranges": []map[string]any{{"start": 0}}, "timeout": 600})
	}
	var listed struct {
		Runs []struct {
			ID    string `json:"run_id"`
			State string `json:"state"`
		} `json:"runs"`
	}
	id := 1
	ask := func(tool string, args map[string]any, out any) {
		id++
		w.call(id, tool, args)
		var result struct {
			Content []struct{ Text string } `json:"content"`
		}
		must(t, json.Unmarshal(w.answered(fmt.Sprint(id)).Result, &result))
		must(t, json.Unmarshal([]byte(result.Content[0].Text), out))
	}
	must(t, poll.Until(t.Context(), "twenty runs, of which one runs", func(context.Context) error {
		ask("list_runs", map[string]any{"limit": 50}, &listed)
		if n := len(listed.Runs); n != 20 || listed.Runs[n-1].State != "running" {
			return fmt.Errorf("%+v", listed)
		}
		return nil
	}))
	for _, run := range listed.Runs { // the latest first, so that none of them begins
		ask("cancel_run", map[string]any{"run_id": run.ID}, &struct{}{})
	}
	for i := range 20 {
		w.answered(fmt.Sprint(100 + i))
	}
	must(t, w.Stdin.Close())
	w.quit()
}
