package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
	"github.com/nbduet/nbduet/tools/tool"
)

// A Server serves one MCP server over HTTP. Create it with [New], and run it with [Server.Serve].
type Server struct {
	cfg        Config
	log        *slog.Logger
	tokens     tokenSet
	guard      *Guard
	sessions   *sessions
	principals *principals
	issuer     *issuer         // nil without an issuer
	ctx        context.Context // ends with Serve
	cancel     context.CancelFunc
	requests   *budget
	bytes      *budget // of long bodies
	trimmer    Trimmer
	ids        *jsonrpc.IDs
	stream     *server.StreamableHTTPServer
	events     *server.SSEServer
	sockets    *sockets
	mux        *http.ServeMux
}

// endTime bounds the cleanup of a client that has left.
const endTime = 30 * time.Second

// New returns a server, or an error if cfg is invalid.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.check()
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, log: cfg.Logger, tokens: newTokenSet(cfg.Tokens),
		sessions: newSessions(cfg.Clients, cfg.Limits), requests: newBudget(int64(cfg.Limits.Requests)), bytes: newBudget(cfg.Limits.Bytes), ids: jsonrpc.NewIDs(), mux: http.NewServeMux(),
	}
	if s.guard, err = NewGuard(cfg.AllowedHosts, cfg.AllowedOrigins); err != nil {
		return nil, err
	}
	s.principals = newPrincipals(cfg.Clients, max(cfg.Limits.Clients, len(cfg.Tokens)))
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if cfg.OIDC != nil {
		if s.issuer, err = newIssuer(s.ctx, cfg); err != nil {
			return nil, err
		}
		s.mux.HandleFunc("GET "+metadataPath, s.getMetadata)
		s.mux.HandleFunc("GET "+metadataPath+"/", s.getMetadata)
	}
	if cfg.Metrics != nil {
		if err := cfg.Metrics.of(s); err != nil {
			return nil, fmt.Errorf("serve: the metrics belong to another server: %w", err)
		}
		s.mux.Handle("GET /metrics", cfg.Metrics.handler())
	}
	s.stream = newStream(s)
	s.events = newEvents(s)
	s.sockets = &sockets{s: s}
	for _, path := range []string{"/mcp", "/mcp/{$}", barePath + "{$}"} {
		s.mux.HandleFunc("POST "+path, s.body(s.message(s.postMCP)))
		s.mux.HandleFunc("GET "+path, withWriter(s.getMCP))
		s.mux.HandleFunc("DELETE "+path, s.deleteMCP)
	}
	s.mux.HandleFunc("GET "+socketPath, s.sockets.serve)
	s.mux.HandleFunc("GET /sse", withWriter(s.getEvents))
	s.mux.HandleFunc("POST /message", s.body(s.message(s.postMessage)))
	s.mux.HandleFunc("GET /tools/list", s.listTools)
	s.mux.HandleFunc("POST "+callPath, s.body(s.callTool))
	for _, path := range healthPaths {
		s.mux.HandleFunc("GET "+path, health)
	}
	return s, nil
}

// healthPaths answer whether the program runs; the second is the path of Datalayer's server.
var healthPaths = []string{"/healthz", "/api/healthz"}

// IsHealth reports whether a path answers whether the program runs.
func IsHealth(path string) bool { return slices.Contains(healthPaths, path) }

