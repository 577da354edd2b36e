package program_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// A client of each kind works in a notebook, has a session, and disconnects; then its kernel ends.
func TestClientsOverHTTP(t *testing.T) {
	w := kit.StartWeb(t, 1)
	token := w.Tokens[0]
	for how, start := range map[string]func() (kit.MCPClient, error){
		kit.ViaStream: func() (kit.MCPClient, error) { return w.Dial(t.Context(), kit.ViaStream, token) },
		kit.ViaModern: func() (kit.MCPClient, error) { return w.Dial(t.Context(), kit.ViaModern, token) },
		kit.ViaEvents: func() (kit.MCPClient, error) { return w.Dial(t.Context(), kit.ViaEvents, token) },
		"SDK, " + kit.ViaStream: func() (kit.MCPClient, error) {
			c, err := sdk.Start(t.Context(), sdk.Options{URL: w.URL + "/mcp", Headers: kit.Bearer(token)})
			return kit.NodeClient{Client: c, Ends: true}, err
		},
		"SDK, " + kit.ViaEvents: func() (kit.MCPClient, error) {
			c, err := sdk.Start(t.Context(), sdk.Options{URL: w.URL + "/sse", SSE: true, Headers: kit.Bearer(token)})
			return kit.NodeClient{Client: c, Ends: false}, err
		},
	} {
		t.Run(how, func(t *testing.T) {
			path := kit.NewNotebook(t, kit.Code("print('hello, ' + 'over HTTP')"))
			c, err := start()
			must.NoError(t, err)
			var ran struct {
				Results []struct {
					RunID   string `json:"run_id"`
					Outputs []struct {
						Text string `json:"text"`
					} `json:"outputs"`
				} `json:"execution_results"`
			}
			must.NoError(t, c.Do(t.Context(), "execute_nb_cells", map[string]any{"path": path, "ranges": []map[string]any{{"start": 0}}}, &ran))
			must.SliceLen(t, 1, ran.Results)
			must.SliceLen(t, 1, ran.Results[0].Outputs)
			test.Eq(t, "hello, over HTTP\n", ran.Results[0].Outputs[0].Text)
			must.NoError(t, c.Do(t.Context(), "get_run", map[string]any{"run_id": ran.Results[0].RunID}, &map[string]any{}))
			var made struct {
				ID     string `json:"session_id"`
				Kernel string `json:"kernel_id"`
			}
			must.NoError(t, c.Do(t.Context(), "session_create", map[string]any{"name": how}, &made))
			if how == kit.ViaModern { // which does not end with a session
				must.NoError(t, c.Do(t.Context(), "session_delete", map[string]any{"session_id": made.ID}, &map[string]any{}))
			}
			must.NoError(t, c.Leave())
			must.NoError(t, poll.Until(t.Context(), "the kernel's end", func(ctx context.Context) error {
				status, err := jupyterStatus(ctx, kit.Jupyter(t), "/api/kernels/"+made.Kernel)
				if err == nil && status != http.StatusNotFound {
					err = fmt.Errorf("status %d", status)
				}
				return err
			}))
		})
	}
}

// jupyterStatus requests a path of the shared server and returns the status.
func jupyterStatus(ctx context.Context, l *lab.Lab, path string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.URL+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "token "+l.Token)
	return kit.StatusOf(req)
}

// The built program refuses unauthorized requests and does not wait for slow ones.
func TestHTTPRefuses(t *testing.T) {
	w := kit.StartWeb(t, 1, "--allowed-origins=https://app.example.org")
	slow, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
	must.NoError(t, err)
	defer slow.Close()
	_, err = io.WriteString(slow, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
	must.NoError(t, err)
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
		"Jupyter's token":     {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+kit.Jupyter(t).Token) }, "", 401},
		"a token in the path": {func(r *http.Request) {
			r.Header.Del("Authorization")
			r.URL.RawQuery = "token=" + w.Tokens[0]
		}, "", 401},
		"too long a body":     {func(*http.Request) {}, strings.Repeat(" ", 17<<20), 413},
		"a method of no kind": {func(r *http.Request) { r.Method = http.MethodPatch }, "", 405},
	} {
		t.Run(name, func(t *testing.T) {
			if c.body == "" {
				c.body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}}`
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+"/mcp", strings.NewReader(c.body))
			must.NoError(t, err)
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set("Authorization", "Bearer "+w.Tokens[0])
			c.change(req)
			status, err := kit.StatusOf(req)
			must.NoError(t, err)
			test.Eq(t, c.status, status)
		})
	}
	must.NoError(t, slow.SetReadDeadline(time.Now().Add(time.Minute)))
	if _, err := bufio.NewReader(slow).ReadByte(); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the slow one is answered, or waited for: %v", err)
	}
}

// Twenty blocking cells do not delay the next call, in particular the call that stops them.
func TestBlockedCallsStallNobody(t *testing.T) {
	path := kit.NewNotebook(t, kit.Code("import time; time.sleep(600)"))
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
		must.NoError(t, json.Unmarshal(w.answered(fmt.Sprint(id)).Result, &result))
		must.NoError(t, json.Unmarshal([]byte(result.Content[0].Text), out))
	}
	must.NoError(t, poll.Until(t.Context(), "twenty runs, of which one runs", func(context.Context) error {
		ask("list_runs", map[string]any{"limit": 50}, &listed)
		if n := len(listed.Runs); n != 20 || listed.Runs[n-1].State != "running" {
			return fmt.Errorf("%+v", listed)
		}
		return nil
	}))
	for _, run := range listed.Runs { // the latest first, so that no waiting one begins
		ask("cancel_run", map[string]any{"run_id": run.ID}, &struct{}{})
	}
	for i := range 20 {
		w.answered(fmt.Sprint(100 + i))
	}
	must.NoError(t, w.Stdin.Close())
	w.quit()
}
