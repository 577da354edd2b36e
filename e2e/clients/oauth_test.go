package clients_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/sdk"
	"github.com/nbduet/nbduet/tools/serve/issuertest"
)

// A client of the SDK for TypeScript that knows only the program's address finds the issuer, gets a token, and is
// served; each client has its own identity.
func TestClientLogsIn(t *testing.T) {
	i := issuertest.Start(t)
	w := kit.StartWeb(t, 1, "--oidc-issuer="+i.URL, "--oidc-audience="+issuertest.Audience, "--oidc-scopes=notebooks,kernels")
	for _, path := range []string{"/mcp", "/sse"} {
		t.Run(path, func(t *testing.T) {
			login := func(name string) *sdk.Client {
				return typescript(t, sdk.Options{URL: w.URL + path, SSE: path == "/sse", OAuth: map[string]string{
					"clientId": name, "clientSecret": "s3cret", "expectedIssuer": i.URL, "scope": "kernels notebooks",
				}})
			}
			ada, bob := login("ada"), login("bob")
			var made kit.Analysis
			typescriptDo(t, ada, "session_create", map[string]any{"name": "ada's"}, &made)
			var list struct {
				Sessions []kit.Analysis
			}
			typescriptDo(t, bob, "session_list", map[string]any{}, &list)
			if len(list.Sessions) != 0 {
				t.Errorf("the one sees the other's: %+v", list)
			}
			refused, err := bob.Call(t.Context(), "session_delete", map[string]any{"session_id": made.SessionID})
			must.NoError(t, err, must.Sprint("the one ends the other's"))
			test.True(t, refused.IsError, test.Sprint("the one ends the other's"))
			typescriptDo(t, ada, "session_delete", map[string]any{"session_id": made.SessionID}, &struct{}{})
			asked := i.Resources()
			must.SliceNotEmpty(t, asked)
			test.Eq(t, w.URL+path, asked[len(asked)-1])
		})
	}
	if strings.Contains(w.Log(), "s3cret") {
		t.Error("a secret is in the log")
	}
}

// A client whose MCP session is gone, as after a restart of the program, gets the protocol's status for that and begins
// another session.
func TestSessionIsGone(t *testing.T) {
	w := kit.StartWeb(t, 1)
	opt := sdk.Options{URL: w.URL + "/mcp", Headers: kit.Bearer(w.Tokens[0])}
	c := typescript(t, opt)
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, w.URL+"/mcp", nil)
	must.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+w.Tokens[0])
	req.Header.Set("Mcp-Session-Id", c.Hello().Session)
	status, err := kit.StatusOf(req)
	must.NoError(t, err)
	must.Eq(t, http.StatusOK, status)
	_, err = c.Tools(t.Context())
	var said *sdk.Error
	must.True(t, errors.As(err, &said))
	test.Eq(t, http.StatusNotFound, said.Code)
	test.StrContains(t, said.Message, "initialize")
	again := typescript(t, opt)
	_, err = again.Tools(t.Context())
	must.NoError(t, err)
	test.NotEq(t, c.Hello().Session, again.Hello().Session)
}
