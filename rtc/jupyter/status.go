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

// Answered notes a sign of life of the server.
func (s *Server) Answered() { s.absence.answered() }

// Silent notes that a caller has waited for an answer of the server since then, in vain: it is known to be away.
func (s *Server) Silent(since time.Time) { s.absence.silent(since, true, s.timeout) }

// Away reports whether the server is known to be away, and since when.
func (s *Server) Away() (since time.Time, away bool) { return s.absence.known() }

// Back is closed when the server answers after it did not.
func (s *Server) Back() <-chan struct{} { return s.absence.returns() }

// StillAway is since when the server is away, and why it seems to be; nil if it is not. If it is known to be, it is asked
// once more, for less than a second. Those who want to know that at the same time ask once.
func (s *Server) StillAway(ctx context.Context) (since time.Time, why error) {
	return s.absence.still(ctx, func(ctx context.Context) error {
		_, err := s.Status(ctx)
		return err
	})
}
