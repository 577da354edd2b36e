package main

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// startLook bounds the search for servers before MCP's initialize is answered. Later searches use --server-timeout.
const startLook = time.Second

// defaultAddress is Jupyter's own default.
const defaultAddress = "http://localhost:8888"

// maxListed is the length after which an error stops listing servers.
const maxListed = 100

// discover finds the Jupyter servers that run on this machine.
type discover func(context.Context) ([]jupyter.Running, error)

// discoverLocal returns a discover that trusts the given authorities, see [jupyter.Options].
func discoverLocal(roots *x509.CertPool) discover {
	return func(ctx context.Context) ([]jupyter.Running, error) {
		return jupyter.DiscoverTrusting(ctx, nil, roots)
	}
}

// reach holds the connection settings that all servers share.
type reach struct {
	timeout time.Duration
	roots   *x509.CertPool
}

// connect chooses the Jupyter server of an endpoint without asking it anything. If the server is down, the token is wrong,
// or there is not exactly one server, each tool returns that error when it is called, and works once it is fixed.
func connect(ctx context.Context, p endpoint, find discover, r reach, log *slog.Logger) (*jupyter.Server, error) {
	opt := jupyter.Options{URL: p.url, Token: p.token, Password: p.password, Role: p.role, Timeout: r.timeout, Roots: r.roots, Logger: log, UserAgent: "nbduet"}
	if p.url == "" {
		opt.Find = func(ctx context.Context) (jupyter.Found, error) { return p.search(ctx, find, log) }
	}
	srv, err := jupyter.New(opt)
	if err != nil {
		return nil, options.UsageError{Err: err}
	}
	if p.url != "" && !srv.HasToken() { // a server of the same user on this machine leaves its token in a file
		opt.Find = func(ctx context.Context) (jupyter.Found, error) { return searchToken(ctx, srv.BaseURL(), find, log) }
		if srv, err = jupyter.New(opt); err != nil {
			return nil, options.UsageError{Err: err}
		}
	}
	if opt.Find == nil {
		return srv, nil
	}
	look, stop := context.WithTimeout(ctx, startLook)
	defer stop()
	if err := srv.Find(look); err != nil {
		log.Warn("no Jupyter server was found yet; each call that needs one looks again: " + err.Error())
	}
	return srv, nil
}

// checkServers logs once if a server cannot be used at the start. The returned function waits for these checks; call it
// after ctx has ended. The first server is the document server, which needs rooms.
func checkServers(ctx context.Context, log *slog.Logger, servers ...*jupyter.Server) (wait func()) {
	var checks sync.WaitGroup
	for i, srv := range servers {
		if srv.BaseURL() == "" || slices.Contains(servers[:i], srv) {
			continue // its absence is logged, or it is being checked already
		}
		checks.Go(func() {
			var err error
			if i == 0 {
				err = srv.Rooms.Check(ctx)
			} else {
				err = srv.Health.CheckWebsockets(ctx)
			}
			switch {
			case err == nil || ctx.Err() != nil:
			case !errors.As(err, new(*jupyter.Error)): // the server answers correctly
				log.Warn("people with open notebooks on the Jupyter server do not see all edits: " + err.Error())
			default:
				log.Warn("the Jupyter server cannot be used yet; each call that needs it tries again: " + err.Error())
			}
		})
	}
	return checks.Wait
}

// search returns the one server that runs on this machine.
func (p endpoint) search(ctx context.Context, find discover, log *slog.Logger) (jupyter.Found, error) {
	running, err := find(ctx)
	if err != nil {
		return jupyter.Found{}, err
	}
	if len(running) == 0 && (p.token != "" || p.password != "") { // it may run in a container, for example
		running = []jupyter.Running{{URL: defaultAddress}}
	}
	one, err := p.only(running)
	if err != nil {
		return jupyter.Found{}, err
	}
	log.Info("no address was given, using this Jupyter server", "url", one.URL, "root", one.Root)
	return jupyter.Found{URL: one.URL, Token: cmp.Or(p.token, one.Token), Password: one.Password}, nil
}

// searchToken finds the token of the server at an address; the token is empty if none is found.
func searchToken(ctx context.Context, address string, find discover, log *slog.Logger) (jupyter.Found, error) {
	running, err := find(ctx)
	if err != nil {
		log.Debug("no token was given, and none was found", "error", err)
	}
	for _, r := range running {
		if r.Token == "" && !r.Password {
			continue
		}
		if jupyter.SameServer(r.URL, address) || jupyter.SameServer(baseOf(r.URL), address) { // address may be a page's
			return jupyter.Found{URL: address, Token: r.Token, Password: r.Password}, nil
		}
	}
	return jupyter.Found{URL: address}, nil
}

// only returns the one running server, or the error [faults.NoServer] or [faults.SeveralServers].
func (p endpoint) only(running []jupyter.Running) (jupyter.Running, error) {
	switch len(running) {
	case 0:
		return jupyter.Running{}, faults.New(faults.NoServer, faults.Values{}).ForRole(p.role)
	case 1:
		return running[0], nil
	}
	var b strings.Builder
	for i, r := range running {
		if i >= 2 && b.Len() > maxListed {
			fmt.Fprintf(&b, ", and %d more", len(running)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (root folder %s)", r.URL, r.Root)
	}
	return jupyter.Running{}, faults.New(faults.SeveralServers, faults.Values{Detail: b.String()}).ForRole(p.role)
}
