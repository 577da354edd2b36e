package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// ErrUnknownToken means that the hub does not know the token, or no longer.
var ErrUnknownToken = errors.New("JupyterHub does not know the token")

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 1 << 20

// A Client sends requests to a hub with a token. Its calls are bounded only by their contexts.
type Client struct {
	// HTTP sends the requests. It must not follow redirects to where the token must not go.
	HTTP *http.Client
	// Token is the user's.
	Token string
	// UserAgent is sent with each request.
	UserAgent string
}

// A refusal is an answer that is not a success.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string {
	if r.message == "" {
		return fmt.Sprintf("HTTP %d", r.status)
	}
	return fmt.Sprintf("%s (HTTP %d)", r.message, r.status)
}

// status returns the HTTP status of a refusal; 0 for another error.
func status(err error) int {
	var r *refusal
	if errors.As(err, &r) {
		return r.status
	}
	return 0
}

// Who returns the owner of the token. The error matches [ErrUnknownToken] if the hub does not know it.
func (c Client) Who(ctx context.Context, hub string) (Holder, error) {
	var h Holder
	err := c.ask(ctx, http.MethodGet, hub+"/api/user", &h)
	switch s := status(err); {
	case s == http.StatusForbidden, s == http.StatusUnauthorized, s == http.StatusNotFound:
		return Holder{}, ErrUnknownToken
	case err != nil:
		return Holder{}, fmt.Errorf("ask JupyterHub whose token it is: %w", err)
	case h.Name == "":
		return Holder{}, errors.New("ask JupyterHub whose token it is: the answer names no user")
	}
	return h, nil
}

// A State is whether a server runs.
type State struct {
	// Known is false if the token's scopes do not allow reading the state.
	Known bool
	// Runs is set if the server can be used, Starts if it is being started, Ends if it is being stopped.
	Runs, Starts, Ends bool
}

// StateOf returns the state of a server.
func (c Client) StateOf(ctx context.Context, p Place) (State, error) {
	var user struct {
		Servers map[string]struct {
			Ready   bool   `json:"ready"`
			Pending string `json:"pending"`
		} `json:"servers"`
	}
	err := c.ask(ctx, http.MethodGet, p.api(), &user)
	switch s := status(err); {
	case s == http.StatusForbidden, s == http.StatusNotFound:
		return State{}, nil
	case err != nil:
		return State{}, fmt.Errorf("ask JupyterHub about %s: %w", p, err)
	case user.Servers == nil:
		return State{}, nil
	}
	one := user.Servers[p.Server]
	return State{Known: true, Runs: one.Ready && one.Pending == "", Starts: one.Pending == "spawn", Ends: one.Pending == "stop"}, nil
}

// ask sends a request and decodes the answer into out, if it is not nil.
func (c Client) ask(ctx context.Context, method, address string, out any) error {
	resp, err := c.send(ctx, method, address, "application/json")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if resp.StatusCode > 299 {
		return refused(resp, b)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

func (c Client) send(ctx context.Context, method, address, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "token "+c.Token)
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", c.UserAgent)
	return c.HTTP.Do(req)
}

// refused returns the error of an answer that is not a success.
func refused(resp *http.Response, body []byte) error {
	r := &refusal{status: resp.StatusCode}
	var said struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &said) == nil {
		r.message = strings.Join(strings.Fields(said.Message), " ")
		r.message = r.message[:min(len(r.message), 300)]
	}
	return r
}
