package jupyter

import (
	"context"
	"time"
)

// Status is the server's own account of itself.
type Status struct {
	Started      time.Time `json:"started"`
	LastActivity time.Time `json:"last_activity"`
	Connections  int       `json:"connections"`
	Kernels      int       `json:"kernels"`
}

// Status asks for the server's status; it needs a valid token, so it shows that address and token are right.
func (s *Server) Status(ctx context.Context) (Status, error) {
	var out Status
	err := s.do(ctx, call{op: "ask for the status of", about: s.BaseURL(), path: "/api/status"}, &out)
	return out, err
}

// Version asks for Jupyter Server's version; it needs no token.
func (s *Server) Version(ctx context.Context) (string, error) {
	var out struct {
		Version string `json:"version"`
	}
	err := s.do(ctx, call{op: "ask for the version of", about: s.BaseURL(), path: "/api"}, &out)
	return out.Version, err
}
