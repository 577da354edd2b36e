package jupyter

import "context"

// Username is who the server takes this client for.
func (s *Server) Username(ctx context.Context) (string, error) {
	var out struct {
		Identity struct {
			Username string `json:"username"`
		} `json:"identity"`
	}
	err := s.do(ctx, call{op: "ask for the identity at", about: s.BaseURL(), path: "/api/me"}, &out)
	return out.Identity.Username, err
}
