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

// The paths, below the service's.
const (
	pathRegister  = "/oauth/register"
	pathAuthorize = "/oauth/authorize"
	pathApprove   = "/oauth/approve"
	pathToken     = "/oauth/token"
	pathKeys      = "/oauth/keys"
	pathCallback  = "/oauth_callback" // as hubs have it for services
	pathResource  = "/.well-known/oauth-protected-resource"
)

// pathsServer have the metadata of an authorization server. Clients look for those of an address with a path in several
// places, of which only those below the path are ours.
var pathsServer = []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"}

// Config says where the service and its hub are.
type Config struct {
	// URL is the service's address for clients and browsers: https://hub.example.org/services/nbduet.
	URL string
	// Authorize is the hub's page for browsers, https://hub.example.org/hub/api/oauth2/authorize, and Token its address for
	// this program, which may be another.
	Authorize, Token string
	// ClientID and Secret are the service's, and Callback its redirect URI as the hub knows it, maybe only a path.
	ClientID, Secret, Callback string
	// Who says whose a token of the hub is.
	Who func(ctx context.Context, hubToken string) (name string, err error)
	// HTTP asks the hub.
	HTTP *http.Client
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// A Login serves logins. Make it with [New].
type Login struct {
	cfg    Config
	origin string // of the URL
	path   string // of the URL
	seal   *sealer
	mux    *http.ServeMux

	mu   sync.Mutex
	used map[string]time.Time // codes, until they expire
}

// New makes a login. An error says what is wrong with cfg.
func New(cfg Config) (*Login, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%q is not an address of a service, such as https://hub.example.org/services/nbduet", cfg.URL)
	}
	if cfg.Secret == "" {
		return nil, errors.New("the service has no token of the hub's, which is its secret")
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

// handle has the requests of a pattern answered by the handler that reply returns for each.
func (l *Login) handle(pattern string, reply func(*http.Request) http.Handler) {
	l.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { reply(r).ServeHTTP(w, r) })
}

// Serves reports whether a path, below the service's, is of logins. Nobody needs a token there.
func (l *Login) Serves(path string) bool {
	return strings.HasPrefix(path, "/.well-known/") || strings.HasPrefix(path, "/oauth/") || path == pathCallback
}

// ServeHTTP serves a request whose path is below the service's.
func (l *Login) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if r.URL.Path != pathApprove && r.URL.Path != pathAuthorize && r.URL.Path != pathCallback {
		// No cookie counts for these, so each page may ask.
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

// Challenge is the WWW-Authenticate of a request without a good token; code is OAuth's, "" for a request without one.
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
		_, _ = w.Write(append(b, '\n')) // if it fails, nobody is there to read it
	}
}

// fail answers with an error of OAuth's (RFC 6749, section 5.2).
func fail(status int, code, why string) http.HandlerFunc {
	return answer(status, map[string]string{"error": code, "error_description": why})
}
