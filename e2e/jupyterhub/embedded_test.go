package jupyterhub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
	"github.com/nbduet/nbduet/e2e/poll"
)

// inEachServer is the page's heading.
const inEachServer = "2. In each user's server"

// The program runs in each user's server, and clients reach it through the hub's proxy.
func TestInEachServer(t *testing.T) {
	if text := block(t, inEachServer, "sh"); !strings.Contains(text, " 'nbduet[jupyter]'\n") {
		t.Fatalf("the page installs something else than the test: %s", text)
	}
	in, err := installed()
	must.NoError(t, err)
	both(t, func(t *testing.T, version int) {
		h := start(t, hubs.Options{
			Version: version, Python: in.Python, Env: in.Env,
			// The guest needs the share; the page has it in its first section.
			Config: block(t, onYourMachine, "python") + block(t, inEachServer, "python"),
		})
		ann := joined(t, h, "ann")
		must.NoError(t, h.AddUsers(t.Context(), "bob", "guest"))
		made := token(t, h, "ann", mine("ann"))
		how := configured(t, inEachServer, h, made)
		if how.Type != "http" || how.URL != ann+"/mcp" {
			t.Fatalf("the page reaches %q over %q, and the server is %q", how.URL, how.Type, ann)
		}

		a := reach(t, how)
		must.NoError(t, a.calls(t.Context(), "create_document", map[string]any{"path": "inside.ipynb"}, ""))
		m := join(t, ann, made, "inside.ipynb")
		must.NoError(t, a.calls(t.Context(), "insert_nb_cells", insert("inside.ipynb", "print(6 * 7)"), "42"))
		must.NoError(t, m.sees("print(6 * 7)", ""))

		hers := token(t, h, "ann")
		must.NoError(t, h.CallAs(t.Context(), hers, http.MethodPost, "/shares/ann/", map[string]any{"user": "guest"}, nil))
		theirs := token(t, h, "guest", "access:servers!server=ann/")
		how.Headers = map[string]string{"Authorization": "token " + theirs.Secret}
		guest := reach(t, how)
		must.NoError(t, guest.calls(t.Context(), "insert_nb_cells", insert("inside.ipynb", "print('guest')"), "guest"))
		must.NoError(t, m.sees("print('guest')", "print(6 * 7)", ""))
		// Callers without an MCP session are distinguished by name and do not see each other's objects.
		const begin, list = `{"tool_name":"session_create","arguments":{"name":"ann's own"}}`, `{"tool_name":"session_list","arguments":{}}`
		plain(t, how.URL, made, begin)
		for who, want := range map[hubs.Token]bool{made: true, theirs: false} {
			if text, status := plain(t, how.URL, who, list); status != http.StatusOK || strings.Contains(text, "ann's own") != want {
				t.Errorf("the sessions, with hers among them: %v; status %d: %s", want, status, text)
			}
		}

		t.Run("others", func(t *testing.T) {
			before := files(t, h, "ann")
			for name, made := range map[string]hubs.Token{
				"bob": token(t, h, "bob"), "bob's server": token(t, h, "bob", mine("bob")), "nobody": {Secret: strings.Repeat("0", 32)},
				"another scope of ann's": token(t, h, "ann", "read:users:name!user=ann"),
			} {
				if text, status := plain(t, how.URL, made, list); status != http.StatusForbidden || strings.Contains(text, "inside") {
					t.Errorf("%s: status %d: %s", name, status, text)
				}
			}
			if after := files(t, h, "ann"); !slices.Equal(before, after) {
				t.Errorf("of ann's files %q were made %q", before, after)
			}
		})
		t.Run("revoked token", func(t *testing.T) {
			must.NoError(t, h.Revoke(t.Context(), "ann", made))
			a.ends(t, "inside.ipynb")
			must.NoError(t, h.CallAs(t.Context(), hers, http.MethodDelete, "/shares/ann/", nil, nil))
			guest.ends(t, "inside.ipynb")
		})
	})
}

// insert returns the arguments that insert and run a cell at the beginning.
func insert(path, source string) map[string]any {
	return map[string]any{"path": path, "position": 0, "exec": true, "cells": []any{map[string]any{"content": source}}}
}

// sending adds headers to each request, because mcp-go does not send its own on all of them, and keeps the last answer's
// status, which mcp-go does not return.
type sending struct {
	header map[string]string
	status atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (s *sending) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range s.header {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodPost {
		s.status.Store(int64(res.StatusCode))
	}
	return res, err
}

// remote is an MCP client over HTTP.
type remote struct {
	client *client.Client
	sent   *sending
}

// reach connects a client as its configuration says and closes it when the test ends.
func reach(t *testing.T, how entry) remote {
	t.Helper()
	sent := &sending{header: how.Headers}
	link, err := transport.NewStreamableHTTP(how.URL, transport.WithHTTPBasicClient(&http.Client{Transport: sent}))
	must.NoError(t, err)
	c := client.NewClient(link, client.WithProtocolVersion("2025-11-25")) // with a session
	must.NoError(t, c.Start(t.Context()))
	t.Cleanup(func() { _ = c.Close() }) // the token may be invalid by then
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-11-25"
	hello.Params.ClientInfo = mcp.Implementation{Name: "nbduet-e2e", Version: "1"}
	_, err = c.Initialize(t.Context(), hello)
	must.NoError(t, err)
	return remote{c, sent}
}

// calls invokes a tool whose answer has to contain a text.
func (r remote) calls(ctx context.Context, tool string, args map[string]any, says string) error {
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = tool, args
	result, err := r.client.CallTool(ctx, request)
	if err != nil {
		return fmt.Errorf("call %s: %w", tool, err)
	}
	if text := fmt.Sprint(result.Content); result.IsError || !strings.Contains(text, says) {
		return fmt.Errorf("call %s: not answered with %q: %s", tool, says, text)
	}
	return nil
}

// ends waits until every call is refused, even for an open notebook.
func (r remote) ends(t *testing.T, path string) {
	t.Helper()
	must.NoError(t, poll.Until(t.Context(), "a call to be refused", func(ctx context.Context) error {
		err := r.calls(ctx, "list_nbs", map[string]any{}, "")
		if status := r.sent.status.Load(); err == nil || status != http.StatusForbidden {
			return fmt.Errorf("status %d: %w", status, cmp.Or(err, errors.New("answered")))
		}
		return nil
	}))
	for _, calls := range []map[string]map[string]any{asking(path), opening(path)} {
		for tool, args := range calls {
			err := r.calls(t.Context(), tool, args, "")
			status := r.sent.status.Load()
			must.Error(t, err, must.Sprint(tool))
			test.Eq(t, http.StatusForbidden, status, test.Sprint(tool))
		}
	}
}

// plain calls a tool without MCP and returns the answer and its status.
func plain(t *testing.T, at string, as hubs.Token, call string) (text string, status int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at+"/tools/call", strings.NewReader(call))
	must.NoError(t, err)
	req.Header.Set("Authorization", "token "+as.Secret)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	must.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must.NoError(t, err)
	return string(b), res.StatusCode
}
