// Package hubtest is a JupyterHub for tests, as a client with a user's token sees it: its answers have the statuses,
// headers and bodies of JupyterHub 6.1.
package hubtest

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Prefix is the path of the hub and its servers.
const Prefix = "/pre"

// A Hub has one user, ann, with one server. Make it with [New].
type Hub struct {
	// Server handles the requests that the hub's proxy passes to ann's server while it runs.
	Server http.Handler
	// Seen, if set before the first request, is called with each request.
	Seen func(*http.Request)
	http *httptest.Server

	mu     sync.Mutex
	tokens map[string]holder
	state  string // "", "spawn", "stop" (pending) or "ready"
	next   string // the state after the next request about a pending one
	fails  bool
	starts int
	asked  int
}

type holder struct {
	name   string
	scopes []string
}

// New starts a hub whose server does not run. Close ends it.
func New(server http.Handler) *Hub {
	h := &Hub{Server: server, tokens: map[string]holder{}}
	h.http = httptest.NewServer(h)
	return h
}

// NewOn is [New] with a given listener, such as one in memory. Close closes it.
func NewOn(l net.Listener, server http.Handler) *Hub {
	h := &Hub{Server: server, tokens: map[string]holder{}}
	h.http = &httptest.Server{Listener: l, Config: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}}
	h.http.Start()
	return h
}

// Close ends the hub.
func (h *Hub) Close() { h.http.Close() }

// URL returns the address of ann's server.
func (h *Hub) URL() string { return h.http.URL + Prefix + "/user/ann/" }

// Hub returns the hub's own address.
func (h *Hub) Hub() string { return h.http.URL + Prefix + "/hub" }

// Allow makes a token for a user, with scopes.
func (h *Hub) Allow(token, user string, scopes ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tokens[token] = holder{user, append(scopes, "read:users:name!user="+user)}
}

// Revoke revokes a token.
func (h *Hub) Revoke(token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.tokens, token)
}

// Set sets the server's state: "" (it does not run), "ready", or "spawn" or "stop", which change to next after a
// request about the state.
func (h *Hub) Set(state, next string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state, h.next = state, next
}

// Fail makes all further starts fail.
func (h *Hub) Fail() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fails = true
}

// Counts returns how often the server was started, and how many requests the hub's API got.
func (h *Hub) Counts() (starts, asked int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.starts, h.asked
}

// ServeHTTP is the hub's proxy.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.Seen != nil {
		h.Seen(r)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	who, known := h.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "token ")]
	w.Header().Set("X-JupyterHub-Version", "6.1.1")
	if rest, api := strings.CutPrefix(r.URL.Path, Prefix+"/hub/api"); api {
		h.asked++
		h.api(w, r, rest, who, known)
		return
	}
	access := who.may("access:servers")
	switch {
	case h.state == "ready" && !access && r.URL.Path != Prefix+"/user/ann/api": // needs no token
		say(w, http.StatusForbidden, map[string]any{"message": "Forbidden", "reason": nil})
	case h.state == "ready":
		h.Server.ServeHTTP(w, r)
	case r.Method != http.MethodGet:
		page(w, http.StatusForbidden, "'_xsrf' argument missing from "+r.Method)
	case strings.HasPrefix(r.URL.Path, Prefix+"/user/"):
		http.Redirect(w, r, Prefix+"/hub"+strings.TrimPrefix(r.URL.Path, Prefix), http.StatusFound)
	case !known:
		say(w, http.StatusForbidden, map[string]any{"message": "Missing or invalid credentials."})
	case !access:
		page(w, http.StatusNotFound, "No access to resources or resources not found")
	default:
		say(w, http.StatusFailedDependency, map[string]any{"message": "JupyterHub server no longer running at " + r.URL.Path + ". Restart the server at …"})
	}
}

func (h *Hub) api(w http.ResponseWriter, r *http.Request, path string, who holder, known bool) {
	noScope := func(scope string) {
		say(w, http.StatusForbidden, map[string]any{"status": 403, "message": "Action is not authorized with current scopes; requires any of [" + scope + "]"})
	}
	switch {
	case !known:
		say(w, http.StatusForbidden, map[string]any{"status": 403, "message": "Forbidden"})
	case path == "/user":
		say(w, http.StatusOK, map[string]any{"name": who.name, "kind": "user", "scopes": who.scopes})
	case path == "/users/ann":
		user := map[string]any{"name": "ann", "kind": "user"}
		if who.may("read:servers") {
			servers := map[string]any{}
			if h.state != "" {
				one := map[string]any{"ready": h.state == "ready", "pending": nil}
				if h.state != "ready" {
					one["pending"] = h.state
					h.state = h.next
				}
				servers[""] = one
			}
			user["servers"] = servers
		}
		say(w, http.StatusOK, user)
	case path == "/users/ann/server" && r.Method == http.MethodPost:
		switch {
		case !who.may("start:servers"):
			noScope("start:servers")
		case h.state != "":
			say(w, http.StatusBadRequest, map[string]any{"status": 400, "message": "ann is pending " + h.state})
		default:
			h.starts++
			h.state, h.next = "spawn", "ready"
			w.WriteHeader(http.StatusAccepted)
		}
	case path == "/users/ann/server/progress":
		if !who.may("read:servers") {
			noScope("read:servers")
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, "data: {\"progress\": 0, \"message\": \"Server requested\"}\n\ndata: {\"progress\": 50, \"message\": \"Spawning server...\"}\n\n")
		switch {
		case h.state == "spawn" && h.next == "ready" && !h.fails:
			h.state = "ready"
			_, _ = fmt.Fprint(w, "data: {\"progress\": 100, \"ready\": true, \"message\": \"Server ready at /pre/user/ann/\"}\n\n")
		case h.fails:
			h.state = ""
			_, _ = fmt.Fprint(w, "data: {\"progress\": 100, \"failed\": true, \"message\": \"Spawn failed: no room\"}\n\n")
		}
	default:
		say(w, http.StatusNotFound, map[string]any{"status": 404, "message": "Not Found"})
	}
}

func (who holder) may(scope string) bool {
	for _, s := range who.scopes {
		if s == scope || s == scope+"!user=ann" || s == scope+"!server=ann/" {
			return true
		}
	}
	return false
}

func say(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	b, err := json.Marshal(body)
	if err != nil {
		panic(err) // a bug in this package
	}
	_, _ = w.Write(b)
}

func page(w http.ResponseWriter, status int, what string) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<!DOCTYPE HTML><html><h1>%d : %s</h1></html>", status, what)
}
