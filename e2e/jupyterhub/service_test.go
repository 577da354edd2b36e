package jupyterhub

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// asService is the page's heading.
const asService = "3. As a service of the hub"

// callback is where a client waits for its code; no process listens there.
const callback = "http://127.0.0.1:33418/cb"

// office is a hub with the program as a service.
type office struct {
	*hubs.Hub
	service string // address
	how     entry  // a client's configuration
}

// serving starts a hub with the page's configuration of the service and additional flags.
func serving(t *testing.T, version int, config string, flags ...string) *office {
	t.Helper()
	file := kit.Binary(t)
	at, err := hubs.Free(t.Context())
	must.NoError(t, err)
	command := fmt.Sprintf("%q, \"hub\"", file)
	for _, flag := range flags {
		command += fmt.Sprintf(", %q", flag)
	}
	texts := narrow(version)
	maps.Copy(texts, map[string]string{
		`"nbduet", "hub"`: command, "http://127.0.0.1:9310": "http://" + at, "http://127.0.0.1:8000": "SITE",
		"https://hub.example.org": "SITE", "/var/lib/nbduet": "FOLDER/state",
	})
	place, err := hubs.Place(texts)
	must.NoError(t, err)
	h := start(t, hubs.Options{Version: version, Prefix: "/labs/", Config: block(t, asService, "python") + place + config})
	o := &office{Hub: h, how: configured(t, asService, h, hubs.Token{})}
	o.service = strings.TrimSuffix(o.how.URL, "/mcp")
	must.NoError(t, poll.Until(t.Context(), "the service to answer", func(context.Context) error {
		if a := request(t, http.MethodGet, o.service+"/healthz", "", ""); a.status != http.StatusOK {
			return fmt.Errorf("status %d: %s", a.status, a.body)
		}
		return nil
	}))
	return o
}

// with returns a client's configuration with a token.
func (o *office) with(token string) entry {
	how := o.how
	how.Headers = map[string]string{"Authorization": "Bearer " + token}
	return how
}

// work returns the scopes of a token that may be used only here.
func work(user string) []string { return []string{mine(user), "access:services!service=nbduet"} }

// One program serves all users of a hub, who log in with it.
func TestAsService(t *testing.T) {
	both(t, func(t *testing.T, version int) {
		s := newOutside(t)
		o := serving(t, version, s.config(t, version), "--toolsets=all")
		must.NoError(t, o.AddUsers(t.Context(), "ann", "bob"))
		t.Run("login", o.login)
		t.Run("logins that fail", o.badLogins)
		t.Run("login in a browser", o.inBrowser)
		t.Run("login of the SDK for Python", o.sdkLogsIn)
		t.Run("service that the hub does not start", func(t *testing.T) { o.outside(t, s) })
		t.Run("crossed requests", o.crossed)
		t.Run("tokens", o.tokens)
	})
}

// login lets ann's client log in, start her server, and work there.
func (o *office) login(t *testing.T) {
	p := discover(t, o.how.URL, callback)
	made := p.login(t, newPerson(t, "ann", o.URL))
	a := reach(t, o.with(made))
	err := a.calls(t.Context(), "list_nbs", map[string]any{}, "")
	must.Error(t, err, must.Sprint("of a server that does not run"))
	test.StrContains(t, err.Error(), "start_server", test.Sprint("of a server that does not run"))
	must.NoError(t, a.calls(t.Context(), "create_document", map[string]any{"path": "login.ipynb", "start_server": true}, ""))
	must.NoError(t, a.calls(t.Context(), "insert_nb_cells", insert("login.ipynb", "print(6 * 7)"), "42"))
}

