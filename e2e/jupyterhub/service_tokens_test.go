package jupyterhub

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
	"github.com/nbduet/nbduet/e2e/poll"
)

// forgotten is how long a token is valid at most after the hub has deleted it: half a minute, which the page promises,
// and the time of the check.
const forgotten = 40 * time.Second

// ping is a request that needs only a token.
const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// tokens checks tokens that are refused and tokens that stop being valid.
func (o *office) tokens(t *testing.T) {
	t.Run("refused", o.refusedTokens)
	t.Run("ended", func(t *testing.T) {
		t.Run("revoked", func(t *testing.T) { t.Parallel(); o.revoked(t) })
		t.Run("removed", func(t *testing.T) { t.Parallel(); o.removed(t) })
	})
}

func (o *office) refusedTokens(t *testing.T) {
	for name, c := range map[string]struct {
		hubs.Token
		says string
	}{
		"for the service alone": {token(t, o.Hub, "bob", "access:services!service=nbduet"), "lacks the scope access:servers!user=bob"},
		"for the server alone":  {token(t, o.Hub, "bob", mine("bob")), "lacks the scope access:services!service=nbduet"},
		"for neither":           {token(t, o.Hub, "bob", "read:users:name!user=bob"), "lacks the scope"},
		"a service's":           {o.Secret(), "not a user token"},
		"nobody's":              {hubs.Token{Secret: strings.Repeat("0", 32)}, "does not know the token"},
	} {
		a := request(t, http.MethodPost, o.how.URL, c.Secret, ping)
		test.Eq(t, http.StatusUnauthorized, a.status, test.Sprint(name))
		test.StrContains(t, a.body, c.says, test.Sprint(name))
		test.StrContains(t, a.header.Get("WWW-Authenticate"), "invalid_token", test.Sprint(name))
	}
	for _, made := range []hubs.Token{token(t, o.Hub, "bob", work("bob")...), token(t, o.Hub, "bob")} {
		o.session(t, made.Secret)
	}
}

// revoked revokes one of ann's tokens; the other stays valid.
func (o *office) revoked(t *testing.T) {
	kept, lost := token(t, o.Hub, "ann", work("ann")...), token(t, o.Hub, "ann", work("ann")...)
	a, b := reach(t, o.with(kept.Secret)), reach(t, o.with(lost.Secret))
	must.NoError(t, a.calls(t.Context(), "list_nbs", map[string]any{}, ""))
	must.NoError(t, b.calls(t.Context(), "list_nbs", map[string]any{}, ""))
	streams := []func() error{o.stream(t, lost, "/sse"), o.stream(t, lost, "/mcp")}
	must.NoError(t, o.Revoke(t.Context(), "ann", lost))
	o.refuses(t, lost, streams...)
	must.NoError(t, a.calls(t.Context(), "list_nbs", map[string]any{}, ""))
}

// removed removes a user while their code runs and a call waits for it. Other users are not affected.
func (o *office) removed(t *testing.T) {
	address := joined(t, o.Hub, "carol")
	made, others := token(t, o.Hub, "carol", work("carol")...), token(t, o.Hub, "ann", work("ann")...)
	c, ann := reach(t, o.with(made.Secret)), reach(t, o.with(others.Secret))
	must.NoError(t, c.calls(t.Context(), "create_document", map[string]any{"path": "runs.ipynb"}, ""))
	m := join(t, address, made, "runs.ipynb")
	ended := make(chan error, 1)
	go func() {
		ended <- c.calls(context.WithoutCancel(t.Context()), "insert_nb_cells", insert("runs.ipynb", "import time; time.sleep(600)"), "")
	}()
	must.NoError(t, poll.Until(t.Context(), "the run to begin", func(context.Context) error { return m.sees("import time; time.sleep(600)", "") }))
	streams := []func() error{o.stream(t, made, "/sse"), func() error {
		t.Logf("the call that waited for the run: %v", <-ended) // it ends, with or without a result
		return nil
	}}
	must.NoError(t, o.RemoveUser(t.Context(), "carol"))
	o.refuses(t, made, streams...)
	must.NoError(t, ann.calls(t.Context(), "insert_nb_cells", insert("login.ipynb", "print(40 + 2)"), "42"))
}

// stream opens a stream of events and returns a function that waits for its end.
func (o *office) stream(t *testing.T, as hubs.Token, path string) func() error {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.service+path, nil)
	must.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+as.Secret)
	req.Header.Set("Accept", "text/event-stream")
	if path == "/mcp" {
		req.Header.Set("Mcp-Session-Id", o.session(t, as.Secret))
	}
	res, err := http.DefaultClient.Do(req)
	must.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d", path, res.StatusCode)
	}
	return func() error {
		_, _ = io.Copy(io.Discard, res.Body) // it ends, in whatever way
		return nil
	}
}

// session begins an MCP session and returns its id.
func (o *office) session(t *testing.T, bearer string) string {
	t.Helper()
	a := request(t, http.MethodPost, o.how.URL, bearer, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`)
	id := a.header.Get("Mcp-Session-Id")
	must.Eq(t, http.StatusOK, a.status, must.Sprint("no session"))
	must.NotEq(t, "", id, must.Sprint("no session"))
	return id
}

// refuses waits until a token is refused and its open streams have ended.
func (o *office) refuses(t *testing.T, as hubs.Token, ends ...func() error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), forgotten)
	defer stop()
	must.NoError(t, poll.Until(ctx, "the token to be refused", func(context.Context) error {
		a := request(t, http.MethodPost, o.how.URL, as.Secret, ping)
		if a.status != http.StatusUnauthorized {
			return fmt.Errorf("status %d: %s", a.status, a.body)
		}
		return nil
	}))
	all := make(chan error, len(ends))
	for _, end := range ends {
		go func() { all <- end() }()
	}
	for range ends {
		select {
		case err := <-all:
			must.NoError(t, err)
		case <-ctx.Done():
			t.Fatal("something stays open")
		}
	}
}
