package fake

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/rooms"
)

// identity holds the session ids by which clients recognise a run of the server.
type identity struct {
	mu       sync.Mutex
	now      string
	accepted []string // includes earlier runs
}

// current returns the session id for clients.
func (i *identity) current() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.now
}

// renew makes a new session id, as a restart does. Clients with the old one are accepted if keep is set.
func (i *identity) renew(keep bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.now = newID()
	if !keep {
		i.accepted = nil
	}
	i.accepted = append(i.accepted, i.now)
}

func (i *identity) knows(session string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Contains(i.accepted, session)
}

// collaborationSession assigns a file id to a path. It checks neither that the file exists nor its content.
func (s *Server) collaborationSession(w http.ResponseWriter, r *http.Request, rest string) {
	if r.Method != http.MethodPut {
		refuse(w, http.StatusMethodNotAllowed, "Method Not Allowed")
		return
	}
	p, err := url.PathUnescape(rest)
	var in struct{ Format, Type *string }
	if err != nil || json.NewDecoder(r.Body).Decode(&in) != nil || in.Format == nil || in.Type == nil {
		unhandled(w)
		return
	}
	id, made := s.ids.index(p)
	status := http.StatusOK
	if made {
		status = http.StatusCreated
	}
	answer(w, status, map[string]any{"format": *in.Format, "type": *in.Type, "fileId": id, "sessionId": s.identity.current()})
}

// room serves the websocket of a room; the id is used without unescaping.
func (s *Server) room(w http.ResponseWriter, r *http.Request, rest string) {
	if strings.Contains(rest, "/") {
		rest = rest[strings.LastIndexByte(rest, '/')+1:]
	}
	s.Rooms.ServeRoom(w, r, rest, r.URL.Query().Get("sessionId"))
}

// fork refuses to fork a room: it answers 404 for a room that is not in memory, and rejects the request for any
// other. It never forks one.
func (s *Server) fork(w http.ResponseWriter, r *http.Request, rest string) {
	if r.Method != http.MethodPut {
		refuse(w, http.StatusMethodNotAllowed, "Method Not Allowed")
		return
	}
	if id, err := url.PathUnescape(rest); err != nil || !s.Rooms.Open(id) {
		answer(w, http.StatusNotFound, map[string]any{"code": http.StatusNotFound, "error": "Root room not found"})
		return
	}
	unhandled(w)
}

// roomFiles adapts the server's files to the rooms.
type roomFiles struct{ server *Server }

// Path implements [rooms.Files].
func (f roomFiles) Path(id string) (string, bool) { return f.server.ids.path(id) }

// Load implements [rooms.Files].
func (f roomFiles) Load(p, format, typ string) ([]byte, rooms.Info, error) {
	ask := query{content: true, typ: "file", format: format}
	if typ == "notebook" {
		ask.typ, ask.format = "notebook", ""
	}
	if _, err := f.server.files.get(p, ask); err != nil {
		return nil, rooms.Info{}, roomError(err)
	}
	full, err := f.server.files.place(p)
	if err != nil {
		return nil, rooms.Info{}, roomError(err)
	}
	b, err := os.ReadFile(full)
	if err != nil {
		return nil, rooms.Info{}, roomError(unreadable(p, err))
	}
	info, err := f.Stat(p)
	return b, info, err
}

// Store implements [rooms.Files].
func (f roomFiles) Store(p string, content []byte) (rooms.Info, error) {
	full, err := f.server.files.place(p)
	if err == nil {
		err = wrote(p, put(full, content))
	}
	if err != nil {
		return rooms.Info{}, roomError(err)
	}
	return f.Stat(p)
}

// Stat implements [rooms.Files].
func (f roomFiles) Stat(p string) (rooms.Info, error) {
	m, err := f.server.files.get(p, query{typ: "file", hash: true})
	if err != nil {
		return rooms.Info{}, roomError(err)
	}
	full, err := f.server.files.place(p)
	if err != nil {
		return rooms.Info{}, roomError(err)
	}
	info, err := os.Stat(full)
	if err != nil {
		return rooms.Info{}, roomError(failed(http.StatusNotFound, "%v", err))
	}
	return rooms.Info{Modified: info.ModTime(), Writable: m.Writable, Hash: *m.Hash}, nil
}

func roomError(err error) error {
	var e *httpError
	if errors.As(err, &e) {
		return &rooms.HTTPError{Status: e.status}
	}
	return err
}
