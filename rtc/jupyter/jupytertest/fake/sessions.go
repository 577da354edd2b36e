package fake

import (
	"context"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/kernels"
)

// session connects a path to a kernel.
type session struct {
	id, path, name, typ, kernel string
}

// sessions are the server's sessions, oldest first.
type sessions struct {
	mu  sync.Mutex
	all []*session
}

// find returns a copy of the session for which f returns true.
func (t *sessions) find(f func(*session) bool) (session, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.all {
		if f(s) {
			return *s, true
		}
	}
	return session{}, false
}

// wantedSession is a client's request for a session.
type wantedSession struct {
	Path   *string `json:"path"`
	Name   *string `json:"name"`
	Type   *string `json:"type"`
	Kernel *struct {
		ID   *string `json:"id"`
		Name *string `json:"name"`
	} `json:"kernel"`
}

func (s *Server) sessionModel(x session) (map[string]any, bool) {
	k, err := s.kernels.Get(x.kernel)
	if err != nil {
		return nil, false
	}
	m := map[string]any{"id": x.id, "path": x.path, "name": x.name, "type": x.typ, "kernel": k}
	if x.typ == "notebook" {
		m["notebook"] = map[string]any{"path": x.path, "name": x.name}
	}
	return m, true
}

// dropDead removes the sessions whose kernel has ended.
func (s *Server) dropDead() {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	kept := s.sessions.all[:0]
	for _, x := range s.sessions.all {
		if _, err := s.kernels.Get(x.kernel); err == nil {
			kept = append(kept, x)
		}
	}
	clear(s.sessions.all[len(kept):])
	s.sessions.all = kept
}

func (s *Server) listSessions(w http.ResponseWriter, _ *http.Request) {
	s.dropDead()
	s.sessions.mu.Lock()
	var all []session
	for _, x := range s.sessions.all {
		all = append(all, *x)
	}
	s.sessions.mu.Unlock()
	list := []any{}
	for _, x := range all {
		if m, ok := s.sessionModel(x); ok {
			list = append(list, m)
		}
	}
	answer(w, http.StatusOK, list)
}

func (s *Server) createSession(w http.ResponseWriter, r *http.Request) {
	var in wantedSession
	if err := body(r, &in); err != nil {
		fail(w, err)
		return
	}
	switch {
	case in.Path == nil:
		refuse(w, http.StatusBadRequest, "Missing field in JSON data: path")
		return
	case in.Type == nil:
		refuse(w, http.StatusBadRequest, "Missing field in JSON data: type")
		return
	}
	s.dropDead()
	x, there := s.sessions.find(func(x *session) bool { return x.path == *in.Path })
	if !there {
		x = session{id: newID(), path: *in.Path, typ: *in.Type}
		if in.Name != nil {
			x.name = *in.Name
		}
		var name string
		if in.Kernel != nil && in.Kernel.Name != nil {
			name = *in.Kernel.Name
		}
		if in.Kernel != nil && in.Kernel.ID != nil && *in.Kernel.ID != "" {
			x.kernel = *in.Kernel.ID
		} else if !s.startFor(r.Context(), w, &x, name) {
			return
		}
		s.sessions.mu.Lock()
		s.sessions.all = append(s.sessions.all, &x)
		s.sessions.mu.Unlock()
	}
	m, ok := s.sessionModel(x)
	if !ok {
		refuse(w, http.StatusInternalServerError, "Kernel does not exist: "+x.kernel)
		return
	}
	w.Header().Set("Location", s.base()+"/api/sessions/"+x.id)
	answer(w, http.StatusCreated, m)
}

// startFor starts a session's kernel in the folder of its file. If it returns false, it has answered the request.
func (s *Server) startFor(ctx context.Context, w http.ResponseWriter, x *session, name string) bool {
	k, err := s.startKernel(ctx, name, path.Dir("/"+x.path))
	if err != nil {
		answer(w, http.StatusNotImplemented, map[string]any{
			"message":       "The '" + name + "' kernel is not available. Please pick another suitable kernel instead, or install that kernel.",
			"short_message": name + " not found",
		})
		return false
	}
	x.kernel = k.ID
	return true
}

// isUUID reports whether an id has the form that the server's routes require.
func isUUID(id string) bool {
	return len(id) == 36 && strings.Count(id, "-") == 4
}

func (s *Server) oneSession(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	s.dropDead()
	x, ok := s.sessions.find(func(x *session) bool { return x.id == id })
	if !ok {
		if !isUUID(id) {
			page(w, http.StatusNotFound)
			return
		}
		refuse(w, http.StatusNotFound, "Session not found: session_id="+repr(id))
		return
	}
	switch r.Method {
	case http.MethodPatch:
		if !s.patchSession(w, r, &x) {
			return
		}
	case http.MethodDelete:
		s.sessions.mu.Lock()
		for i, y := range s.sessions.all {
			if y.id == id {
				s.sessions.all = append(s.sessions.all[:i], s.sessions.all[i+1:]...)
				break
			}
		}
		s.sessions.mu.Unlock()
		_ = s.kernels.Shutdown(r.Context(), x.kernel) // it may be gone
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if m, ok := s.sessionModel(x); ok {
		answer(w, http.StatusOK, m)
		return
	}
	refuse(w, http.StatusNotFound, "Kernel does not exist: "+x.kernel)
}

// patchSession changes a session as requested. If it returns false, it has answered the request.
func (s *Server) patchSession(w http.ResponseWriter, r *http.Request, x *session) bool {
	var in wantedSession
	if err := body(r, &in); err != nil {
		fail(w, err)
		return false
	}
	was := x.kernel
	for to, value := range map[*string]*string{&x.path: in.Path, &x.name: in.Name, &x.typ: in.Type} {
		if value != nil {
			*to = *value
		}
	}
	switch k := in.Kernel; {
	case k != nil && k.ID != nil:
		if _, err := s.kernels.Get(*k.ID); err != nil {
			refuse(w, http.StatusBadRequest, "No such kernel: "+*k.ID)
			return false
		}
		x.kernel = *k.ID
	case k != nil && k.Name != nil:
		started, err := s.startKernel(r.Context(), *k.Name, path.Dir("/"+x.path))
		if err != nil {
			answer(w, http.StatusNotImplemented, map[string]any{
				"message":       "The '" + *k.Name + "' kernel could not be started: " + repr(err.Error()),
				"short_message": "Error starting kernel " + *k.Name,
			})
			return false
		}
		x.kernel = started.ID
	}
	s.sessions.mu.Lock()
	for _, y := range s.sessions.all {
		if y.id == x.id {
			*y = *x
		}
	}
	s.sessions.mu.Unlock()
	if x.kernel != was {
		_ = s.kernels.Shutdown(r.Context(), was) // it may be gone
	}
	return true
}

// startKernel starts a kernel in a folder of the root, or in the nearest existing one above it.
func (s *Server) startKernel(ctx context.Context, name, folder string) (kernels.Model, error) {
	full, err := s.files.nearest(folder)
	if err != nil {
		return kernels.Model{}, err
	}
	return s.kernels.Start(ctx, name, full)
}
