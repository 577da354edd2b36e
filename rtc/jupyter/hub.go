package jupyter

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/hub"
)

// startedAfter is the interval of the checks whether a started server answers.
const startedAfter = time.Second

// Hub is the JupyterHub of a server, if it is on one.
type Hub struct{ client *Client }

// Start makes the server's JupyterHub start it if it does not run, and waits until it answers, or ctx ends. tell
// receives the progress in percent and the hub's message, if the token may read them; it must not block. The error
// says what to do. Without a hub, Start only checks that the server answers.
func (h Hub) Start(ctx context.Context, tell func(percent float64, message string)) error {
	const op = "start the server at"
	at, err := h.client.find(ctx, op, h.client.BaseURL())
	if err != nil {
		return h.client.withRole(err)
	}
	where, onHub := hub.PlaceOf(at.base)
	if _, err = h.client.health().Status(ctx); !onHub || !errors.Is(err, ErrUnreachable) {
		return err
	}
	tell(0, "asking JupyterHub to start "+where.String()) // the answer may take long
	err = hubClient(h.client, at).StartServer(ctx, where, tell)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return (&Error{Op: op, Path: h.client.BaseURL(), err: ctx.Err(), kind: ErrUnreachable}).of(faults.HubStarting, faults.Values{Detail: where.String(), Address: where.Spawn()})
	case errors.Is(err, hub.ErrNoScope):
		_, err = h.client.health().Status(ctx) // its error says so
		return err
	default:
		return &Error{Op: op, Path: h.client.BaseURL(), err: err, kind: ErrUnreachable, Hint: "start it at " + where.Spawn()}
	}
	for { // the hub may be ahead of its proxy
		if _, err = h.client.health().Status(ctx); err == nil || !errors.Is(err, ErrUnreachable) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(startedAfter):
		}
	}
}

const (
	// letInFor is how long an answer of a hub's server proves that it lets this program in. Open rooms and kernels do
	// not prove it: servers do not check the token of an open connection again.
	letInFor = 30 * time.Second
	// doorFor bounds the request that checks it.
	doorFor = 3 * time.Second
)

// LetsIn returns how a server on a JupyterHub refuses this program, if it does: its token was revoked, a share of the
// server was ended, or its user was removed. It asks the server, for some seconds at most, if no answer of the last
// half minute shows that it lets the program in, or if the last answer was a refusal, or the server is away.
// Concurrent callers share one request. LetsIn returns nil if the server lets the program in or this is unknown, and
// for a server without a hub.
func (h Hub) LetsIn(ctx context.Context) error {
	at := h.client.finder.at.Load()
	if at == nil || at.token == "" {
		return nil
	}
	if _, onHub := hub.PlaceOf(at.base); !onHub {
		return nil
	}
	a := &h.client.absence
	a.mu.Lock()
	l, away := a.doorman.look, a.away
	shown := a.doorman.asked
	if a.letIn.After(shown) {
		shown = a.letIn
	}
	if a.doorman.none || l == nil && time.Since(shown) < letInFor && a.refusal == nil && a.failing.IsZero() {
		a.mu.Unlock()
		return nil
	}
	mine := l == nil
	if mine {
		l = &look{done: make(chan struct{})}
		a.doorman.look, a.doorman.asked = l, time.Now()
	}
	a.mu.Unlock()
	if mine {
		limit := lo.Ternary(away, lookFor, doorFor)
		h.askDoor(l, limit)
	}
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return nil // the caller reports the end of its context itself
	}
}

// askDoor carries out a look. It does not end with its first caller's context, because others wait for it, too.
func (h Hub) askDoor(l *look, limit time.Duration) {
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	var header http.Header
	err := h.client.do(ctx, call{op: "ask for the status of", about: h.client.BaseURL(), path: "/api/status", header: &header}, nil)
	if stoppedOnHub(err) {
		h.client.health().Silent(time.Now())
	}
	a := &h.client.absence
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil && header.Get("X-JupyterHub-Version") == "" {
		a.doorman.none = true
	}
	if err == nil || !refusedOnHub(err) {
		err = a.refusal // a later answer may have cleared it
	}
	if refusedOnHub(err) {
		l.err = err
	}
	a.doorman.look = nil
	close(l.done)
}

// refusedOnHub reports whether err is a refusal of this program by a hub's server.
func refusedOnHub(err error) bool {
	var e *Error
	return errors.As(err, &e) && errors.Is(err, ErrUnauthorized) && e.hub != hub.Other && e.fault.Code != faults.HubStopped
}
