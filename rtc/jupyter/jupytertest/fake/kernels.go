package fake

import (
	"net/http"
	"time"
)

func (s *Server) kernelRoutes(handle func(string, http.HandlerFunc)) {
	handle("GET /api/sessions", s.listSessions)
	handle("POST /api/sessions", s.createSession)
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		handle(method+" /api/sessions/{id}", s.oneSession)
	}
	handle("GET /api/kernelspecs", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.kernels.Specs()) })
	handle("GET /api/kernels", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.kernels.List()) })
	handle("POST /api/kernels", s.postKernel)
	handle("GET /api/kernels/{id}", func(w http.ResponseWriter, r *http.Request) { s.kernelAnswer(w, r.PathValue("id")) })
	handle("DELETE /api/kernels/{id}", func(w http.ResponseWriter, r *http.Request) {
		if s.kernels.Shutdown(r.Context(), r.PathValue("id")) != nil {
			noKernel(w, r.PathValue("id"))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	handle("POST /api/kernels/{id}/interrupt", func(w http.ResponseWriter, r *http.Request) {
		if s.kernels.Interrupt(r.PathValue("id")) != nil {
			noKernel(w, r.PathValue("id"))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	handle("POST /api/kernels/{id}/restart", func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.kernels.Restart(r.Context(), r.PathValue("id")); err != nil {
			refuse(w, http.StatusInternalServerError, "Exception restarting kernel")
			return
		}
		s.kernelAnswer(w, r.PathValue("id"))
	})
	handle("GET /api/kernels/{id}/channels", func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.kernels.Get(r.PathValue("id")); err != nil {
			page(w, http.StatusNotFound)
			return
		}
		s.kernels.ServeChannels(w, r, r.PathValue("id"))
	})
}

func (s *Server) kernelAnswer(w http.ResponseWriter, id string) {
	k, err := s.kernels.Get(id)
	if err != nil {
		noKernel(w, id)
		return
	}
	answer(w, http.StatusOK, k)
}

func noKernel(w http.ResponseWriter, id string) {
	refuse(w, http.StatusNotFound, "Kernel does not exist: "+id)
}

// postKernel starts a kernel; its path is a folder, or a file in one.
func (s *Server) postKernel(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name string `json:"name"`
		Path string `json:"path"`
	}
	if err := body(r, &in); err != nil {
		fail(w, err)
		return
	}
	k, err := s.startKernel(r.Context(), in.Name, in.Path)
	if err != nil {
		unhandled(w)
		return
	}
	w.Header().Set("Location", s.base()+"/api/kernels/"+k.ID)
	answer(w, http.StatusCreated, k)
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	connections := 0
	list := s.kernels.List()
	for _, k := range list {
		connections += k.Connections
	}
	answer(w, http.StatusOK, map[string]any{
		"started": date(*s.started.Load()), "last_activity": date(time.Now()), "connections": connections, "kernels": len(list),
	})
}