// badLogins checks logins that must fail.
func (o *office) badLogins(t *testing.T) {
	p := discover(t, o.how.URL, callback)
	ann := newPerson(t, "ann", o.URL)
	for name, at := range map[string]string{
		"javascript": "javascript:alert(1)", "data": "data:text/html,x", "http elsewhere": "http://evil.example/cb", "fragment": callback + "#x", "none": "",
	} {
		a := p.register(t, at)
		test.Eq(t, http.StatusBadRequest, a.status, test.Sprint(name))
		test.StrContains(t, a.body, "invalid_redirect_uri", test.Sprint(name))
	}
	// Errors without a redirect.
	for name, changes := range map[string]map[string]string{
		"another redirect":    {"redirect_uri": "https://evil.example/cb"},
		"another path":        {"redirect_uri": callback + "/other"},
		"unregistered client": {"client_id": "nobody"},
		"no client":           {"client_id": ""},
		"script":              {"redirect_uri": "javascript:alert(1)"},
	} {
		a, err := ann.opens(t.Context(), p.begin(changes))
		must.NoError(t, err, must.Sprint(name))
		test.Eq(t, http.StatusBadRequest, a.status, test.Sprint(name))
		test.Nil(t, a.to, test.Sprint(name))
	}
	// Errors that are reported to the client.
	for name, c := range map[string]struct {
		changes map[string]string
		says    string
	}{
		"no PKCE":          {map[string]string{"code_challenge": "", "code_challenge_method": ""}, "invalid_request"},
		"plain PKCE":       {map[string]string{"code_challenge_method": "plain"}, "invalid_request"},
		"implicit":         {map[string]string{"response_type": "token"}, "unsupported_response_type"},
		"another resource": {map[string]string{"resource": "https://evil.example/mcp"}, "invalid_target"},
	} {
		a, err := ann.opens(t.Context(), p.begin(c.changes))
		must.NoError(t, err, must.Sprint(name))
		must.NotNil(t, a.to, must.Sprint(name))
		test.Eq(t, c.says, a.to.Query().Get("error"), test.Sprint(name))
	}

	t.Run("deny", func(t *testing.T) {
		no := newPerson(t, "ann", o.URL)
		no.reply = "deny"
		to, err := no.logsIn(t.Context(), p.begin(nil))
		must.NoError(t, err)
		q := to.Query()
		test.Eq(t, "access_denied", q.Get("error"), test.Sprint(to))
		test.False(t, q.Has("code"), test.Sprint(to))
		test.Eq(t, "the client's", q.Get("state"), test.Sprint(to))
	})
	t.Run("codes", func(t *testing.T) { o.badCodes(t, p, ann) })
	t.Run("another browser", func(t *testing.T) { o.otherBrowser(t, p) })
}

// badCodes checks codes that must not get a token.
func (o *office) badCodes(t *testing.T, p *program, who *person) {
	other := discover(t, o.how.URL, "http://127.0.0.1:33419/other")
	to, err := who.logsIn(t.Context(), p.begin(nil))
	must.NoError(t, err)
	code := p.code(t, to)
	for name, changes := range map[string]map[string]string{
		"verifier": {"code_verifier": "x" + p.verifier}, "no verifier": {"code_verifier": ""}, "client": {"client_id": other.id}, "no client": {"client_id": ""},
		"redirect": {"redirect_uri": other.redirect}, "resource": {"resource": "https://evil.example/"}, "code": {"code": code[:len(code)-4] + "AAAA"},
		"grant": {"grant_type": "client_credentials"},
	} {
		token, why := p.fetch(t, code, changes)
		test.Eq(t, "", token, test.Sprint(name))
		test.NotEq(t, "", why, test.Sprint(name))
	}
	if token, why := p.fetch(t, code, nil); token == "" {
		t.Errorf("the code is wrong: %s", why)
	}
	token, why := p.fetch(t, code, nil)
	test.Eq(t, "", token, test.Sprint("the code again"))
	test.Eq(t, "invalid_grant", why, test.Sprint("the code again"))
	// A text that a browser sees is not accepted as a token.
	for name, text := range map[string]string{"client": p.id, "code": code} {
		if a := request(t, http.MethodPost, o.how.URL, text, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); a.status != http.StatusUnauthorized {
			t.Errorf("a %s as a token: status %d: %s", name, a.status, a.body)
		}
	}
}

// otherBrowser checks that bob cannot finish a login from another browser, and that mallory cannot consent for him.
func (o *office) otherBrowser(t *testing.T, p *program) {
	mallory, bob := newPerson(t, "mallory", o.URL), newPerson(t, "bob", o.URL)
	// He begins, and keeps the hub's address to which he is sent.
	kept := *mallory.http
	kept.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	a, err := (&person{http: &kept}).send(t.Context(), http.MethodGet, p.begin(nil), nil)
	must.NoError(t, err)
	must.NotNil(t, a.to)
	must.StrContains(t, a.to.Path, "/oauth2/authorize")
	a, err = bob.opens(t.Context(), a.to.String())
	must.NoError(t, err, must.Sprint("bob finishes another's login"))
	test.Eq(t, http.StatusForbidden, a.status, test.Sprint("bob finishes another's login"))
	test.Nil(t, a.to, test.Sprint("bob finishes another's login"))
	// The same while bob has begun his own login.
	a, err = bob.opens(t.Context(), p.begin(nil))
	must.NoError(t, err)
	must.Eq(t, http.StatusOK, a.status)
	grant := grantField.FindStringSubmatch(a.body)
	a, err = mallory.send(t.Context(), http.MethodPost, o.service+"/oauth/approve", url.Values{"grant": grant[1:], "answer": {"allow"}})
	must.NoError(t, err, must.Sprint("mallory consents in bob's place"))
	test.Eq(t, http.StatusForbidden, a.status, test.Sprint("mallory consents in bob's place"))
	test.Nil(t, a.to, test.Sprint("mallory consents in bob's place"))
}
