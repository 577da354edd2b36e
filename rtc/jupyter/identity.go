package jupyter

import (
	"context"
	"time"
)

// Identity is who the server takes the token's holder for.
type Identity struct {
	Username    string  `json:"username"`
	Name        string  `json:"name"`
	DisplayName string  `json:"display_name"`
	Initials    string  `json:"initials"`
	AvatarURL   *string `json:"avatar_url"`
	Color       *string `json:"color"`
}

// Me asks who the server takes this client for. With a token of the server's own it is an anonymous user, the same one
// for the life of s; on a JupyterHub it is the hub's user.
func (s *Server) Me(ctx context.Context) (Identity, error) {
	var out struct {
		Identity Identity `json:"identity"`
	}
	err := s.do(ctx, call{op: "ask for the identity at", about: s.BaseURL(), path: "/api/me"}, &out)
	return out.Identity, err
}

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
