// Package login lets a program into a Jupyter server that has a password, as the server's login page lets people in: it asks
// for the form, sends it with the password, and keeps the cookies that the answers set.
//
// The password goes into the body of that one request, to the address that the caller gives, and nowhere else: no redirect
// is followed. A login lasts as long as the server takes its cookie (30 days, or until the server has another secret), so a
// caller logs in again whenever a request is refused, see [Login.Again].
package login

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

var (
	// ErrWrong is that the server does not take the password.
	ErrWrong = errors.New("the server does not take the password")
	// ErrNone is that a login would change nothing: the server has no form for a password, or the last login has just been.
	ErrNone = errors.New("there is no login to be had")
)

// StatusError is that the server answers the form with an HTTP status that neither lets in nor refuses the password.
type StatusError int

// Error implements error.
func (e StatusError) Error() string { return fmt.Sprintf("the login is answered with HTTP %d", int(e)) }

const (
	// pause is the least time between two logins, so that a wrong password is not sent for each request.
	pause = time.Second
	// xsrf is the cookie whose value requests repeat, to show that no other page sends them.
	xsrf = "_xsrf"
	// form is what the page has where a password is typed.
	form = `name="password"`
	// maxPage bounds how much of the page is read.
	maxPage = 1 << 20
)

// Login is the way into one server. It is safe for concurrent use.
type Login struct {
	password string
	client   *http.Client

	done atomic.Uint64 // how many logins there were
	turn chan struct{} // one login at a time; it guards last and err
	last time.Time
	err  error // of the last one
}

// New returns the way in with a password, by the client's transport; the cookies are put into the client's jar. It sends
// nothing yet.
func New(password string, client *http.Client) *Login {
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Login{password: password, client: &own, turn: make(chan struct{}, 1)}
}

// Count is how many logins there were: what [Login.Again] is told after a request was refused, taken before it was made.
func (l *Login) Count() uint64 { return l.done.Load() }

// Sign adds to a request what a server asks of those who are let in by a cookie.
func (l *Login) Sign(req *http.Request) {
	if token := l.token(req.URL); token != "" {
		req.Header.Set("X-XSRFToken", token)
	}
}

// token is the value that requests to an address repeat; "" before the first login.
func (l *Login) token(at *url.URL) string {
	for _, c := range l.client.Jar.Cookies(at) {
		if c.Name == xsrf {
			return c.Value
		}
	}
	return ""
}

// Again logs in to the server with the given base URL, after a request was refused that was made when there had been so
// many logins. It sends nothing where another caller has logged in since, nor where the last login has just been. The error
// is [ErrWrong], [ErrNone], or that of a request.
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

// enter asks for the form at an address, and sends it.
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
	case status != http.StatusFound: // to the page that the form was for
		return StatusError(status)
	}
	return nil
}

// send sends a request with a form, or none, and reads the answer's status and the beginning of its page.
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
