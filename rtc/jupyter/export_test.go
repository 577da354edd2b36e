package jupyter

import (
	"context"

	"github.com/gorilla/websocket"
)

// Username returns the server's user name for this client.
func (s *Server) Username(ctx context.Context) (string, error) {
	var out struct {
		Identity struct {
			Username string `json:"username"`
		} `json:"identity"`
	}
	err := s.do(ctx, call{op: "ask for the identity at", about: s.BaseURL(), path: "/api/me"}, &out)
	return out.Identity.Username, err
}

// DialEvents opens the websocket of a server's events, which needs no kernel and no room.
func (s *Client) DialEvents(ctx context.Context) (*websocket.Conn, error) {
	return s.dial(ctx, "hear the events of", s.BaseURL(), eventsPath, nil, defaultTimeout)
}
