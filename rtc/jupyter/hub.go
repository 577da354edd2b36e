package jupyter

import (
	"context"
	"errors"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/hub"
)

// startedAfter is how often a server is asked whether it is there that its hub has started.
const startedAfter = time.Second

// StartOnHub has the JupyterHub of a server start it if it does not run, and waits until it answers, or ctx ends. tell is
// told how far the start is, in percent and in the hub's words, as far as the token may know; it must not block. The error
// says what to do. A server of no hub is asked only whether it answers.
func StartOnHub(ctx context.Context, s *Server, tell func(percent float64, message string)) error {
	const op = "start the server at"
	at, err := s.find(ctx, op, s.BaseURL())
	if err != nil {
		return s.withRole(err)
	}
	where, onHub := hub.PlaceOf(at.base)
	if _, err = s.Status(ctx); !onHub || !errors.Is(err, ErrUnreachable) {
		return err
	}
	err = hubClient(s, at).StartServer(ctx, where, tell)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return (&Error{Op: op, Path: s.BaseURL(), err: ctx.Err(), kind: ErrUnreachable}).of(faults.HubStarting, faults.Values{Detail: where.String(), Address: where.Spawn()})
	case errors.Is(err, hub.ErrNoScope):
		_, err = s.Status(ctx) // which says so
		return err
	default:
		return &Error{Op: op, Path: s.BaseURL(), err: err, kind: ErrUnreachable, Hint: "start it at " + where.Spawn()}
	}
	for { // the hub may be a moment ahead of its proxy
		if _, err = s.Status(ctx); err == nil || !errors.Is(err, ErrUnreachable) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(startedAfter):
		}
	}
}
