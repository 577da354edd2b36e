package kit

import (
	"context"
	"encoding/json"
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

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// Web is nbduet serving HTTP.
type Web struct {
	*agent.Process
	t      *testing.T
	URL    string   // without a path
	Tokens []string // each belongs to one user
}

// StartWeb starts the program with the given number of tokens and ends it with the test.
func StartWeb(t *testing.T, tokens int, args ...string) *Web {
	t.Helper()
	w := &Web{t: t}
	for i := range tokens {
		w.Tokens = append(w.Tokens, fmt.Sprintf("t0ken-of-%d-%s", i, Jupyter(t).Token[:8]))
	}
	list := filepath.Join(t.TempDir(), "tokens")
	must.NoError(t, os.WriteFile(list, []byte(strings.Join(w.Tokens, "\n")), 0o600))
	var err error
	w.Process, err = agent.Spawn(agent.Options{
		Binary: Binary(t), Env: append(AgentEnv(t), "LOG_LEVEL=debug"),
		Args: append([]string{"--transport=streamable-http", "--port=0", "--auth-token-file=" + list}, args...),
	})
	must.NoError(t, err)
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, w.Stdout)
		read <- err
	}()
	t.Cleanup(func() {
		if err := w.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		code, err := w.Wait(ExitLimit)
		if err != nil || code != 0 {
			t.Errorf("exit code %d, %v", code, err)
			w.Kill()
		}
		if err := <-read; err != nil || len(w.Output()) > 0 {
			t.Errorf("stdout has %q, %v", w.Output(), err)
		}
		for _, bad := range append(w.Tokens, "DATA RACE", "panic", Jupyter(t).Token) {
			if strings.Contains(w.Log(), bad) {
				t.Errorf("the log holds %q", bad)
			}
		}
		if t.Failed() {
			t.Logf("the log of nbduet:\n%.100000s", w.Log())
		}
	})
	must.NoError(t, poll.Until(t.Context(), "the address", func(context.Context) error {
		_, after, ok := strings.Cut(w.Log(), "serving MCP at ")
		line, _, whole := strings.Cut(after, "\n")
		if !ok || !whole {
			return errors.New(w.Log())
		}
		w.URL = strings.TrimSuffix(line, "/mcp")
		return nil
	}))
	return w
}

// Bearer returns the header with a token.
func Bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

// Authorized sends an authorization with each request; mcp-go does not send its own headers with the last request, which
// ends the session.
type Authorized string

// RoundTrip implements http.RoundTripper.
func (a Authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(a))
	return http.DefaultTransport.RoundTrip(r)
}

// MCPClient is a client made with either library.
type MCPClient interface {
	// Do calls a tool and decodes its answer; a tool's error is an error.
	Do(ctx context.Context, tool string, args map[string]any, out any) error
	// Leave ends the client's session on the server.
	Leave() error
}

// GoClient is a client made with mcp-go.
type GoClient struct{ *client.Client }

// The transports of a client.
const (
	ViaStream = "streamable HTTP"
	ViaModern = "streamable HTTP without sessions"
	ViaEvents = "HTTP with server-sent events"
)

// Dial connects a client made with mcp-go.
func (w *Web) Dial(ctx context.Context, how, token string) (GoClient, error) {
	return Dial(ctx, how, w.URL+"/mcp", w.URL+"/sse", Authorized("Bearer "+token))
}

// Dial connects a client made with mcp-go to the program at these addresses.
func Dial(ctx context.Context, how, streamAt, eventsAt string, sender http.RoundTripper) (GoClient, error) {
	var link transport.Interface
	var err error
	by := &http.Client{Transport: sender}
	opt := client.WithProtocolVersion("2025-11-25")
	switch how {
	case ViaModern:
		opt = client.WithProtocolVersion(mcp.ProtocolVersion20260728)
		fallthrough
	case ViaStream:
		link, err = transport.NewStreamableHTTP(streamAt, transport.WithHTTPBasicClient(by))
	case ViaEvents:
		link, err = transport.NewSSE(eventsAt, transport.WithHTTPClient(by), transport.WithResponseTimeout(10*time.Minute))
	}
	if err != nil {
		return GoClient{}, err
	}
	c := GoClient{client.NewClient(link, opt)}
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

// Do implements MCPClient.
func (c GoClient) Do(ctx context.Context, tool string, args map[string]any, out any) error {
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

// Leave implements MCPClient.
func (c GoClient) Leave() error { return c.Close() }

// NodeClient is a client made with the SDK for TypeScript.
type NodeClient struct {
	*sdk.Client
	Ends bool // Leave ends its session
}

// Do implements MCPClient.
func (c NodeClient) Do(ctx context.Context, tool string, args map[string]any, out any) error {
	answer, err := c.Call(ctx, tool, args)
	if err != nil {
		return err
	}
	if answer.IsError {
		return fmt.Errorf("call %s: the tool answered with an error: %s", tool, answer.Text())
	}
	return json.Unmarshal([]byte(answer.Text()), out)
}

// Leave implements MCPClient.
func (c NodeClient) Leave() error {
	var err error
	if c.Ends {
		err = c.End(context.Background())
	}
	return errors.Join(err, c.Close())
}

// StatusOf sends a request and returns the status of the answer.
func StatusOf(req *http.Request) (int, error) {
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
