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

// resources are the paths that tokens may be meant for: the service as a whole, and the two that MCP clients use.
var resources = []string{"", "/mcp", "/sse"}

// getResource answers with the metadata of a resource (RFC 9728).
func (l *Login) getResource(r *http.Request) http.Handler {
	return answer(http.StatusOK, map[string]any{
		"resource":                 l.cfg.URL + strings.TrimPrefix(r.URL.Path, pathResource),
		"authorization_servers":    []string{l.cfg.URL},
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "nbduet",
	})
}

// getServer answers with the metadata of the authorization server (RFC 8414), including the fields that OpenID requires.
func (l *Login) getServer(*http.Request) http.Handler {
	return answer(http.StatusOK, map[string]any{
		"issuer":                                         l.cfg.URL,
		"authorization_endpoint":                         l.cfg.URL + pathAuthorize,
		"token_endpoint":                                 l.cfg.URL + pathToken,
		"registration_endpoint":                          l.cfg.URL + pathRegister,
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{"authorization_code"},
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"authorization_response_iss_parameter_supported": true,
		"jwks_uri":                                       l.cfg.URL + pathKeys,
		"subject_types_supported":                        []string{"public"},
		"id_token_signing_alg_values_supported":          []string{"RS256"},
	})
}

// isResource reports whether a token may be meant for an address. An empty address means this service.
func (l *Login) isResource(address string) bool {
	if address == "" {
		return true
	}
	return slices.ContainsFunc(resources, func(suffix string) bool { return strings.TrimSuffix(address, "/") == l.cfg.URL+suffix })
}
