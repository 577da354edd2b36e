package login

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

const (
	site     = "https://hub.example.org/pre/services/nbduet"
	redirect = "http://127.0.0.1:33418/callback"
	verifier = "a-verifier-that-is-long-enough-for-everybody-0123456789"
)

// A rig is a login with a hub that accepts one code, and a browser's cookies.
type rig struct {
	t       *testing.T
	login   *Login
	now     time.Time
	asked   url.Values // by the hub
	cookies []*http.Cookie
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, now: time.Unix(1_800_000_000, 0)}
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_ = req.ParseForm() // errors show below
		r.asked = req.PostForm
		if req.PostForm.Get("code") != "hub-code" || req.PostForm.Get("client_secret") != "the secret" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, `{"access_token": "hub-token", "expires_in": 3600}`)
	}))
	t.Cleanup(hub.Close)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var err error
	r.login, err = New(Config{
		URL: site, Authorize: "https://hub.example.org/pre/hub/api/oauth2/authorize", Token: hub.URL, ClientID: "service-nbduet", Secret: "the secret",
		Callback: "/pre/services/nbduet/oauth_callback", HTTP: client, Now: func() time.Time { return r.now },
		Who: func(_ context.Context, token string) (string, error) {
			if token != "hub-token" {
				return "", errors.New("unknown")
			}
			return "ann", nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// do sends a request with the browser's cookies, and keeps the cookies of the answer.
func (r *rig) do(method, path string, body io.Reader, kind string) answered {
	r.t.Helper()
	req := httptest.NewRequest(method, path, body)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	for _, c := range r.cookies {
		req.AddCookie(c)
	}
	w := httptest.NewRecorder()
	r.login.ServeHTTP(w, req)
	got := (&http.Response{Header: w.Header()}).Cookies()
	if len(got) > 0 {
		r.cookies = got
	}
	a := answered{status: w.Code, header: w.Header(), text: w.Body.String()}
	if address := w.Header().Get("Location"); address != "" {
		var err error
		if a.to, err = url.Parse(address); err != nil {
			r.t.Fatal(err)
		}
	}
	return a
}

// answered is an answer; to is the address to which it sends the browser, or nil.
type answered struct {
	status int
	header http.Header
	text   string
	to     *url.URL
}

func (r *rig) register(redirects ...string) (id string, status int, says string) {
	r.t.Helper()
	b, err := json.Marshal(map[string]any{"redirect_uris": redirects, "client_name": "A <b>client</b>"})
	if err != nil {
		r.t.Fatal(err)
	}
	resp := r.do("POST", pathRegister, strings.NewReader(string(b)), "application/json")
	says = resp.text
	var got struct {
		ID string `json:"client_id"`
	}
	_ = json.Unmarshal([]byte(says), &got) // the status shows the error
	return got.ID, resp.status, says
}

func query(id string, more ...string) string {
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"client_id": {id}, "redirect_uri": {redirect}, "response_type": {"code"}, "state": {"the client's"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {site + "/mcp"},
	}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return pathAuthorize + "?" + q.Encode()
}

// begin begins a login, and returns the state that the hub gets.
func (r *rig) begin(id string, more ...string) string {
	r.t.Helper()
	resp := r.do("GET", query(id, more...), nil, "")
	to := resp.to
	if to == nil {
		r.t.Fatal(resp.status, resp.text)
	}
	q := to.Query()
	must.StrHasPrefix(r.t, "https://hub.example.org/pre/hub/api/oauth2/authorize?", to.String())
	must.Eq(r.t, "service-nbduet", q.Get("client_id"))
	must.Eq(r.t, "/pre/services/nbduet/oauth_callback", q.Get("redirect_uri"))
	return to.Query().Get("state")
}

var hidden = regexp.MustCompile(`name="grant" value="([^"]+)"`)

// consent returns from the hub, and returns the grant in the page.
func (r *rig) consent(state string) (grant, page string, status int) {
	r.t.Helper()
	resp := r.do("GET", pathCallback+"?"+url.Values{"state": {state}, "code": {"hub-code"}}.Encode(), nil, "")
	page = resp.text
	if m := hidden.FindStringSubmatch(page); m != nil {
		grant = m[1]
	}
	return grant, page, resp.status
}

// decide answers the page, and returns the query of the address to which the browser is sent.
func (r *rig) decide(grant, word string) (url.Values, int) {
	r.t.Helper()
	resp := r.do("POST", pathApprove, strings.NewReader(url.Values{"grant": {grant}, "answer": {word}}.Encode()), "application/x-www-form-urlencoded")
	to := resp.to
	if to == nil {
		return nil, resp.status
	}
	if !strings.HasPrefix(to.String(), redirect+"?") {
		r.t.Fatal(to)
	}
	return to.Query(), resp.status
}

func (r *rig) fetch(id, code string, more ...string) (token string, says string) {
	r.t.Helper()
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {id}, "redirect_uri": {redirect}, "code_verifier": {verifier}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	says = r.do("POST", pathToken, strings.NewReader(form.Encode()), "application/x-www-form-urlencoded").text
	var got struct {
		Token string `json:"access_token"`
	}
	_ = json.Unmarshal([]byte(says), &got) // an answer without a token is an error
	return got.Token, says
}

func TestLogin(t *testing.T) {
	r := newRig(t)
	id, status, says := r.register(redirect)
	if status != http.StatusCreated {
		t.Fatal(says)
	}
	grant, page, _ := r.consent(r.begin(id))
	must.StrContains(t, page, "A &lt;b&gt;client&lt;/b&gt;")
	must.StrContains(t, page, "<b>ann</b>")
	must.StrContains(t, page, `action="/pre/services/nbduet/oauth/approve"`)
	if r.asked.Get("redirect_uri") != "/pre/services/nbduet/oauth_callback" {
		t.Error(r.asked)
	}
	q, _ := r.decide(grant, "allow")
	must.Eq(t, "the client's", q.Get("state"))
	must.Eq(t, site, q.Get("iss"))
	must.NotEq(t, "", q.Get("code"))
	for _, wrong := range [][2]string{{"code_verifier", "another"}, {"client_id", "another"}, {"redirect_uri", "http://127.0.0.1:1/"}, {"grant_type", "password"}, {"resource", "https://other.example.org"}, {"code", grant}} {
		if token, says := r.fetch(id, q.Get("code"), wrong[0], wrong[1]); token != "" {
			t.Errorf("%v: %s", wrong, says)
		}
	}
	token, says := r.fetch(id, q.Get("code"))
	must.NotEq(t, "", token)
	must.StrContains(t, says, `"expires_in":3600`)
	again, says := r.fetch(id, q.Get("code"))
	test.Eq(t, "", again)
	test.StrContains(t, says, "used before")
	hub, ours, err := r.login.HubToken(token)
	test.Eq(t, "hub-token", hub)
	test.True(t, ours)
	test.NoError(t, err)
	for _, other := range []string{"hub-token", q.Get("code"), grant, id, token[1:], ""} {
		hub, ours, err := r.login.HubToken(other)
		test.Eq(t, "", hub, test.Sprint(other))
		test.False(t, ours, test.Sprint(other))
		test.Error(t, err, test.Sprint(other))
	}
	r.now = r.now.Add(time.Hour)
	hub, ours, err = r.login.HubToken(token)
	test.Eq(t, "", hub, test.Sprint("a token lives longer than the hub's"))
	test.True(t, ours, test.Sprint("a token lives longer than the hub's"))
	test.Error(t, err, test.Sprint("a token lives longer than the hub's"))
}

func TestNotAllowed(t *testing.T) {
	r := newRig(t)
	id, _, _ := r.register(redirect)
	grant, _, _ := r.consent(r.begin(id))
	q, _ := r.decide(grant, "deny")
	test.Eq(t, "access_denied", q.Get("error"))
	test.Eq(t, "", q.Get("code"))
	// A login begun in one browser cannot be finished in another.
	state := r.begin(id)
	mine := r.cookies
	r.cookies = nil
	grant, page, status := r.consent(state)
	test.Eq(t, "", grant, test.Sprint(page))
	test.Eq(t, http.StatusForbidden, status, test.Sprint(page))
	r.cookies = mine
	grant, _, _ = r.consent(state)
	r.cookies = []*http.Cookie{{Name: cookieName, Value: newNonce()}}
	q, status = r.decide(grant, "allow")
	must.Nil(t, q)
	test.Eq(t, http.StatusForbidden, status)
	r.cookies = mine
	r.now = r.now.Add(stateTime)
	q, status = r.decide(grant, "allow")
	must.Nil(t, q)
	test.Eq(t, http.StatusBadRequest, status)
	if _, page, status := r.consent(state); status != http.StatusBadRequest {
		t.Error(page)
	}
	if resp := r.do("GET", pathCallback+"?state="+url.QueryEscape(r.begin(id))+"&code=other", nil, ""); resp.status != http.StatusBadGateway {
		t.Error(resp.status)
	}
	if resp := r.do("GET", query("unknown"), nil, ""); resp.status != http.StatusBadRequest {
		t.Error(resp.status)
	}
	for _, c := range [][]string{{"redirect_uri", "https://evil.example.org/"}, {"redirect_uri", "http://127.0.0.1:33418/other"}} {
		if resp := r.do("GET", query(id, c...), nil, ""); resp.status != http.StatusBadRequest {
			t.Errorf("%v: %d", c, resp.status)
		}
	}
	for _, c := range [][]string{{"code_challenge_method", "plain"}, {"code_challenge", ""}, {"response_type", "token"}, {"resource", "https://other.example.org/mcp"}} {
		resp := r.do("GET", query(id, c...), nil, "")
		to := resp.to
		must.NotNil(t, to, must.Sprint(c, resp.status))
		test.NotEq(t, "", to.Query().Get("error"), test.Sprint(c, resp.status))
		test.StrHasPrefix(t, redirect, to.String(), test.Sprint(c, resp.status))
	}
	if resp := r.do("GET", query(id, "redirect_uri", "http://127.0.0.1:50000/callback"), nil, ""); resp.status != http.StatusFound {
		t.Error("a program at the loopback cannot choose its port:", resp.status)
	}
}

func TestRedirects(t *testing.T) {
	r := newRig(t)
	for address, ok := range map[string]bool{
		"https://app.example.org/cb": true, "http://localhost:8000/cb": true, "http://[::1]/cb": true, "cursor://anysphere.cursor-mcp/oauth": true, "com.example.app:/cb": true,
		"http://app.example.org/cb": false, "javascript:alert(1)": false, "data:text/html,x": false, "/cb": false, "": false, "https://app.example.org/#x": false, "https://a:b@app.example.org/": false, "https:///x": false, "file:///etc": false,
	} {
		if _, status, says := r.register(address); (status == http.StatusCreated) != ok {
			t.Errorf("%s: %s", address, says)
		}
	}
	if _, status, _ := r.register(); status != http.StatusBadRequest {
		t.Error("a client without an address is registered")
	}
}

func TestMetadata(t *testing.T) {
	r := newRig(t)
	for _, suffix := range resources {
		says := r.do("GET", pathResource+suffix, nil, "").text
		test.StrContains(t, says, `"resource":"`+site+suffix+`"`)
		test.StrContains(t, says, `"authorization_servers":["`+site+`"]`)
	}
	for _, path := range pathsServer {
		resp := r.do("GET", path, nil, "")
		says := resp.text
		test.StrContains(t, says, `"issuer":"`+site+`"`)
		test.Eq(t, "*", resp.header.Get("Access-Control-Allow-Origin"))
	}
	if got := r.login.Challenge("/mcp", "invalid_token"); got != `Bearer realm="nbduet", error="invalid_token", resource_metadata="`+site+`/.well-known/oauth-protected-resource/mcp"` {
		t.Error(got)
	}
}
