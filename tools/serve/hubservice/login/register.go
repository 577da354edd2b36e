package login

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A registration describes a client. Its sealed form is the client's id.
type registration struct {
	Name      string   `json:"n,omitempty"`
	Redirects []string `json:"r"`
}

const (
	maxRedirects = 8
	maxRedirect  = 500 // bytes
	maxName      = 80  // characters
)

// register registers a client (RFC 7591). The client need not authenticate.
func (l *Login) register(r *http.Request) http.Handler {
	var asked struct {
		Redirects []string `json:"redirect_uris"`
		Name      string   `json:"client_name"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return fail(http.StatusBadRequest, "invalid_client_metadata", "the body is not client metadata in JSON")
	}
	if n := len(asked.Redirects); n == 0 || n > maxRedirects {
		return fail(http.StatusBadRequest, "invalid_redirect_uri", "redirect_uris must have one to eight addresses")
	}
	for _, address := range asked.Redirects {
		if why := checkRedirect(address); why != "" {
			return fail(http.StatusBadRequest, "invalid_redirect_uri", why)
		}
	}
	name := strings.Join(strings.Fields(asked.Name), " ")
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName])
	}
	id, err := l.seal.seal(sealedClient, registration{name, asked.Redirects}, time.Time{})
	if err != nil {
		return fail(http.StatusInternalServerError, "server_error", "the client cannot be registered")
	}
	return answer(http.StatusCreated, map[string]any{
		"client_id": id, "client_id_issued_at": l.cfg.Now().Unix(), "client_name": name, "redirect_uris": asked.Redirects,
		"grant_types": []string{"authorization_code"}, "response_types": []string{"code"}, "token_endpoint_auth_method": "none",
	})
}

// dangerous are schemes that a browser executes, or opens as a file.
var dangerous = []string{"javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "view-source", "ws", "wss", "ftp"}

// checkRedirect returns the reason why codes cannot be sent to an address, or "". Programs on the person's machine listen on
// the loopback or have their own scheme (RFC 8252).
func checkRedirect(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > maxRedirect || u.Scheme == "" || u.Fragment != "" || u.User != nil || strings.Contains(address, "#"):
		return "a redirect URI must be absolute and have no fragment"
	case u.Scheme == "https" && u.Host != "":
		return ""
	case u.Scheme == "http":
		if loopback(u) {
			return ""
		}
		return "an http redirect URI must use the loopback, such as http://127.0.0.1:33418/"
	case u.Scheme == "https" || slices.Contains(dangerous, strings.ToLower(u.Scheme)):
		return "a redirect URI must use https, http on the loopback, or a program's scheme"
	}
	return ""
}

func loopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// sends reports whether codes may be sent to an address: one that the client has registered, on the loopback with any port.
func (c registration) sends(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(c.Redirects, func(known string) bool {
		if known == address {
			return true
		}
		k, err := url.Parse(known)
		return err == nil && k.Scheme == "http" && u.Scheme == "http" && loopback(k) && loopback(u) && u.User == nil && u.Fragment == "" &&
			k.Hostname() == u.Hostname() && k.EscapedPath() == u.EscapedPath() && k.RawQuery == u.RawQuery
	})
}
