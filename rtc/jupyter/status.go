package jupyter

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// ErrBusy is of a server that takes connections and answers nothing: its process is busy with one thing, or was stopped.
// A way to the server that loses everything looks the same where somebody takes connections at its near end.
var ErrBusy = Fixed("it takes connections and answers nothing, so that it is busy or was stopped")

const (
	// takeFor is how long a connection may take to be taken, and then to be closed again by a proxy without a server.
	takeFor = 700 * time.Millisecond
	keepFor = 100 * time.Millisecond
)

// Status is the server's own account of itself.
type Status struct {
	Started      time.Time `json:"started"`
	LastActivity time.Time `json:"last_activity"`
	Connections  int       `json:"connections"`
	Kernels      int       `json:"kernels"`
}

// Health says whether a server answers, and how it is.
type Health struct{ client *Client }

func (s *Client) health() Health { return Health{s} }

// Status asks for the server's status; it needs a valid token, so it shows that address and token are right.
func (h Health) Status(ctx context.Context) (Status, error) {
	return ask[Status](ctx, h.client, call{op: "ask for the status of", about: h.client.BaseURL(), path: "/api/status"})
}

// Version asks for Jupyter Server's version; it needs no token.
func (h Health) Version(ctx context.Context) (string, error) {
	var out struct {
		Version string `json:"version"`
	}
	err := h.client.do(ofAnyone(ctx), call{op: "ask for the version of", about: h.client.BaseURL(), path: "/api"}, &out)
	return out.Version, err
}

// Clock asks what time it is on a server, to the second; the zero time if the server does not say.
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

// Answered notes a sign of life of the server.
func (h Health) Answered() { h.client.absence.answered() }

// Silent notes that a caller has waited for an answer of the server since then, in vain: it is known to be away.
func (h Health) Silent(since time.Time) { h.client.absence.silent(since, true, h.client.timeout) }

// Away reports whether the server is known to be away, and since when.
func (h Health) Away() (since time.Time, away bool) { return h.client.absence.known() }

// Back is closed when the server answers after it did not.
func (h Health) Back() <-chan struct{} { return h.client.absence.returns() }

// StillAway is since when the server is away, and why it seems to be, [ErrBusy] among others; nil if it is not. If it is
// known to be, it is asked once more, for less than a second. Those who want to know that at the same time ask once.
func (h Health) StillAway(ctx context.Context) (since time.Time, why error) {
	return h.client.absence.still(ctx, h.ask)
}

// Busy is nil if the server answers, matches [ErrBusy] if it is busy, and else says why it does not. It takes as long as
// the server's Timeout at most.
func (h Health) Busy(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, h.client.timeout*9/10)
	defer stop()
	return h.ask(ctx)
}

// Refusal is how the server answered the last request, if it did not let this program in, and neither one since; nil if it
// did.
func (h Health) Refusal() error {
	h.client.absence.mu.Lock()
	defer h.client.absence.mu.Unlock()
	return h.client.absence.refusal
}

// Stopped is what the server's JupyterHub has answered in its place since the server last answered, if it did: it does not
// run, or soon that it will. nil is of a server that answers, or of no hub.
func (h Hub) Stopped() (soon bool, why error) {
	h.client.absence.mu.Lock()
	defer h.client.absence.mu.Unlock()
	return startingOnHub(h.client.absence.stopped), h.client.absence.stopped
}

// ask asks the server whether it is there, for as long as the context lasts.
func (h Health) ask(ctx context.Context) error {
	h.client.http.CloseIdleConnections() // one that is dead would make it seem busy
	takes := make(chan bool, 1)
	go func() { takes <- h.Takes(ctx) }()
	_, err := h.Version(ctx) // not the status: for that, the server waits for a gateway of its kernels
	taken := <-takes
	var e *Error
	switch {
	case err == nil, errors.As(err, &e) && e.Status != 0 && !errors.Is(err, ErrUnreachable):
		return nil // one that refuses us answers, too
	case taken && errors.Is(err, context.DeadlineExceeded):
		return ErrBusy
	}
	return err
}

// Takes reports whether connections are taken at the server's address, and kept.
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
