package serve

import (
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// A request is admitted by its host, its origin and its token.
func TestGate(t *testing.T) {
	r := newRig(t, func(cfg *Config) {
		cfg.AllowedHosts = []string{"nb.example.org", "other.example.org:8443"}
		cfg.AllowedOrigins = []string{"https://app.example.org"}
	})
	host := func(name string) change { return func(r *http.Request) { r.Host = name } }
	port := r.url[strings.LastIndexByte(r.url, ':'):]
	for _, c := range []struct {
		name   string
		change change
		status int
		says   string
	}{
		{"loopback", host("127.0.0.1" + port), 200, ""},
		{"localhost", host("localhost" + port), 200, ""},
		{"localhost, another port", host("LOCALHOST:8080"), 200, ""},
		{"localhost in full", host("localhost."), 200, ""},
		{"loopback of IPv6", host("[::1]" + port), 200, ""},
		{"a name of its own", host("nb.example.org:1"), 200, ""},
		{"a name of its own, with the port", host("other.example.org:8443"), 200, ""},
		{"a name of its own, with another port", host("other.example.org"), 403, "--allowed-hosts"},
		{"a name that a page has pointed here", host("evil.example" + port), 403, "--allowed-hosts"},
		{"a name that looks right", host("localhost.evil.example"), 403, "--allowed-hosts"},
		{"a name that begins right", host("127.0.0.1.evil.example" + port), 403, "--allowed-hosts"},
		{"another address", host("192.0.2.1" + port), 403, "--allowed-hosts"},
		{"a page", with("Origin", "https://app.example.org"), 200, ""},
		{"this server's page", with("Origin", r.url), 200, ""},
		{"a foreign page", with("Origin", "https://evil.example"), 403, "--allowed-origins"},
		{"a page on this machine", with("Origin", "http://localhost:6274"), 403, "--allowed-origins"},
		{"a page of another scheme", with("Origin", "http://app.example.org"), 403, "--allowed-origins"},
		{"a page without an origin", with("Origin", "null"), 403, "--allowed-origins"},
		{"two pages", func(r *http.Request) {
			r.Header["Origin"] = []string{"https://app.example.org", "https://evil.example"}
		}, 403, ""},
		{"no token", with("Authorization", ""), 401, "Bearer TOKEN"},
		{"no header", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "Bearer TOKEN"},
		{"a wrong token", bearing(token1 + "x"), 401, "token is wrong"},
		{"half a token", bearing(token1[:5]), 401, "token is wrong"},
		{"an empty token", bearing(""), 401, ""},
		{"another scheme", with("Authorization", "Basic "+token1), 401, "token is wrong"},
		{"a token twice", func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + token1, "Bearer " + token1} }, 401, ""},
		{"the other token", bearing(token2), 200, ""},
		{"the scheme in small letters", with("Authorization", "bearer "+token1), 200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := *r
			at.t = t
			for _, path := range []string{"/mcp", "/mcp/"} {
				a := at.send("POST", path, hello, c.change)
				at.wants(a, c.status, c.says)
				if challenge := a.header.Get("WWW-Authenticate"); (c.status == 401) != strings.HasPrefix(challenge, "Bearer ") {
					t.Errorf("WWW-Authenticate: %q", challenge)
				}
			}
			want := c.status
			a := at.send("GET", "/tools/list", "", c.change)
			at.wants(a, want, c.says)
			if c.status != 200 {
				for _, path := range []string{"/sse", "/message", "/none"} {
					at.wants(at.send("GET", path, "", c.change), want, c.says)
				}
			}
			if want == 401 {
				want = 200 // the health check is public
			}
			at.wants(at.send("GET", "/healthz", "", c.change), want)
		})
	}
}

// Only allowed pages get an answer to a preflight request.
func TestPages(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.AllowedOrigins = []string{"https://app.example.org"} })
	ask := []change{with("Authorization", ""), with("Access-Control-Request-Method", "POST"), with("Access-Control-Request-Headers", "authorization")}
	a := r.send("OPTIONS", "/mcp", "", append(ask, with("Origin", "https://app.example.org"))...)
	r.wants(a, http.StatusNoContent)
	test.Eq(t, "https://app.example.org", a.header.Get("Access-Control-Allow-Origin"))
	test.StrContains(t, a.header.Get("Access-Control-Allow-Headers"), "Authorization")
	a = r.send("OPTIONS", "/mcp", "", append(ask, with("Origin", "https://evil.example"))...)
	r.wants(a, http.StatusForbidden)
	if a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%v", a.header)
	}
	r.wants(r.send("OPTIONS", "/mcp", "", with("Authorization", "")), http.StatusUnauthorized)
	// The same holds for event streams.
	for _, origin := range []string{"", "https://app.example.org"} {
		st, a := r.open("/sse", func(r *http.Request) {
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
		})
		must.NotNil(t, st)
		test.Eq(t, origin, a.header.Get("Access-Control-Allow-Origin"))
	}
}

