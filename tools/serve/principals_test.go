package serve

import (
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// A program that has the token, and knows its users, names the user of a request: users share neither MCP sessions nor
// clients without one.
func TestUsersOfOneToken(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.UserHeader = "nbduet-user" })
	ada, bob := with("Nbduet-User", "ada"), with("Nbduet-User", "bob")
	mine := r.begin(ada)
	r.wants(r.send("POST", "/mcp", call(2, "echo", "one"), mine, ada), 200, "one")
	for name, other := range map[string]change{
		"another person": bob, "nobody in particular": func(*http.Request) {}, "the same one, of another token": func(r *http.Request) { ada(r); bearing(token2)(r) },
	} {
		if a := r.send("POST", "/mcp", call(3, "echo", "two"), mine, other); a.status != 404 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	for _, c := range []change{ada, bob, ada, func(*http.Request) {}} {
		body, headers := modern(6, "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"mark": "six"}})
		r.wants(r.send("POST", "/mcp", body, append(headers, c)...), 200, "six")
	}
	if n := r.s.principals.count(); n != 3 {
		t.Errorf("%d principals, want 3", n)
	}
	twice := func(r *http.Request) { r.Header["Nbduet-User"] = []string{"ada", "bob"} }
	for name, bad := range map[string]change{"two": twice, "a long one": with("Nbduet-User", strings.Repeat("x", maxUserName+1))} {
		a := r.send("GET", "/tools/list", "", bad)
		test.Eq(t, 400, a.status, test.Sprint(name))
		test.StrContains(t, a.body, "nbduet-user", test.Sprint(name))
	}
	// The name alone does not authorize a request.
	r.wants(r.send("GET", "/tools/list", "", ada, bearing("guess")), 401)
}

// Without UserHeader the header has no meaning.
func TestUsersAreNotBelieved(t *testing.T) {
	r := newRig(t, nil)
	mine := r.begin(with("Nbduet-User", "ada"))
	r.wants(r.send("POST", "/mcp", call(2, "echo", "one"), mine, with("Nbduet-User", "bob")), 200, "one")
	cfg := r.s.cfg
	cfg.UserHeader = "X User"
	_, err := New(cfg)
	must.Error(t, err)
	test.StrContains(t, err.Error(), `"X User"`)
}
