// Package login logs in to a Jupyter server that has a password, as people do on the server's login page: it requests
// the form, sends it with the password, and keeps the cookies of the answers.
//
// The password is sent only in the body of that request, to the address that the caller gives; no redirect is
// followed. A login lasts as long as the server accepts its cookie (30 days, or until the server has another secret),
// so a caller logs in again whenever a request is refused, see [Login.Again].
package login

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/samber/lo"
)

var (
	// ErrWrong means that the server does not accept the password.
	ErrWrong = errors.New("the server refuses the password")
	// ErrNone means that a login would change nothing: the server has no password form, or the last login is too
	// recent.
	ErrNone = errors.New("no login is possible")
)

// StatusError is an HTTP status of the login that means neither success nor a wrong password.
type StatusError int

// Error implements error.
func (e StatusError) Error() string { return fmt.Sprintf("the login returned HTTP %d", int(e)) }

const (
	// pause is the least time between two logins, so that a wrong password is not sent with each request.
	pause = time.Second
	// xsrf is the cookie whose value requests repeat, to prove that they do not come from another page.
	xsrf = "_xsrf"
	// form marks a page with a password field.
	form = `name="password"`
	// maxPage bounds how much of the page is read, in bytes.
	maxPage = 1 << 20
)

// Login logs in to one server. It is safe for concurrent use.
type Login struct {
	password string
	client   *http.Client

	done atomic.Uint64 // number of logins
	turn chan struct{} // one login at a time; it guards last and err
	last time.Time
	err  error // of the last one
}

// New returns a Login with a password, which uses the client's transport and puts the cookies into the client's jar.
// It sends nothing yet.
func New(password string, client *http.Client) *Login {
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Login{password: password, client: &own, turn: make(chan struct{}, 1)}
}

// Count returns the number of logins. Take it before a request, for [Login.Again] in case the request is refused.
func (l *Login) Count() uint64 { return l.done.Load() }

// Sign adds the XSRF header that a server requires of requests with a login cookie.
func (l *Login) Sign(req *http.Request) {
	if token := l.token(req.URL); token != "" {
		req.Header.Set("X-XSRFToken", token)
	}
}

// token returns the XSRF value for requests to an address; "" before the first login.
func (l *Login) token(at *url.URL) string {
	for _, c := range l.client.Jar.Cookies(at) {
		if c.Name == xsrf {
			return c.Value
		}
	}
	return ""
}

// Again logs in to the server with the given base URL, after a request was refused; count is [Login.Count] from
// before that request. It sends nothing if another caller has logged in since, or if the last login is too recent.
// The error is [ErrWrong], [ErrNone], or that of a request.
func (l *Login) Again(ctx context.Context, base *url.URL, count uint64) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	switch {
	case l.done.Load() != count:
		return nil
	case time.Since(l.last) < pause:
		return cmp.Or(l.err, ErrNone)
	}
	err := l.enter(ctx, base.JoinPath("login"))
	if ctx.Err() != nil { // the next caller logs in for itself
		return err
	}
	if l.last, l.err = time.Now(), err; err == nil {
		l.done.Add(1)
	}
	return err
}

// enter requests the form at an address, and sends it.
func (l *Login) enter(ctx context.Context, page *url.URL) error {
	status, text, err := l.send(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	token := l.token(page)
	if status != http.StatusOK || token == "" || !strings.Contains(text, form) {
		return ErrNone
	}
	status, _, err = l.send(ctx, http.MethodPost, page, url.Values{"password": {l.password}, xsrf: {token}})
	switch {
	case err != nil:
		return err
	case status == http.StatusUnauthorized:
		return ErrWrong
	case status != http.StatusFound: // to the page after the login
		return StatusError(status)
	}
	return nil
}

// send sends a request with a form, or without one, and returns the answer's status and the beginning of its page.
func (l *Login) send(ctx context.Context, method string, at *url.URL, values url.Values) (status int, page string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, at.String(), strings.NewReader(values.Encode()))
	if err != nil {
		return 0, "", fmt.Errorf("log in: %w", err)
	}
	if values != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return 0, "", fmt.Errorf("log in: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxPage))
	if err != nil {
		return 0, "", fmt.Errorf("log in: %w", err)
	}
	return resp.StatusCode, string(text), nil
}

type jar struct{ *cookiejar.Jar }

// NewJar returns a cookie jar for one host. It ignores the removal of cookies: a server removes the cookie of an expired
// login with its refusal, which may arrive after a new login of another request.
func NewJar() http.CookieJar { return jar{lo.Must(cookiejar.New(nil))} }

// SetCookies implements http.CookieJar.
func (j jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	j.Jar.SetCookies(u, slices.DeleteFunc(slices.Clone(cookies), func(c *http.Cookie) bool {
		return c.MaxAge < 0 || !c.Expires.IsZero() && c.Expires.Before(time.Now())
	}))
}
