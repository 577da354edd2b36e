package jupyterhub

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test/must"
)

// answered is a server's answer.
type answered struct {
	status int
	header http.Header
	body   string
	// to is a redirect to an address outside the hub and the service.
	to *url.URL
}

// person is a person at a browser who logs in at the hub with any password.
type person struct {
	name  string
	hub   string // redirects to its host are followed
	http  *http.Client
	reply string // to the question whether to allow the client
}

// newPerson opens a browser for a person.
func newPerson(t *testing.T, name, hub string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must.NoError(t, err)
	site, err := url.Parse(hub)
	must.NoError(t, err)
	return &person{name: name, hub: hub, reply: "allow", http: &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Host != site.Host || len(via) > 10 {
			return http.ErrUseLastResponse
		}
		return nil
	}}}
}

// send sends a request and follows redirects until one leaves the hub.
func (p *person) send(ctx context.Context, method, at string, form url.Values) (a answered, err error) {
	req, err := http.NewRequestWithContext(ctx, method, at, strings.NewReader(form.Encode()))
	if err != nil {
		return a, err
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := p.http.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	a = answered{status: res.StatusCode, header: res.Header, body: string(b)}
	if err == nil && res.StatusCode/100 == 3 {
		a.to, err = res.Location()
	}
	return a, err
}

var (
	xsrfField  = regexp.MustCompile(`name="_xsrf" value="([^"]+)"`)
	formAction = regexp.MustCompile(`action="([^"]+)"`)
	grantField = regexp.MustCompile(`name="grant" value="([^"]+)"`)
)

// opens visits an address, logs in at the hub if it asks for that, and returns the service's question.
func (p *person) opens(ctx context.Context, at string) (answered, error) {
	a, err := p.send(ctx, http.MethodGet, at, nil)
	if err != nil || a.to != nil || !strings.Contains(a.body, `name="username"`) {
		return a, err
	}
	xsrf, action := xsrfField.FindStringSubmatch(a.body), formAction.FindStringSubmatch(a.body)
	if xsrf == nil || action == nil {
		return a, errors.New("the hub's login has no form")
	}
	to, err := url.Parse(p.hub)
	if err != nil {
		return a, err
	}
	if to, err = to.Parse(html.UnescapeString(action[1])); err != nil {
		return a, err
	}
	return p.send(ctx, http.MethodPost, to.String(), url.Values{"username": {p.name}, "password": {"any"}, "_xsrf": {xsrf[1]}})
}

// logsIn does a person's part of a login and returns the address to which the browser is sent with its result.
func (p *person) logsIn(ctx context.Context, at string) (*url.URL, error) {
	a, err := p.opens(ctx, at)
	if err != nil || a.to != nil {
		return a.to, err
	}
	grant, action := grantField.FindStringSubmatch(a.body), formAction.FindStringSubmatch(a.body)
	if grant == nil || action == nil || a.status != http.StatusOK {
		return nil, fmt.Errorf("not asked for consent: status %d: %s", a.status, a.body)
	}
	approve, err := url.Parse(p.hub)
	if err != nil {
		return nil, err
	}
	approve.Path = html.UnescapeString(action[1])
	a, err = p.send(ctx, http.MethodPost, approve.String(), url.Values{"grant": {grant[1]}, "answer": {p.reply}})
	if err == nil && a.to == nil {
		err = fmt.Errorf("not sent back to the client: status %d: %s", a.status, a.body)
	}
	return a.to, err
}

// program is an MCP client that has found the login's addresses and has registered itself.
type program struct {
	mcp      string // address
	server   struct{ Issuer, Authorization, Token, Registration string }
	id       string
	redirect string
	verifier string
}

// challenged matches the address of the metadata in a refusal.
var challenged = regexp.MustCompile(`resource_metadata="([^"]+)"`)

// discover does the discovery of a client that knows only an address.
func discover(t *testing.T, mcp, redirect string) *program {
	t.Helper()
	p := &program{mcp: mcp, redirect: redirect, verifier: rand.Text() + rand.Text()}
	a := request(t, http.MethodPost, mcp, "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	found := challenged.FindStringSubmatch(a.header.Get("WWW-Authenticate"))
	must.Eq(t, http.StatusUnauthorized, a.status, must.Sprint("without a token"))
	must.NotNil(t, found, must.Sprint("without a token"))
	var resource struct {
		Resource string
		Servers  []string `json:"authorization_servers"`
	}
	read(t, request(t, http.MethodGet, found[1], "", ""), http.StatusOK, &resource)
	must.Eq(t, mcp, resource.Resource)
	must.SliceLen(t, 1, resource.Servers)
	var server struct {
		Issuer        string
		Authorization string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		Registration  string   `json:"registration_endpoint"`
		Challenges    []string `json:"code_challenge_methods_supported"`
	}
	// For an issuer with a path, the OpenID form, which always begins with the issuer's own address.
	read(t, request(t, http.MethodGet, resource.Servers[0]+"/.well-known/openid-configuration", "", ""), http.StatusOK, &server)
	must.Eq(t, resource.Servers[0], server.Issuer)
	must.SliceLen(t, 1, server.Challenges)
	must.Eq(t, "S256", server.Challenges[0])
	p.server.Issuer, p.server.Authorization, p.server.Token, p.server.Registration = server.Issuer, server.Authorization, server.Token, server.Registration
	var made struct {
		ID string `json:"client_id"`
	}
	read(t, p.register(t, redirect), http.StatusCreated, &made)
	p.id = made.ID
	return p
}

// register registers a client with an address for its codes.
func (p *program) register(t *testing.T, redirect string) answered {
	t.Helper()
	text, err := json.Marshal(map[string]any{"client_name": "The <b>tests</b>", "redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none"})
	must.NoError(t, err)
	return request(t, http.MethodPost, p.server.Registration, "", string(text))
}

// begin returns the address to which the client sends the person. changes override its parameters; "" leaves one out.
func (p *program) begin(changes map[string]string) string {
	sum := sha256.Sum256([]byte(p.verifier))
	q := url.Values{
		"response_type": {"code"}, "client_id": {p.id}, "redirect_uri": {p.redirect}, "state": {"the client's"}, "resource": {p.mcp},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	change(q, changes)
	return p.server.Authorization + "?" + q.Encode()
}

// code reads the code from the address to which a person was sent.
func (p *program) code(t *testing.T, to *url.URL) string {
	t.Helper()
	q := to.Query()
	must.StrHasPrefix(t, p.redirect+"?", to.String())
	must.Eq(t, "the client's", q.Get("state"))
	must.Eq(t, p.server.Issuer, q.Get("iss"))
	must.NotEq(t, "", q.Get("code"))
	return q.Get("code")
}

// fetch exchanges a code for a token, with changes as for begin.
func (p *program) fetch(t *testing.T, code string, changes map[string]string) (token, why string) {
	t.Helper()
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {p.id}, "redirect_uri": {p.redirect}, "code_verifier": {p.verifier}, "resource": {p.mcp},
	}
	change(form, changes)
	res, err := http.PostForm(p.server.Token, form)
	must.NoError(t, err)
	defer res.Body.Close()
	var got struct {
		Token string `json:"access_token"`
		Type  string `json:"token_type"`
		Error string
	}
	must.NoError(t, json.NewDecoder(res.Body).Decode(&got))
	must.Eq(t, got.Token != "", res.StatusCode == http.StatusOK)
	must.False(t, got.Token != "" && got.Type != "Bearer")
	return got.Token, got.Error
}

// login does a whole login and returns a person's token.
func (p *program) login(t *testing.T, who *person) (token string) {
	t.Helper()
	to, err := who.logsIn(t.Context(), p.begin(nil))
	must.NoError(t, err)
	token, why := p.fetch(t, p.code(t, to), nil)
	if token == "" {
		t.Fatalf("no token: %s", why)
	}
	return token
}

func change(form url.Values, changes map[string]string) {
	for name, value := range changes {
		form.Set(name, value)
		if value == "" {
			form.Del(name)
		}
	}
}

// request sends one request without a browser, with JSON if there is a body.
func request(t *testing.T, method, at, token, body string) answered {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, at, bytes.NewBufferString(body))
	must.NoError(t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	must.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must.NoError(t, err)
	return answered{status: res.StatusCode, header: res.Header, body: string(b)}
}

// read decodes an answer that must have this status.
func read(t *testing.T, a answered, status int, out any) {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	must.NoError(t, json.Unmarshal([]byte(a.body), out))
}
