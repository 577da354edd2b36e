package login

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"time"
)

// A ticket is the content of a token that this package issues.
type ticket struct {
	Hub  string `json:"t"` // the hub's token
	User string `json:"p"`
}

// token exchanges a client's code for a token.
func (l *Login) token(r *http.Request) http.Handler {
	if err := r.ParseForm(); err != nil {
		return fail(http.StatusBadRequest, "invalid_request", "the body is not a form")
	}
	if r.PostForm.Get("grant_type") != "authorization_code" {
		return fail(http.StatusBadRequest, "unsupported_grant_type", "grant_type must be authorization_code")
	}
	var g grant
	until, err := l.seal.open(sealedCode, r.PostForm.Get("code"), &g)
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	verifier := base64.RawURLEncoding.EncodeToString(sum[:])
	switch {
	case err != nil:
		return fail(http.StatusBadRequest, "invalid_grant", "the code is wrong: "+err.Error())
	case r.PostForm.Get("client_id") != g.Request.Client:
		return fail(http.StatusBadRequest, "invalid_grant", "the code belongs to another client")
	case r.PostForm.Get("redirect_uri") != "" && r.PostForm.Get("redirect_uri") != g.Request.Redirect:
		return fail(http.StatusBadRequest, "invalid_grant", "the code was sent to another redirect_uri")
	case subtle.ConstantTimeCompare([]byte(verifier), []byte(g.Request.Challenge)) != 1:
		return fail(http.StatusBadRequest, "invalid_grant", "the code_verifier does not match the code_challenge")
	case !l.isResource(r.PostForm.Get("resource")):
		return fail(http.StatusBadRequest, "invalid_target", "the resource is not this server")
	case !l.once(g.Request.Nonce, until):
		return fail(http.StatusBadRequest, "invalid_grant", "the code was used before")
	}
	expires := time.Unix(g.Until, 0)
	token, err := l.seal.seal(sealedToken, ticket{g.Hub, g.User}, expires)
	if err != nil {
		return fail(http.StatusInternalServerError, "server_error", "the token could not be created")
	}
	return answer(http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": max(g.Until-l.cfg.Now().Unix(), 0)})
}

// once reports whether a code is used for the first time.
func (l *Login) once(name string, until time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.cfg.Now()
	for old, end := range l.used {
		if !now.Before(end) {
			delete(l.used, old)
		}
	}
	if _, was := l.used[name]; was {
		return false
	}
	l.used[name] = until
	return true
}

// HubToken returns the hub's token in a token of this package. The error says what is wrong with the token; ours is false if
// this package did not issue it.
func (l *Login) HubToken(token string) (hubToken string, ours bool, err error) {
	var t ticket
	_, err = l.seal.open(sealedToken, token, &t)
	return t.Hub, err == nil || errors.Is(err, errLate), err
}