func health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"healthy"}` + "\n")) // a disconnected client needs no answer
}

// ServeHTTP checks a request, which may come from anywhere, and serves it.
func (s *Server) ServeHTTP(plain http.ResponseWriter, r *http.Request) {
	began := time.Now()
	w := newWriter(plain, s.ids, s.cfg.Limits.WriteTime)
	if r.Body != nil && r.Body != http.NoBody {
		// The deadline also applies to a body that is not used: net/http reads its rest before it sends an answer. The
		// recorder of tests has no deadlines.
		_ = w.ctl.SetReadDeadline(began.Add(s.cfg.Limits.BodyTime))
	}
	sent := r.Body // readBody replaces it
	defer func() {
		drainBody(w, r, sent)
		w.end()
		s.cfg.Metrics.answered(w.status)
		s.log.Debug("request", "method", r.Method, "path", r.URL.Path, "status", w.status, "took", time.Since(began).Round(time.Millisecond))
	}()
	open := s.isMetadata(r.URL.Path)
	if !s.guard.admits(w, r, open) {
		return
	}
	w.from = r
	if preflight(w, r) {
		return
	}
	if open || IsHealth(r.URL.Path) {
		s.mux.ServeHTTP(w, r)
		return
	}
	if looks(r) {
		introduce(w)
		return
	}
	who, err := s.identify(r)
	if err != nil {
		s.deny(w, r, err)
		return
	}
	s.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
}

// A bodyHandler answers a request whose body has been read.
type bodyHandler func(w *writer, r *http.Request, body []byte)

// withWriter returns a handler for a function that needs the writer.
func withWriter(next func(w *writer, r *http.Request)) http.HandlerFunc {
	return func(plain http.ResponseWriter, r *http.Request) {
		w, ok := plain.(*writer)
		if !ok { // requests only come through ServeHTTP
			Refuse(plain, http.StatusInternalServerError, "internal error")
			return
		}
		next(w, r)
	}
}

// body reads the body if the caller may make one more request, and calls next.
func (s *Server) body(next bodyHandler) http.HandlerFunc {
	return withWriter(func(w *writer, r *http.Request) {
		done, short := s.requests.take(callerIn(r.Context()), 1)
		if short != enough {
			busy(w, shortages[short].status, shortages[short].why)
			return
		}
		defer done()
		body, back, ok := s.readBody(w, r)
		defer back()
		if ok {
			length := len(body)
			next(w, r, body)
			s.trimmer.Served(length)
		}
	})
}

// asClient binds a request to a client: tools find the client in its context, and it ends when the client leaves. It also
// ends, with the cause gone, when its connection closes.
func asClient(r *http.Request, c *tool.Client, gone error) (bound *http.Request, end func()) {
	connection := r.Context()
	ctx, cancel := context.WithCancelCause(tool.WithClient(context.WithoutCancel(connection), c))
	stopGone := context.AfterFunc(connection, func() { cancel(gone) })
	stopStay := context.AfterFunc(c.Stay(), func() { cancel(context.Cause(c.Stay())) })
	return r.WithContext(ctx), func() {
		stopGone()
		stopStay()
		cancel(nil)
	}
}

// endClient ends a client's work after the client was removed from its table.
func (s *Server) endClient(c *tool.Client) {
	ctx, stop := context.WithTimeout(context.Background(), endTime)
	defer stop()
	if err := c.Leave(ctx); err != nil {
		s.log.Warn("a client left, but its work could not be ended cleanly", "error", err)
	}
}

// Serve serves the connections of l until ctx ends. Then it cancels calls, closes streams and l, and returns when all
// connections are closed. The clients' documents and kernels are left to the session.Manager.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return Connections(ctx, l, s.cfg, s, s.Run)
}

// Connections serves the connections of l with a handler until ctx ends, within the limits of cfg, and with its certificate.
// run runs alongside; when its context ends, it must return and end the handler's requests.
func Connections(ctx context.Context, l net.Listener, cfg Config, h http.Handler, run func(context.Context)) error {
	lim := cfg.Limits.withDefaults()
	log := cfg.Logger
	var requests sync.WaitGroup
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			defer requests.Done()
			h.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: lim.HeaderTime,
		IdleTimeout:       lim.IdleTime,
		MaxHeaderBytes:    lim.Header,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug), // about clients' mistakes
	}
	l = newLimitListener(l, lim.Connections)
	end := func() error { return srv.Serve(l) }
	if cfg.CertFile != "" {
		cert, err := tls.LoadX509KeyPair(cfg.CertFile, cfg.KeyFile)
		if err != nil {
			l.Close()
			return fmt.Errorf("read the TLS certificate %s and its key %s: %w", cfg.CertFile, cfg.KeyFile, err)
		}
		srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
		end = func() error { return srv.ServeTLS(l, "", "") }
	}
	running, stopRunning := context.WithCancel(ctx)
	defer stopRunning()
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		run(running)
	}()
	served := make(chan error, 1)
	go func() { served <- end() }()
	var err error
	select {
	case err = <-served:
		err = fmt.Errorf("serve HTTP at %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	stopRunning()
	drain, stop := context.WithTimeout(context.WithoutCancel(ctx), lim.DrainTime)
	defer stop()
	if down := srv.Shutdown(drain); down != nil {
		log.Warn("some requests did not end in time")
		err = errors.Join(err, srv.Close())
	}
	if ctx.Err() != nil {
		if last := <-served; !errors.Is(last, http.ErrServerClosed) {
			err = errors.Join(err, last)
		}
	}
	<-ran
	// Shutdown does not wait for connections that have become WebSockets; Run has ended those.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		requests.Wait()
	}()
	select {
	case <-ended:
	case <-drain.Done():
	}
	return err
}

// Run does a server's background work until ctx ends: it ends silent sessions. Then it cancels the calls and streams of all
// clients, and ends their WebSocket connections. [Server.Serve] calls it; a program that serves the requests with another
// http.Server calls it alongside.
func (s *Server) Run(ctx context.Context) {
	s.sessions.sweep(ctx, s.cfg.ClientTimeout, s.expire)
	s.cancel()
	s.sessions.cancelAll()
	s.principals.cancelAll()
	drain := time.NewTimer(s.cfg.Limits.DrainTime)
	defer drain.Stop()
	select {
	case <-s.sockets.close():
	case <-drain.C:
		s.log.Warn("some WebSocket connections did not end in time")
	}
	s.trimmer.Close()
}

// prefix returns the path at which a proxy serves this server, from its header, or "".
func prefix(r *http.Request) string {
	p := cmp.Or(r.Header.Get("X-Forwarded-Prefix"), r.Header.Get("X-Forwarded-Context")) // jupyter-server-proxy's header
	p = strings.TrimSuffix(p, "/")
	if !strings.HasPrefix(p, "/") || strings.Contains(p, "//") || strings.ContainsAny(p, "\\\r\n\t ?#") {
		return ""
	}
	return p
}
