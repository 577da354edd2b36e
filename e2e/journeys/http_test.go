package journeys

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/embedded"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
)

// Over HTTP the right token lets a client edit and run; a wrong one, and none, are refused.
func TestHTTPWithToken(t *testing.T) {
	t.Parallel()
	const token = "a-token-for-the-journey-over-http"
	path := notebook(t, kit.Jupyter(t), "6 * 7")
	m := join(t, kit.Jupyter(t), path)
	at := serve(t, token)
	for _, authorization := range []string{"", "Bearer guess"} {
		if status := post(t, at, authorization); status != http.StatusUnauthorized {
			t.Errorf("with the authorization %q: status %d, want 401", authorization, status)
		}
	}
	works(t, at, "Bearer "+token, path, m)
}

// Inside Jupyter Server the program stands behind the server's own token.
func TestInsideJupyterServer(t *testing.T) {
	t.Parallel()
	in, err := embedded.Install(t.TempDir())
	must.NoError(t, err)
	server, err := lab.Start(t.Context(), lab.Options{Command: in.Command(), Env: in.Env})
	must.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server's log:\n%s", server.LogTail(200))
		}
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	path := notebook(t, server, "6 * 7")
	m := join(t, server, path)
	if status := post(t, server.URL+"/mcp", "token guess"); status != http.StatusForbidden {
		t.Errorf("with a wrong token: status %d, want 403", status)
	}
	works(t, server.URL+"/mcp", "token "+server.Token, path, m)
}

// serve starts the program over HTTP for the shared server, and returns its address.
func serve(t *testing.T, token string) string {
	t.Helper()
	file := kit.Binary(t)
	list := filepath.Join(t.TempDir(), "tokens")
	must.NoError(t, os.WriteFile(list, []byte(token), 0o600))
	p, err := agent.Spawn(agent.Options{Binary: file, Env: kit.AgentEnv(t), Args: []string{"--transport=streamable-http", "--port=0", "--auth-token-file=" + list}})
	must.NoError(t, err)
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, p.Stdout)
		read <- err
	}()
	t.Cleanup(func() {
		if err := p.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if code, err := p.Wait(time.Minute); err != nil || code != 0 {
			t.Errorf("exit code %d, %v", code, err)
			p.Kill()
		}
		if err := <-read; err != nil {
			t.Error(err)
		}
		for _, bad := range []string{token, kit.Jupyter(t).Token, "DATA RACE"} {
			if strings.Contains(p.Log(), bad) {
				t.Errorf("the log has %q", bad)
			}
		}
		if t.Failed() {
			t.Logf("the log of nbduet:\n%s", p.Log())
		}
	})
	var at string
	must.NoError(t, poll.Until(t.Context(), "the address", func(context.Context) error {
		_, after, ok := strings.Cut(p.Log(), "serving MCP at ")
		line, _, whole := strings.Cut(after, "\n")
		if !ok || !whole {
			return errors.New(p.Log())
		}
		at = line
		return nil
	}))
	return at
}

// post sends a first message, and returns the status.
func post(t *testing.T, at, authorization string) int {
	t.Helper()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(hello))
	must.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	res, err := http.DefaultClient.Do(req)
	must.NoError(t, err)
	must.NoError(t, res.Body.Close())
	return res.StatusCode
}

// authorized sends an authorization with each request: mcp-go's own headers are not on all of them.
type authorized string

// RoundTrip implements http.RoundTripper.
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(a))
	return http.DefaultTransport.RoundTrip(r)
}

// works lists the tools, edits a notebook whose first cell is c0, and runs it: the room has both.
func works(t *testing.T, at, authorization, path string, m *member) {
	t.Helper()
	ctx := t.Context()
	link, err := transport.NewStreamableHTTP(at, transport.WithHTTPBasicClient(&http.Client{Transport: authorized(authorization)}))
	must.NoError(t, err)
	c := client.NewClient(link)
	must.NoError(t, c.Start(ctx))
	defer func() { must.NoError(t, c.Close()) }()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "nbduet-journeys", Version: "1"}
	_, err = c.Initialize(ctx, hello)
	must.NoError(t, err)
	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	must.NoError(t, err)
	if len(list.Tools) < 10 {
		t.Errorf("%d tools are listed", len(list.Tools))
	}
	var request mcp.CallToolRequest
	request.Params.Name = "insert_nb_cells"
	request.Params.Arguments = map[string]any{"path": path, "after_id": "c0", "cells": []any{map[string]any{"content": "print('over HTTP')"}}}
	result, err := c.CallTool(ctx, request)
	must.NoError(t, err)
	if result.IsError {
		t.Fatalf("insert_nb_cells: %+v", result.Content)
	}
	m.sees("the cell and what it printed", func(cells []roomCell) error {
		if len(cells) != 2 || printed(cells[1]) != "over HTTP\n" {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	})
}