// A wrong request gets the status of its error.
func TestWrongRequests(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Limits.Body = 10_000 })
	mine := r.begin()
	for _, c := range []struct {
		name, method, path, body string
		changes                  []change
		status                   int
		says                     string
	}{
		{"no such path", "GET", "/none", "", nil, 404, ""},
		{"an unknown method", "PUT", "/mcp", "{}", nil, 405, ""},
		{"POST to the stream", "POST", "/sse", "{}", nil, 405, ""},
		{"HEAD of the stream", "HEAD", "/sse", "", nil, 405, ""},
		{"GET of the messages", "GET", "/message", "", nil, 405, ""},
		{"GET of a call", "GET", "/tools/call", "", nil, 405, ""},
		{"a form", "POST", "/mcp", hello, []change{with("Content-Type", "text/plain")}, 415, "application/json"},
		{"no type", "POST", "/mcp", hello, []change{with("Content-Type", "")}, 415, "application/json"},
		{"not JSON", "POST", "/mcp", "{", []change{mine}, 400, "not JSON"},
		{"odd JSON", "POST", "/mcp", `{"method":5}`, []change{mine}, 400, ""},
		{"too long", "POST", "/mcp", call(2, "echo", strings.Repeat("x", 10_000)), []change{mine}, 413, "10000 bytes"},
		{"too long, without saying so", "POST", "/mcp", call(2, "echo", strings.Repeat("x", 10_000)), []change{mine, func(r *http.Request) { r.ContentLength = -1 }}, 413, "10000 bytes"},
		{"no session", "POST", "/mcp", call(2, "echo", "1"), nil, 400, "initialize"},
		{"no such session", "POST", "/mcp", call(2, "echo", "1"), []change{with("Mcp-Session-Id", "mcp-session-1")}, 404, "initialize"},
		{"no session to listen to", "GET", "/mcp", "", nil, 400, "initialize"},
		{"no such session to listen to", "GET", "/mcp", "", []change{with("Mcp-Session-Id", "x")}, 404, "initialize"},
		{"no such session to end", "DELETE", "/mcp", "", []change{with("Mcp-Session-Id", "x")}, 404, "initialize"},
		{"another token's session", "POST", "/mcp", call(2, "echo", "1"), []change{mine, bearing(token2)}, 404, "another token"},
		{"another token's session to listen to", "GET", "/mcp", "", []change{mine, bearing(token2)}, 404, "another token"},
		{"another token's session to end", "DELETE", "/mcp", "", []change{mine, bearing(token2)}, 404, "another token"},
		{"no stream", "POST", "/message", hello, nil, 404, "/sse"},
		{"no such stream", "POST", "/message?sessionId=x", hello, nil, 404, "/sse"},
		{"listening without sessions", "GET", "/mcp", "", []change{with("Mcp-Protocol-Version", "2026-07-28")}, 405, ""},
		{"ending without sessions", "DELETE", "/mcp", "", []change{with("Mcp-Protocol-Version", "2026-07-28")}, 405, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := *r
			at.t = t
			a := at.send(c.method, c.path, c.body, c.changes...)
			at.wants(a, c.status, c.says)
			if (c.status == 405) != (a.header.Get("Allow") != "") {
				t.Errorf("Allow: %q", a.header.Get("Allow"))
			}
		})
	}
	r.wants(r.send("POST", "/mcp", call(2, "echo", "still well"), mine), 200, "still well")
}

func TestWrongConfig(t *testing.T) {
	good := newRig(t, nil).s.cfg
	for says, edit := range map[string]func(*Config){
		"no token":       func(c *Config) { c.Tokens = nil },
		"token is empty": func(c *Config) { c.Tokens = []string{"a", ""} },
		"character":      func(c *Config) { c.Tokens = []string{"a b"} },
		"longer":         func(c *Config) { c.Tokens = []string{strings.Repeat("a", 5000)} },
		"not an origin":  func(c *Config) { c.AllowedOrigins = []string{"app.example.org"} },
		"not a host":     func(c *Config) { c.AllowedHosts = []string{"http://nb.example.org"} },
		"its key":        func(c *Config) { c.CertFile = "cert.pem" },
		"Config.MCP":     func(c *Config) { c.MCP = nil },
	} {
		cfg := good
		edit(&cfg)
		_, err := New(cfg)
		must.Error(t, err)
		test.StrContains(t, err.Error(), says)
	}
	a, b := NewToken(), NewToken()
	test.NotEq(t, b, a)
	must.GreaterEq(t, 20, len(a))
	test.NoError(t, CheckToken(a))
}
