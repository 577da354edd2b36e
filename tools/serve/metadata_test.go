package serve

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/serve/issuertest"
	"github.com/nbduet/nbduet/tools/tool"
)

// A client without a token, on any page, can read which issuer to ask.
func TestMetadata(t *testing.T) {
	const well = "/.well-known/oauth-protected-resource"
	for name, c := range map[string]struct {
		url      string // the configured URL
		header   change
		path     string
		resource string // "" for none; a path if the host is the server's
	}{
		"the server": {public, nil, well, public},
		"the server, configured as clients have it": {public + "/mcp/", nil, well, public},
		"the endpoint":           {public, nil, well + "/mcp", public + "/mcp"},
		"the endpoint, with /":   {public, nil, well + "/mcp/", public + "/mcp"},
		"the older endpoint":     {public, nil, well + "/sse", public + "/sse"},
		"what is none":           {public, nil, well + "/other", ""},
		"what begins like one":   {public, nil, well + "/mcpp", ""},
		"below a path":           {public + "/user/ada", nil, well + "/mcp", public + "/user/ada/mcp"},
		"below a path, before":   {public + "/user/ada", nil, well + "/user/ada/mcp", public + "/user/ada/mcp"},
		"below a path, as whole": {public + "/user/ada/", nil, well + "/user/ada", public + "/user/ada"},
		"not configured":         {"", nil, well + "/mcp", "/mcp"},
		"told by a proxy":        {"", with("X-Forwarded-Prefix", "/user/ada"), well + "/mcp", "/user/ada/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			r, i, _ := newIssuerRig(t, func(cfg *Config) {
				cfg.PublicURL, cfg.OIDC.Audiences, cfg.OIDC.Scopes = c.url, []string{"a"}, []string{"notebooks"}
			})
			r.t = t
			changes := []change{func(r *http.Request) { r.Header.Del("Authorization") }, with("Origin", "https://page.example")}
			if c.header != nil {
				changes = append(changes, c.header)
			}
			a := r.send("GET", c.path, "", changes...)
			if c.resource == "" {
				r.wants(a, 404, "/mcp")
				return
			}
			r.wants(a, 200)
			if strings.HasPrefix(c.resource, "/") {
				c.resource = r.url + c.resource
			}
			var got map[string]any
			want := `{"authorization_servers":["` + i.URL + `"],"bearer_methods_supported":["header"],"resource":"` + c.resource + `","resource_name":"nbduet","scopes_supported":["notebooks"]}`
			if err := json.Unmarshal([]byte(a.body), &got); err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(got)
			must.NoError(t, err)
			test.Eq(t, want, string(b))
			o := a.header.Get("Access-Control-Allow-Origin")
			test.Eq(t, "https://page.example", o)
			test.Eq(t, "application/json", a.header.Get("Content-Type"))
		})
	}
	r, _, _ := newIssuerRig(t, nil)
	page := []change{with("Origin", "https://page.example"), with("Authorization", ""), with("Access-Control-Request-Method", "GET"), with("Access-Control-Request-Headers", "mcp-protocol-version")}
	a := r.send("OPTIONS", well+"/mcp", "", page...)
	r.wants(a, http.StatusNoContent)
	test.Eq(t, "https://page.example", a.header.Get("Access-Control-Allow-Origin"))
	test.StrContains(t, strings.ToLower(a.header.Get("Access-Control-Allow-Headers")), "mcp-protocol-version")
	// A page may read nothing else, and nothing under a foreign host name.
	r.wants(r.send("GET", "/tools/list", "", page[0]), 403)
	r.wants(r.send("GET", well+"x", "", page[:2]...), 403)
	r.wants(r.send("GET", well, "", func(r *http.Request) { r.Host = "evil.example" }), 403)
	a = r.send("POST", well, "{}")
	r.wants(a, 405)
	// Without an issuer, metadata is missing.
	r = newRig(t, nil)
	r.wants(r.send("GET", well, ""), 404)
	a = r.send("GET", "/tools/list", "", with("Authorization", ""))
	if r.wants(a, 401); strings.Contains(a.header.Get("WWW-Authenticate"), "resource_metadata") {
		t.Errorf("%v", a.header)
	}
}

// mcp-go's client finds the issuer by the metadata, and is served with the issuer's token.
func TestClientFindsIssuer(t *testing.T) {
	r, i, _ := newIssuerRig(t, func(cfg *Config) { cfg.PublicURL, cfg.OIDC.Audiences = "", []string{"nbduet"} })
	for _, path := range []string{"/mcp", "/sse"} {
		refused := r.send("GET", path, "", with("Authorization", ""))
		r.wants(refused, 401)
		for name, told := range map[string]bool{"told": true, "by the well-known path": false} {
			oauth := transport.NewOAuthHandler(transport.OAuthConfig{ClientID: "test"})
			oauth.SetBaseURL(r.url + path)
			if told {
				oauth.HandleUnauthorizedResponse(&http.Response{StatusCode: refused.status, Header: refused.header})
			}
			got, err := oauth.GetServerMetadata(t.Context())
			must.NoError(t, err, must.Sprint(path, name))
			test.Eq(t, i.URL, got.Issuer, test.Sprint(path, name))
			test.Eq(t, i.URL+"/token", got.TokenEndpoint, test.Sprint(path, name))
		}
	}
	store := transport.NewMemoryTokenStore()
	if err := store.SaveToken(t.Context(), &transport.Token{AccessToken: i.Token(t, "ada", "nbduet", nil), TokenType: "Bearer", ExpiresIn: 3600}); err != nil {
		t.Fatal(err)
	}
	link := &http.Transport{}
	defer link.CloseIdleConnections()
	c, err := client.NewOAuthStreamableHttpClient(r.url+"/mcp", transport.OAuthConfig{ClientID: "test", TokenStore: store}, transport.WithHTTPBasicClient(&http.Client{Transport: link}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	var ask mcp.CallToolRequest
	ask.Params.Name, ask.Params.Arguments = "echo", map[string]any{"mark": "found"}
	a, err := c.CallTool(t.Context(), ask)
	must.NoError(t, err)
	test.SliceLen(t, 1, a.Content)
}

func TestWrongIssuer(t *testing.T) {
	i := issuertest.Start(t)
	for says, edit := range map[string]func(*Config){
		"issuer is missing":  func(c *Config) { c.OIDC.Issuer = "" },
		"not an issuer URL":  func(c *Config) { c.OIDC.Issuer = "login.example.org" },
		"use https":          func(c *Config) { c.OIDC.Issuer = "http://login.example.org" },
		"?a=b":               func(c *Config) { c.OIDC.Issuer = i.URL + "?a=b" },
		"need an audience":   func(c *Config) { c.PublicURL = "" },
		"audience":           func(c *Config) { c.OIDC.Audiences = []string{" "} },
		"not an OAuth scope": func(c *Config) { c.OIDC.Scopes = []string{`a"b`} },
		"not a server URL":   func(c *Config) { c.PublicURL = "nb.example.org" },
	} {
		cfg := Config{MCP: server.NewMCPServer("toy", "1"), Clients: &tool.Clients{}, PublicURL: public, OIDC: &OIDC{Issuer: i.URL}}
		if _, err := New(cfg); err != nil {
			t.Fatal(err)
		}
		edit(&cfg)
		_, err := New(cfg)
		must.Error(t, err)
		test.StrContains(t, err.Error(), says)
	}
}
