package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A request is a client's request for a code.
type request struct {
	Client    string `json:"c"` // its id
	Redirect  string `json:"r"`
	State     string `json:"s,omitempty"`
	Challenge string `json:"h"` // of PKCE
	Nonce     string `json:"n"` // of the browser's cookie
}

// A grant is a request for which a person has logged in.
type grant struct {
	Request request `json:"q"`
	Hub     string  `json:"t"` // the hub's token
	User    string  `json:"p"`
	Until   int64   `json:"x"` // when the hub's token expires
}

// challenge matches an S256 challenge.
var challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// cookieName is the name of the cookie that binds a login to a browser, so that a login cannot be finished by another
// person.
const cookieName = "nbduet-login"

// authorize begins a login: it sends the browser to the hub.
func (l *Login) authorize(r *http.Request) http.Handler {
	q := r.URL.Query()
	var client registration
	if _, err := l.seal.open(sealedClient, q.Get("client_id"), &client); err != nil {
		return l.wrong(http.StatusBadRequest, "The program that sent you here is not registered: remove its stored login data and start again.")
	}
	redirect := q.Get("redirect_uri")
	if redirect == "" && len(client.Redirects) == 1 {
		redirect = client.Redirects[0]
	}
	if !client.sends(redirect) {
		return l.wrong(http.StatusBadRequest, "The program that sent you here uses a redirect address that it has not registered.")
	}
	req := request{Client: q.Get("client_id"), Redirect: redirect, State: q.Get("state"), Challenge: q.Get("code_challenge")}
	switch {
	case q.Get("response_type") != "code":
		return l.refuse(req, "unsupported_response_type", "response_type must be code")
	case q.Get("code_challenge_method") != "S256" || !challenge.MatchString(req.Challenge):
		return l.refuse(req, "invalid_request", "PKCE is needed: code_challenge with code_challenge_method S256")
	case !l.isResource(q.Get("resource")):
		return l.refuse(req, "invalid_target", "the resource is not this server: give "+l.cfg.URL+"/mcp")
	case len(req.State) > 2000:
		return l.refuse(request{Redirect: redirect}, "invalid_request", "the state is longer than 2000 bytes")
	}
	if c, err := r.Cookie(cookieName); err == nil && len(c.Value) == len(newNonce()) {
		req.Nonce = c.Value // of another login in progress in this browser
	} else {
		req.Nonce = newNonce()
	}
	state, err := l.seal.seal(sealedState, req, l.cfg.Now().Add(stateTime))
	if err != nil {
		return l.wrong(http.StatusInternalServerError, "The login could not start.")
	}
	cookie := &http.Cookie{
		Name: cookieName, Value: req.Nonce, Path: l.path + "/", MaxAge: int(stateTime.Seconds()), HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(l.origin, "https:"),
	}
	to := l.cfg.Authorize + "?" + url.Values{
		"client_id": {l.cfg.ClientID}, "redirect_uri": {l.cfg.Callback}, "response_type": {"code"}, "state": {state},
	}.Encode()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, cookie)
		http.Redirect(w, r, to, http.StatusFound)
	})
}

// ours reports whether a request is from the browser in which the login began.
func ours(r *http.Request, nonce string) bool {
	return nonce != "" && slices.ContainsFunc(r.CookiesNamed(cookieName), func(c *http.Cookie) bool { return c.Value == nonce })
}

