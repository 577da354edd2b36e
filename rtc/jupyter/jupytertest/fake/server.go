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

// Version is the version of Jupyter Server that is imitated.
const Version = "2.21.1"

// Config says what server it is.
type Config struct {
	// Root is the folder that is served.
	Root string
	// Token is asked of every request; empty asks for none, unless there is a password.
	Token string
	// Password is taken by the login page, as the token is.
	Password string
	// BaseURL is the path that the server is under, with slashes at both ends; empty is "/".
	BaseURL string
	// DisableRTC tells people's tabs to stay out of the rooms, in the page of JupyterLab.
	DisableRTC bool
	// NoCollaboration leaves jupyter-collaboration out.
	NoCollaboration bool
	// Chat has jupyterlab-chat keep the rooms of chats.
	Chat bool
	// SaveDelay is how long after the last change a document is saved, 1 s if it is 0, never if it is below.
	SaveDelay time.Duration
	// CleanupDelay is how long a room is kept when nobody is in it, 60 s if it is 0, for good if it is below.
	CleanupDelay time.Duration
	// PollInterval is how often a room looks at its file, 1 s if it is 0.
	PollInterval time.Duration
	// Store keeps what outlives the rooms, and the server; nil is one of its own.
	Store *rooms.Store
	// Kernels says how kernels behave.
	Kernels kernels.Config
}

// Server is a Jupyter server. It is an [http.Handler].
type Server struct {
	*Faults
	// Rooms are the server's rooms, which have faults of their own.
	Rooms *rooms.Table
	// Logins are those who were let in by the password.
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

// Close ends the server's kernels and rooms, and every connection, without a word on them.
func (s *Server) Close() {
	s.Hang(false)
	s.bus.close()
	s.Rooms.Close()
	s.kernels.Close()
}

// base is the path that the server is under, without a slash at its end.
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
	// The paths of files and the ids of rooms are taken as they were written.
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
	given := r.URL.Query().Get("token") // it wins
	if given == "" {
		kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if strings.EqualFold(kind, "token") || strings.EqualFold(kind, "bearer") {
			given = strings.TrimSpace(token)
		}
	}
	return given != "" && given == s.cfg.Token
}

// users are those whom the server has met, by their cookie.
type users struct {
	mu    sync.Mutex
	known map[string]string
}

// me tells who asks: somebody new, where no cookie says who it is.
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

// newID is a random UUID.
func newID() string {
	h := randomHex(16)
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", h[:8], h[8:12], h[13:16], h[17:20], h[20:])
}
