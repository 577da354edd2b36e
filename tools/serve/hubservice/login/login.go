package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	stateTime = 10 * time.Minute // for the person to log in, and to consent
	codeTime  = time.Minute      // for the client to fetch its token
	maxForm   = 64 << 10         // bytes of a request's body
	hubTime   = 10 * time.Second // for one request to the hub
)

// The paths, relative to the service's path.
const (
	pathRegister  = "/oauth/register"
	pathAuthorize = "/oauth/authorize"
	pathApprove   = "/oauth/approve"
	pathToken     = "/oauth/token"
	pathKeys      = "/oauth/keys"
	pathCallback  = "/oauth_callback" // the hub's path for services
	pathResource  = "/.well-known/oauth-protected-resource"
)

// pathsServer have the metadata of an authorization server. For an address with a path, clients look in several places; only
// those below the path belong to the service.
var pathsServer = []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"}

// Config has the addresses of the service and its hub.
type Config struct {
	// URL is the service's address for clients and browsers: https://hub.example.org/services/nbduet.
	URL string
	// Authorize is the hub's page for browsers, https://hub.example.org/hub/api/oauth2/authorize. Token is the hub's address
	// for this program, which may be on another host.
	Authorize, Token string
	// ClientID and Secret belong to the service. Callback is its redirect URI as registered with the hub, possibly only a
	// path.
	ClientID, Secret, Callback string
	// Who returns the user of a hub token.
	Who func(ctx context.Context, hubToken string) (name string, err error)
	// HTTP sends requests to the hub.
	HTTP *http.Client
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// A Login serves logins. Create it with [New].
type Login struct {
	cfg    Config
	origin string // of the URL
	path   string // of the URL
	seal   *sealer
	mux    *http.ServeMux

	mu   sync.Mutex
	used map[string]time.Time // codes, until they expire
}

// New returns a login, or an error if cfg is invalid.
func New(cfg Config) (*Login, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%q is not a service's address, such as https://hub.example.org/services/nbduet", cfg.URL)
	}
	if cfg.Secret == "" {
		return nil, errors.New("the service has no hub token, which is its secret")
	}
	l := &Login{cfg: cfg, origin: u.Scheme + "://" + u.Host, path: strings.TrimSuffix(u.Path, "/"), mux: http.NewServeMux(), used: map[string]time.Time{}}
	l.cfg.URL = l.origin + l.path
	if l.seal, err = newSealer(cfg.Secret, cfg.Now); err != nil {
		return nil, err
	}
	for _, suffix := range resources {
		l.handle("GET "+pathResource+suffix, l.getResource)
	}
	for _, path := range pathsServer {
		l.handle("GET "+path, l.getServer)
	}
	l.handle("GET "+pathKeys, func(*http.Request) http.Handler {
		return answer(http.StatusOK, map[string]any{"keys": []any{}})
	})
	l.handle("POST "+pathRegister, l.register)
	l.handle("GET "+pathAuthorize, l.authorize)
	l.handle("GET "+pathCallback, l.callback)
	l.handle("POST "+pathApprove, l.approve)
	l.handle("POST "+pathToken, l.token)
	return l, nil
}

// handle answers a pattern's requests with the handler that reply returns for each.
func (l *Login) handle(pattern string, reply func(*http.Request) http.Handler) {
	l.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { reply(r).ServeHTTP(w, r) })
}

// Serves reports whether a path, relative to the service's, belongs to logins. These paths need no token.
func (l *Login) Serves(path string) bool {
	return strings.HasPrefix(path, "/.well-known/") || strings.HasPrefix(path, "/oauth/") || path == pathCallback
}

// ServeHTTP serves a request whose path is relative to the service's.
func (l *Login) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if r.URL.Path != pathApprove && r.URL.Path != pathAuthorize && r.URL.Path != pathCallback {
		// These do not use cookies, so every page may send requests.
		h.Set("Access-Control-Allow-Origin", "*")
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", "GET, POST")
			h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization, Mcp-Protocol-Version")
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	l.mux.ServeHTTP(w, r)
}

// Challenge returns the WWW-Authenticate header for a request without a valid token. code is OAuth's error code, "" if the
// request has no token.
func (l *Login) Challenge(path, code string) string {
	suffix := ""
	for _, s := range resources {
		if s != "" && strings.HasPrefix(path, s) {
			suffix = s
		}
	}
	text := `Bearer realm="nbduet"`
	if code != "" {
		text += `, error="` + code + `"`
	}
	return text + `, resource_metadata="` + l.cfg.URL + pathResource + suffix + `"`
}

// answer answers with JSON.
func answer(status int, body any) http.HandlerFunc {
	b, err := json.Marshal(body)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{"error":"server_error"}`)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(append(b, '\n')) // a failed write needs no handling
	}
}

// fail answers with an OAuth error (RFC 6749, section 5.2).
func fail(status int, code, why string) http.HandlerFunc {
	return answer(status, map[string]string{"error": code, "error_description": why})
}
