package fake

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// loginCookie is the cookie of a login. A real one has the server's host and port in its name.
const loginCookie = "username-login"

// Logins is the login page, with the known logins.
type Logins struct {
	passwords []string // each one is valid; none: no login is needed
	base      string   // the server's path, without a trailing slash

	mu    sync.Mutex
	known map[string]bool // by cookie value
	asked int
}

// Forget invalidates all cookies of the login page, like a server with a new secret. It returns how often the
// password was sent since the last call.
func (l *Logins) Forget() (asked int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked = l.asked
	l.known, l.asked = map[string]bool{}, 0
	return asked
}

// has reports whether a request has the cookie of a login and, if it changes something, repeats the page's XSRF
// cookie.
func (l *Logins) has(r *http.Request) bool {
	c, err := r.Cookie(loginCookie)
	if err != nil {
		return false
	}
	l.mu.Lock()
	known := l.known[c.Value]
	l.mu.Unlock()
	return known && (r.Method == http.MethodGet || r.Method == http.MethodHead || sameXSRF(r, r.Header.Get("X-XSRFToken")))
}

// remove removes the cookie of a login that is not known, as the real server does with each refusal.
func (l *Logins) remove(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, err := r.Cookie(loginCookie); err == nil && !l.known[c.Value] {
		http.SetCookie(w, &http.Cookie{Name: loginCookie, Path: l.base + "/", Expires: time.Now().AddDate(-1, 0, 0)})
	}
}

func sameXSRF(r *http.Request, given string) bool {
	c, err := r.Cookie("_xsrf")
	return err == nil && given != "" && c.Value == given
}

// serve serves the page.
func (l *Logins) serve(w http.ResponseWriter, r *http.Request) {
	if len(l.passwords) == 0 || l.has(r) {
		http.Redirect(w, r, l.base+"/", http.StatusFound)
		return
	}
	token := randomHex(16)
	if c, err := r.Cookie("_xsrf"); err == nil {
		token = c.Value
	}
	http.SetCookie(w, &http.Cookie{Name: "_xsrf", Value: token, Path: l.base + "/"})
	status := http.StatusOK
	if r.Method == http.MethodPost {
		if !sameXSRF(r, r.PostFormValue("_xsrf")) {
			page(w, http.StatusForbidden)
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.asked++
		if slices.Contains(l.passwords, r.PostFormValue("password")) {
			key := randomHex(16)
			if l.known == nil {
				l.known = map[string]bool{}
			}
			l.known[key] = true
			http.SetCookie(w, &http.Cookie{Name: loginCookie, Value: url.QueryEscape(key), Path: l.base + "/", HttpOnly: true})
			http.Redirect(w, r, l.base+"/", http.StatusFound)
			return
		}
		status = http.StatusUnauthorized
	}
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<!doctype html><form action=%q method=\"post\"><input type=\"hidden\" name=\"_xsrf\" value=\"%s\"/>"+
		"<input type=\"password\" name=\"password\"></form>\n", l.base+"/login", token)
}
