package fake

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/kernels"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/rooms"
)

// Version is the imitated version of Jupyter Server.
const Version = "2.21.1"

// Config configures a server.
type Config struct {
	// Root is the served folder.
	Root string
	// Token is required of every request; empty requires none, unless there is a password.
	Token string
	// Password is accepted by the login page, as is the token.
	Password string
	// BaseURL is the server's base path, with slashes at both ends; empty means "/".
	BaseURL string
	// DisableRTC sets disableRTC in JupyterLab's page, which keeps people's tabs out of the rooms.
	DisableRTC bool
	// NoCollaboration omits jupyter-collaboration.
	NoCollaboration bool
	// Chat makes chat files chats, as jupyterlab-chat does.
	Chat bool
	// SaveDelay is the time from the last change of a document to its save; 0 means 1 s, negative never.
	SaveDelay time.Duration
	// CleanupDelay is how long a room without clients is kept; 0 means 60 s, negative forever.
	CleanupDelay time.Duration
	// PollInterval is the interval of a room's checks of its file; 0 means 1 s.
	PollInterval time.Duration
	// Store holds the state that outlives the rooms and the server; nil makes a new one.
	Store *rooms.Store
	// Kernels configures the kernels.
	Kernels kernels.Config
}

// Server is a Jupyter server. It is an [http.Handler].
type Server struct {
	*Faults
	// Rooms are the server's rooms, which have their own faults.
	Rooms *rooms.Table
	// Logins are the password logins.
	Logins *Logins

	cfg     Config
	started atomic.Pointer[time.Time]
	mux     *http.ServeMux
	files   *files
	ids     *fileIDs
	users   users
	bus     bus

	identity identity
	kernels  *kernels.Table
	sessions sessions
}

// New makes a server.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, mux: http.NewServeMux(), ids: newFileIDs()}
	now := time.Now()
	s.started.Store(&now)
	store := cfg.Store
	if store == nil {
		store = &rooms.Store{}
	}
	s.files = &files{root: cfg.Root, notary: store.Notary()}
	s.Faults = &Faults{server: s}
	s.Logins = &Logins{base: s.base()}
	for _, secret := range []string{cfg.Token, cfg.Password} {
		if secret != "" {
			s.Logins.passwords = append(s.Logins.passwords, secret)
		}
	}
	s.identity.renew(false)
	s.Rooms = rooms.New(rooms.Config{
		Files: roomFiles{s}, SessionOK: s.identity.knows, Emit: s.bus.emit, Store: store,
		SaveDelay: cfg.SaveDelay, CleanupDelay: cfg.CleanupDelay, PollInterval: cfg.PollInterval, Chat: cfg.Chat,
	})
	cfg.Kernels.Root = cfg.Root
	s.kernels = kernels.New(cfg.Kernels)
	s.routes()
	return s
}

// Close ends the server's kernels and rooms, and cuts every connection.
func (s *Server) Close() {
	s.Hang(false)
	s.bus.close()
	s.Rooms.Close()
	s.kernels.Close()
}

// base returns the server's base path, without a trailing slash.
func (s *Server) base() string { return strings.TrimRight(s.cfg.BaseURL, "/") }

// Kill ends a kernel's process as SIGKILL does, and reports whether there is one with that id.
func (s *Server) Kill(pid int) bool { return s.kernels.Kill(pid) }

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.intercept(w, r) {
		return
	}
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), s.base())
	if !ok || !strings.HasPrefix(path, "/") {
		page(w, http.StatusNotFound)
		return
	}
	if path == "/login" {
		s.Logins.serve(w, r)
		return
	}
	if path != "/api" && !s.authorized(r) {
		s.Logins.remove(w, r)
		switch {
		case r.Header.Get("Upgrade") != "":
			page(w, http.StatusForbidden)
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			refuse(w, http.StatusForbidden, "Forbidden")
		default:
			refuse(w, http.StatusForbidden, "'_xsrf' argument missing from POST")
		}
		return
	}
	// The paths of files and the ids of rooms are used without unescaping.
	for prefix, serve := range map[string]func(http.ResponseWriter, *http.Request, string){
		"/api/contents":               s.contents,
		"/api/collaboration/session/": s.collaborationSession,
		"/api/collaboration/room/":    s.room,
		"/api/collaboration/fork/":    s.fork,
	} {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			if strings.HasPrefix(prefix, "/api/collaboration/") && s.cfg.NoCollaboration {
				break
			}
			serve(w, r, rest)
			return
		}
	}
	r2 := r.Clone(r.Context())
	r2.URL.Path, r2.URL.RawPath = path, ""
	if p, err := url.PathUnescape(path); err == nil {
		r2.URL.Path = p
	}
	s.mux.ServeHTTP(w, r2)
}

func (s *Server) routes() {
	handle := func(pattern string, f http.HandlerFunc) { s.mux.HandleFunc(pattern, f) }
	handle("/", func(w http.ResponseWriter, _ *http.Request) { page(w, http.StatusNotFound) })
	handle("GET /api", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{"version": Version})
	})
	handle("GET /api/status", s.status)
	if s.cfg.DisableRTC {
		handle("GET /lab", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=UTF-8")
			_, _ = io.WriteString(w, "<!doctype html><html><head><script id=\"jupyter-config-data\" type=\"application/json\">{\"baseUrl\": \"/\", \"disableRTC\": true}</script></head></html>\n")
		})
	}
	handle("GET /api/me", s.me)
	handle("GET /api/events/subscribe", s.events)
	if !s.cfg.NoCollaboration {
		handle("GET /api/fileid/id", s.fileID)
		handle("GET /api/fileid/path", s.filePath)
	}
	s.kernelRoutes(handle)
}

func (s *Server) authorized(r *http.Request) bool {
	if len(s.Logins.passwords) == 0 || s.Logins.has(r) {
		return true
	}
	given := r.URL.Query().Get("token") // it takes precedence
	if given == "" {
		kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if strings.EqualFold(kind, "token") || strings.EqualFold(kind, "bearer") {
			given = strings.TrimSpace(token)
		}
	}
	return given != "" && given == s.cfg.Token
}

// users are the known users, by cookie.
type users struct {
	mu    sync.Mutex
	known map[string]string
}

// me returns the user of a request, a new one without a known cookie.
func (s *Server) me(w http.ResponseWriter, r *http.Request) {
	const cookie = "username-fake"
	s.users.mu.Lock()
	if s.users.known == nil {
		s.users.known = make(map[string]string)
	}
	name := ""
	if c, err := r.Cookie(cookie); err == nil {
		name = s.users.known[c.Value]
	}
	if name == "" {
		name = randomHex(16)
		key := randomHex(16)
		s.users.known[key] = name
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: key, Path: "/", HttpOnly: true})
	}
	s.users.mu.Unlock()
	answer(w, http.StatusOK, map[string]any{
		"identity": map[string]any{
			"username": name, "name": "Anonymous Leda", "display_name": "Anonymous Leda", "initials": "AL",
			"avatar_url": nil, "color": nil,
		},
		"permissions": map[string]any{},
	})
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// newID returns a random UUID.
func newID() string {
	h := randomHex(16)
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", h[:8], h[8:12], h[13:16], h[17:20], h[20:])
}
