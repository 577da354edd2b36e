package hubservice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/tools/serve"
	"github.com/nbduet/nbduet/tools/serve/hubservice/login"
)

// Config configures a Service.
type Config struct {
	// API is the address of the hub's API for this program: http://127.0.0.1:8081/hub/api.
	API string
	// Prefix is the path that the hub's proxy forwards to the service: /services/nbduet/.
	Prefix string
	// Access is a list of scopes. A token needs one of them; if the list is empty, it needs none.
	Access []string
	// Login is for clients without a token. New sets its Who and HTTP.
	Login login.Config
	// Client sends requests to the hub.
	Client *http.Client
	// Guard admits requests.
	Guard *serve.Guard
	// Make returns a new tenant for a user, without sending requests. token returns the token that the user has used last.
	Make func(ctx context.Context, user string, token func() string) (Tenant, error)
	// Idle is how long a user may be silent, with no code running, before the tenant ends; 0: one hour.
	Idle time.Duration
	// MostUsers is the number of users served at once; 0: 1000.
	MostUsers int
	// Logger gets the service's log lines; nil discards them.
	Logger *slog.Logger
}

// A Service serves the users of a hub. Create it with [New]; it needs [Service.Run].
type Service struct {
	cfg     Config
	prefix  string // without a slash at its end
	bearers *bearers
	tenants *tenants
	login   *login.Login
	end     context.CancelFunc
}

// New returns a service, or an error if cfg is invalid.
func New(cfg Config) (*Service, error) {
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	hubAddress, ok := strings.CutSuffix(strings.TrimSuffix(cfg.API, "/"), "/api")
	if !ok {
		return nil, fmt.Errorf("%q is not a JupyterHub API address, such as http://127.0.0.1:8081/hub/api", cfg.API)
	}
	if !strings.HasPrefix(cfg.Prefix, "/") {
		return nil, fmt.Errorf("%q is not a path, such as /services/nbduet/", cfg.Prefix)
	}
	cfg.Idle = cmp.Or(cfg.Idle, time.Hour)
	s := &Service{cfg: cfg, prefix: strings.TrimSuffix(cfg.Prefix, "/"), bearers: newBearers(hubAddress, cfg.Client, cfg.Access)}
	ctx, end := context.WithCancel(context.Background())
	s.end = end
	s.tenants = &tenants{most: cmp.Or(cfg.MostUsers, 1000), log: cfg.Logger, ctx: ctx, by: map[string]*tenant{}, make: func(ctx context.Context, user string) (Tenant, error) {
		return cfg.Make(ctx, user, func() string {
			token, _ := s.bearers.of(user)
			return token
		})
	}}
	cfg.Login.HTTP = cfg.Client
	cfg.Login.Who = s.bearers.ask
	var err error
	s.login, err = login.New(cfg.Login)
	return s, err
}

// Users returns the number of users with a tenant.
func (s *Service) Users() int { return s.tenants.count() }

// Run checks tokens and tenants until ctx ends, and then ends all tenants.
func (s *Service) Run(ctx context.Context) {
	defer s.end()
	tick := time.NewTicker(fresh)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.tenants.close()
			for _, one := range s.bearers.list() {
				one.end()
			}
			return
		case <-tick.C:
			s.bearers.sweep(ctx, s.cfg.Idle)
			s.tenants.sweep(s.cfg.Idle, func(user string) bool {
				_, ok := s.bearers.of(user)
				return ok
			})
		}
	}
}

// ServeHTTP serves a request, which may come from anywhere.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	path, ok := strings.CutPrefix(r.URL.Path, s.prefix)
	switch {
	case serve.IsHealth(r.URL.Path), ok && serve.IsHealth(path): // also without the hub's proxy
		serve.WriteJSON(w, http.StatusOK, map[string]string{"status": "healthy"})
		return
	case !ok || path != "" && path[0] != '/':
		serve.Refuse(w, http.StatusNotFound, "not found: nbduet's address is "+s.prefix+"/mcp")
		return
	}
	r = below(r, s.prefix, path)
	switch {
	case s.login.Serves(r.URL.Path):
		s.login.ServeHTTP(w, r)
		return
	case !s.cfg.Guard.Admits(w, r):
		return
	case r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html"):
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("This is nbduet, an MCP server. Give your AI client the address " + s.cfg.Login.URL + "/mcp; it will ask you to log in here.\n")) // a closed browser needs no text
		return
	}
	one, err := s.identify(r)
	if err != nil {
		s.deny(w, r, err)
		return
	}
	tenant, leave, err := s.tenants.enter(one.user)
	if err != nil {
		w.Header().Set("Retry-After", "5")
		serve.Refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer leave()
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	defer context.AfterFunc(one.good, stop)() // its streams end with the token
	ctx = serve.WithEntrant(ctx, serve.Entrant{Name: one.user, Still: func(ctx context.Context) error { return s.bearers.check(ctx, one) }})
	tenant.Handler.ServeHTTP(w, r.WithContext(ctx))
}

// below returns the request as it is for a server that does not know the prefix.
func below(r *http.Request, prefix, path string) *http.Request {
	u := *r.URL
	u.Path, u.RawPath = "/"+strings.TrimPrefix(path, "/"), ""
	out := *r
	out.URL = &u
	out.Header = r.Header.Clone()
	out.Header.Del("X-Forwarded-Context")
	out.Header.Set("X-Forwarded-Prefix", prefix)
	return &out
}

// A wrongToken is the error for a request's token.
type wrongToken struct{ code, why string }

func (e *wrongToken) Error() string { return e.why }

// identify returns the bearer of a request's token.
func (s *Service) identify(r *http.Request) (*bearer, error) {
	token, ok := serve.Bearer(r)
	if !ok {
		code := lo.Ternary(r.Header.Get("Authorization") != "", "invalid_token", "")
		return nil, &wrongToken{code, "a token is needed: have your client log in, or send the header \"Authorization: Bearer TOKEN\" with your JupyterHub token"}
	}
	if err := serve.CheckToken(token); err != nil {
		return nil, &wrongToken{"invalid_token", err.Error()}
	}
	hubToken, ours, err := s.login.HubToken(token)
	switch {
	case ours && err != nil:
		return nil, &wrongToken{"invalid_token", "the token has expired: have your client log in again"}
	case !ours:
		hubToken = token
	}
	one, err := s.bearers.find(r.Context(), hubToken)
	switch {
	case errors.Is(err, errHub), r.Context().Err() != nil:
		return nil, errHub
	case err != nil:
		return nil, &wrongToken{"invalid_token", err.Error()}
	}
	return one, nil
}

func (s *Service) deny(w http.ResponseWriter, r *http.Request, err error) {
	var wrong *wrongToken
	if !errors.As(err, &wrong) {
		w.Header().Set("Retry-After", "5")
		serve.Refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	serve.AllowReading(w.Header(), r)
	w.Header().Set("WWW-Authenticate", s.login.Challenge(r.URL.Path, wrong.code))
	serve.Refuse(w, http.StatusUnauthorized, wrong.why)
}

// ServerOf returns the address of a user's server, given the hub's address. The name is escaped as hubs do it, because
// servers accept no other form.
func ServerOf(hub, user string) string {
	name := strings.NewReplacer("+", "%20", "%40", "@").Replace(url.QueryEscape(user))
	return strings.TrimSuffix(hub, "/") + "/user/" + name + "/"
}
