package hubs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/ystore"
)

// Token is a user's token for the hub and its servers.
type Token struct {
	// ID names the token in output that must not show Secret.
	ID     string `json:"id"`
	Secret string `json:"token"`
}

// Call calls the hub's API as a service that may do everything. The path is below /hub/api. It encodes send as JSON
// unless it is nil, and decodes the answer into out unless that is nil. A status outside 2xx is an error.
func (h *Hub) Call(ctx context.Context, method, path string, send, out any) error {
	return h.CallAs(ctx, Token{Secret: h.secret}, method, path, send, out)
}

// CallAs calls the API with a token.
func (h *Hub) CallAs(ctx context.Context, as Token, method, path string, send, out any) error {
	text, err := json.Marshal(send)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if send == nil {
		text = nil
	}
	req, err := http.NewRequestWithContext(ctx, method, h.URL+"/hub/api"+path, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.Header.Set("Authorization", "token "+as.Secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: status %d: %s", method, path, res.StatusCode, body)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%s %s: %w: %.300s", method, path, err, body)
	}
	return nil
}

// of returns a user's path in the API, or a path below it.
func of(user string, below ...string) string {
	return "/users/" + url.PathEscape(user) + strings.Join(below, "")
}

// AddUsers makes users, each with a home.
func (h *Hub) AddUsers(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := h.Call(ctx, http.MethodPost, of(name), nil, nil); err != nil {
			return err
		}
		home := h.Home(name)
		if err := os.MkdirAll(home, 0o700); err != nil {
			return fmt.Errorf("make a user's home: %w", err)
		}
		if err := ystore.Prepare(h.dirs.serving, home); err != nil {
			return err
		}
	}
	return nil
}

// RemoveUser removes a user, whose server ends.
func (h *Hub) RemoveUser(ctx context.Context, name string) error {
	return h.Call(ctx, http.MethodDelete, of(name), nil, nil)
}

// Token makes a user's token with the given scopes; without scopes, it may do everything that the user may.
func (h *Hub) Token(ctx context.Context, user string, scopes ...string) (t Token, err error) {
	send := map[string]any{"note": "of a test"}
	if len(scopes) > 0 {
		send["scopes"] = scopes
	}
	err = h.Call(ctx, http.MethodPost, of(user, "/tokens"), send, &t)
	return t, err
}

// Revoke revokes a token.
func (h *Hub) Revoke(ctx context.Context, user string, t Token) error {
	return h.Call(ctx, http.MethodDelete, of(user, "/tokens/", t.ID), nil, nil)
}

// StartServer starts a user's server, waits until it is ready, and returns its address, without a trailing slash.
func (h *Hub) StartServer(ctx context.Context, user string) (address string, err error) {
	if err := h.Call(ctx, http.MethodPost, of(user, "/server"), nil, nil); err != nil {
		return "", err
	}
	err = poll.Until(ctx, "the server of "+user, func(ctx context.Context) error {
		s, err := h.server(ctx, user)
		if err == nil && (s == nil || !s.Ready) {
			err = fmt.Errorf("not ready: %+v", s)
		}
		if err == nil {
			address = "http://" + h.dirs.address + strings.TrimRight(s.URL, "/")
		}
		return err
	})
	return address, err
}

// StopServer stops a user's server, as the user or an idle culler does, and waits for its end.
func (h *Hub) StopServer(ctx context.Context, user string) error {
	if err := h.Call(ctx, http.MethodDelete, of(user, "/server"), nil, nil); err != nil {
		return err
	}
	return h.AwaitStopped(ctx, user)
}

// AwaitStopped waits until a user has no server.
func (h *Hub) AwaitStopped(ctx context.Context, user string) error {
	return poll.Until(ctx, "the end of the server of "+user, func(ctx context.Context) error {
		s, err := h.server(ctx, user)
		if err == nil && s != nil {
			err = fmt.Errorf("still there: %+v", *s)
		}
		return err
	})
}

// server is a user's server in the hub's API.
type server struct {
	URL     string
	Ready   bool
	Pending string
}

// server returns a user's server, or nil if absent.
func (h *Hub) server(ctx context.Context, user string) (*server, error) {
	var u struct{ Servers map[string]*server }
	err := h.Call(ctx, http.MethodGet, of(user), nil, &u)
	return u.Servers[""], err
}
