package journeys

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/e2e/embedded"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// Over HTTP the right token lets a client edit and run; a wrong or missing one is refused.
func TestHTTPWithToken(t *testing.T) {
	t.Parallel()
	path := notebook(t, kit.Jupyter(t), "6 * 7")
	m := join(t, kit.Jupyter(t), path)
	w := kit.StartWeb(t, 1)
	at := w.URL + "/mcp"
	for _, authorization := range []string{"", "Bearer guess"} {
		if status := post(t, at, authorization); status != http.StatusUnauthorized {
			t.Errorf("with the authorization %q: status %d, want 401", authorization, status)
		}
	}
	works(t, at, "Bearer "+w.Tokens[0], path, m)
}

// Inside Jupyter Server the program is protected by the server's own token.
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

// post sends a first message and returns the status.
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
	status, err := kit.StatusOf(req)
	must.NoError(t, err)
	return status
}

// works lists the tools, edits a notebook whose first cell is c0, and runs it: the room has both.
func works(t *testing.T, at, authorization, path string, m *member) {
	t.Helper()
	ctx := t.Context()
	link, err := transport.NewStreamableHTTP(at, transport.WithHTTPBasicClient(&http.Client{Transport: kit.Authorized(authorization)}))
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