// callback handles the browser's return from the hub: it asks the person for consent.
func (l *Login) callback(r *http.Request) http.Handler {
	q := r.URL.Query()
	var req request
	if _, err := l.seal.open(sealedState, q.Get("state"), &req); err != nil {
		return l.wrong(http.StatusBadRequest, "This login took too long, or did not start here: start again in your program.")
	}
	if !ours(r, req.Nonce) {
		return l.wrong(http.StatusForbidden, "This login started in another browser, or cookies are disabled: start again in your program.")
	}
	if why := q.Get("error"); why != "" {
		code, text := refusal(why)
		return l.refuse(req, code, text)
	}
	ctx, stop := context.WithTimeout(r.Context(), hubTime)
	defer stop()
	g := grant{Request: req}
	var err error
	if g.Hub, g.Until, err = l.exchange(ctx, q.Get("code")); err == nil {
		g.User, err = l.cfg.Who(ctx, g.Hub)
	}
	if err != nil {
		return l.wrong(http.StatusBadGateway, "The login at JupyterHub failed: "+err.Error()+". Start again in your program.")
	}
	var client registration
	if _, err := l.seal.open(sealedClient, req.Client, &client); err != nil {
		return l.wrong(http.StatusBadRequest, "The program that sent you here is not registered.")
	}
	sealed, err := l.seal.seal(sealedGrant, g, l.cfg.Now().Add(stateTime))
	if err != nil {
		return l.wrong(http.StatusInternalServerError, "The login failed.")
	}
	return l.page(http.StatusOK, consentPage(client.Name, req.Redirect, g.User, sealed))
}

// refusal returns the OAuth error for a client if the hub sends the browser back with an error.
func refusal(why string) (code, text string) {
	if why == "invalid_scope" {
		return "server_error", "JupyterHub refuses the scopes of this service: oauth_client_allowed_scopes lists one that the hub does not know, such as start:servers before JupyterHub 6, or that this person does not have"
	}
	return "access_denied", "JupyterHub has refused the login"
}

// exchange trades a code for a hub token, and returns the token's expiry in Unix time.
func (l *Login) exchange(ctx context.Context, code string) (token string, until int64, err error) {
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {l.cfg.Callback},
		"client_id": {l.cfg.ClientID}, "client_secret": {l.cfg.Secret},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.cfg.Token, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := l.cfg.HTTP.Do(req)
	if err != nil {
		return "", 0, errors.New("the hub does not answer")
	}
	defer resp.Body.Close()
	var got struct {
		Token   string `json:"access_token"`
		Expires int64  `json:"expires_in"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxForm)).Decode(&got); err != nil || resp.StatusCode != http.StatusOK || got.Token == "" {
		return "", 0, fmt.Errorf("the hub rejected its own code (HTTP %d)", resp.StatusCode)
	}
	if got.Expires <= 0 {
		got.Expires = int64((24 * time.Hour).Seconds())
	}
	return got.Token, l.cfg.Now().Unix() + got.Expires, nil
}

// approve handles the person's answer: with consent, the client gets its code.
func (l *Login) approve(r *http.Request) http.Handler {
	if from := r.Header.Get("Origin"); from != "" && from != l.origin && from != "null" {
		return l.wrong(http.StatusForbidden, "This form is from another page.")
	}
	var g grant
	if _, err := l.seal.open(sealedGrant, r.PostFormValue("grant"), &g); err != nil {
		return l.wrong(http.StatusBadRequest, "This login took too long: start again in your program.")
	}
	if !ours(r, g.Request.Nonce) {
		return l.wrong(http.StatusForbidden, "This login started in another browser: start again in your program.")
	}
	if r.PostFormValue("answer") != "allow" {
		return l.refuse(g.Request, "access_denied", "the person denied access")
	}
	g.Request.Nonce = newNonce() // identifies the code, which is used once
	code, err := l.seal.seal(sealedCode, g, l.cfg.Now().Add(codeTime))
	if err != nil {
		return l.wrong(http.StatusInternalServerError, "The login failed.")
	}
	return l.back(g.Request, "code", code)
}

// refuse sends the browser to the client with an OAuth error.
func (l *Login) refuse(req request, code, why string) http.Handler {
	return l.back(req, "error", code, "error_description", why)
}

// back sends the browser to the client, with parameters given as alternating names and values.
func (l *Login) back(req request, params ...string) http.Handler {
	u, err := url.Parse(req.Redirect)
	if err != nil {
		return l.wrong(http.StatusBadRequest, "The program's address is invalid.")
	}
	q := u.Query()
	for i := 0; i+1 < len(params); i += 2 {
		q.Set(params[i], params[i+1])
	}
	if req.State != "" {
		q.Set("state", req.State)
	}
	q.Set("iss", l.cfg.URL) // RFC 9207
	u.RawQuery = q.Encode()
	return http.RedirectHandler(u.String(), http.StatusSeeOther)
}
