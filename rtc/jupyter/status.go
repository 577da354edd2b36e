package jupyter

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// ErrBusy means that the server accepts connections but answers nothing: its process is busy, or suspended. A network
// that loses all packets looks the same if a proxy at its near end accepts connections.
var ErrBusy = Fixed("it accepts connections but does not answer: it is busy or was suspended")

const (
	// takeFor is how long the server may take to accept a connection, and keepFor how long the connection must then
	// stay open: a proxy without a server closes it.
	takeFor = 700 * time.Millisecond
	keepFor = 100 * time.Millisecond
)

// Status is the server's status report.
type Status struct {
	Started      time.Time `json:"started"`
	LastActivity time.Time `json:"last_activity"`
	Connections  int       `json:"connections"`
	Kernels      int       `json:"kernels"`
}

// Health reports whether a server answers, and its state.
type Health struct{ client *Client }

func (s *Client) health() Health { return Health{s} }

// Status requests the server's status. It requires a valid token, so it also checks the address and the token.
func (h Health) Status(ctx context.Context) (Status, error) {
	return ask[Status](ctx, h.client, call{op: "ask for the status of", about: h.client.BaseURL(), path: "/api/status"})
}

// Version requests Jupyter Server's version; it needs no token.
func (h Health) Version(ctx context.Context) (string, error) {
	var out struct {
		Version string `json:"version"`
	}
	err := h.client.do(ofAnyone(ctx), call{op: "ask for the version of", about: h.client.BaseURL(), path: "/api"}, &out)
	return out.Version, err
}

// Clock returns the server's time, to the second; the zero time if the server does not send it.
func (h Health) Clock(ctx context.Context) (time.Time, error) {
	var header http.Header
	if err := h.client.do(ofAnyone(ctx), call{op: "ask for the time of", about: h.client.BaseURL(), path: "/api", header: &header}, nil); err != nil {
		return time.Time{}, err
	}
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}, nil //nolint:nilerr // none, or one that says nothing
	}
	return at, nil
}

// Answered records a sign of life of the server.
func (h Health) Answered() { h.client.absence.answered() }

// Silent records that a caller's wait since then has timed out, and marks the server as away.
func (h Health) Silent(since time.Time) { h.client.absence.silent(since, true, h.client.timeout) }

// Away reports whether the server is known to be away, and since when.
func (h Health) Away() (since time.Time, away bool) { return h.client.absence.known() }

// Back returns a channel that is closed when the server answers again after a silence.
func (h Health) Back() <-chan struct{} { return h.client.absence.returns() }

// StillAway returns since when the server is away, and why, for example [ErrBusy]; nil if it is not away. It checks a
// server that is known to be away once more, for less than a second. Concurrent callers share one check.
func (h Health) StillAway(ctx context.Context) (since time.Time, why error) {
	return h.client.absence.still(ctx, h.ask)
}

// Busy returns nil if the server answers, an error that matches [ErrBusy] if it is busy, and else why it does not
// answer. It takes at most the server's Timeout.
func (h Health) Busy(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, h.client.timeout*9/10)
	defer stop()
	return h.ask(ctx)
}

// Refusal is the server's last refusal of this program; nil if it has let the program in since.
func (h Health) Refusal() error {
	h.client.absence.mu.Lock()
	defer h.client.absence.mu.Unlock()
	return h.client.absence.refusal
}

// Stopped returns the answer of the server's JupyterHub in its place since the server last answered: the server does
// not run, or, if soon is set, it is starting. why is nil if the server answers, or is not on a hub.
func (h Hub) Stopped() (soon bool, why error) {
	h.client.absence.mu.Lock()
	defer h.client.absence.mu.Unlock()
	return startingOnHub(h.client.absence.stopped), h.client.absence.stopped
}

// ask checks whether the server answers before the context ends.
func (h Health) ask(ctx context.Context) error {
	h.client.http.CloseIdleConnections() // a dead connection would make the server seem busy
	takes := make(chan bool, 1)
	go func() { takes <- h.Takes(ctx) }()
	_, err := h.Version(ctx) // not the status: for that, the server waits for the gateway of its kernels
	taken := <-takes
	var e *Error
	switch {
	case err == nil, errors.As(err, &e) && e.Status != 0 && !errors.Is(err, ErrUnreachable):
		return nil // a refusal is an answer, too
	case taken && errors.Is(err, context.DeadlineExceeded):
		return ErrBusy
	}
	return err
}

// Takes reports whether connections to the server's address are accepted, and kept open.
func (h Health) Takes(ctx context.Context) bool {
	at := h.client.finder.at.Load()
	if at == nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, takeFor)
	defer stop()
	port := at.base.Port()
	port = cmp.Or(port, at.base.Scheme)
	conn, err := h.client.dialer(ctx, "tcp", net.JoinHostPort(at.base.Hostname(), port))
	if err != nil {
		return false
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(keepFor)); err != nil {
		return false
	}
	_, err = conn.Read(make([]byte, 1))
	var timeout net.Error
	return err == nil || errors.As(err, &timeout) && timeout.Timeout()
}
