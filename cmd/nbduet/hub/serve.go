package hub

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/cmd/nbduet/tenant"
	"github.com/nbduet/nbduet/cmd/nbduet/userdirs"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/cacerts"
	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/tools/serve"
	"github.com/nbduet/nbduet/tools/serve/hubservice"
)

// A Service serves the users of a hub.
type Service struct {
	Settings
	// HTTP configures how each user's requests are served.
	HTTP serve.Config
	// World returns the configuration of a user's world.
	World func(srv *jupyter.Server, state *activity.Store) tenant.Config
	// State is the folder of the activity records, "" for the default folder, [activity.Memory] for none.
	State string
	// Timeout bounds requests to Jupyter servers. Roots are the trusted authorities; nil means the system's.
	Timeout time.Duration
	Roots   *x509.CertPool
	Logger  *slog.Logger
}

// Limits for each user, because there may be many.
const (
	mostRequests = 64
	mostClients  = 50
)

// Run serves the users until ctx ends. It writes its address to stderr.
func (s Service) Run(ctx context.Context, l net.Listener, stderr io.Writer) error {
	var err error
	if s.State, err = records(s.State); err != nil {
		return options.UsageError{Err: err}
	}
	guard, err := serve.NewGuard(s.HTTP.AllowedHosts, s.HTTP.AllowedOrigins)
	if err != nil {
		return options.UsageError{Err: err}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = cacerts.Config(s.Roots)
	defer transport.CloseIdleConnections()
	service, err := hubservice.New(hubservice.Config{
		API: s.API, Prefix: s.Prefix, Access: s.Access, Login: s.Login, Guard: guard, Idle: s.HTTP.ClientTimeout, Make: s.tenant, Logger: s.Logger,
		Client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	})
	if err != nil {
		return options.UsageError{Err: err}
	}
	_, _ = fmt.Fprintln(stderr, "nbduet: serving the users of the hub at", s.Login.URL+"/mcp") // an error is ignored
	return serve.Connections(ctx, l, s.HTTP, service, service.Run)
}

// tenant creates the tenant of a user.
func (s Service) tenant(ctx context.Context, user string, token func() string) (hubservice.Tenant, error) {
	at := hubservice.ServerOf(s.Servers, user)
	srv, err := jupyter.New(jupyter.Options{
		Timeout: s.Timeout, Roots: s.Roots, Logger: s.Logger, UserAgent: "nbduet",
		Find: func(context.Context) (jupyter.Found, error) { return jupyter.Found{URL: at, Token: token()}, nil },
	})
	if err != nil {
		return hubservice.Tenant{}, err
	}
	state, err := s.state(ctx, user)
	if err != nil {
		return hubservice.Tenant{}, err
	}
	w, err := tenant.New(s.World(srv, state))
	if err != nil {
		return hubservice.Tenant{}, errors.Join(err, w.Close(ctx))
	}
	cfg := s.HTTP
	cfg.MCP, cfg.Clients, cfg.Only = w.MCP, w.Clients, user
	cfg.Limits.Requests, cfg.Limits.Clients = mostRequests, mostClients
	one, err := serve.New(cfg)
	if err != nil {
		return hubservice.Tenant{}, errors.Join(err, w.Close(ctx))
	}
	return hubservice.Tenant{Handler: one, Run: one.Run, Runs: w.Runs, Close: func(ctx context.Context) error {
		defer srv.CloseIdleConnections()
		return w.Close(ctx)
	}}, nil
}

// state opens a user's activity record, a file named by a hash, because a user's name may not be a valid file name.
func (s Service) state(ctx context.Context, user string) (*activity.Store, error) {
	file := activity.Memory
	if s.State != activity.Memory {
		sum := sha256.Sum256([]byte(user))
		file = filepath.Join(s.State, hex.EncodeToString(sum[:16])+".db")
	}
	return activity.Open(ctx, activity.Options{Path: file, Logger: s.Logger})
}

// records creates the folder of the records. A service started by a hub has no home directory for the default folder.
func records(folder string) (string, error) {
	if folder == activity.Memory {
		return folder, nil
	}
	if folder == "" {
		usual, err := userdirs.Here().State()
		if err != nil {
			return "", fmt.Errorf("--state: give a folder for the users' activity, or %s: %w", activity.Memory, err)
		}
		folder = filepath.Join(usual, "hub")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("--state: %w", err)
	}
	return folder, nil
}
