package jupyter

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// limit bounds a request, for [transport.Beside].
func (s *Client) limit(req *http.Request) (ctx context.Context, moved, end func()) {
	return s.bounded(req.Context(), outgoingOf(req).timeout)
}

// watchGateway ends a request that only the kernels' gateway leaves unanswered, for [transport.Beside].
func (s *Client) watchGateway(req *http.Request) (ctx context.Context, moved, end func()) {
	if ctx := req.Context(); !outgoingOf(req).asksGateway() || ctx.Value(limitKey{}) != nil {
		return ctx, func() {}, func() {}
	}
	return whileSilent(req.Context(), s)
}

// bounded returns a context for a request. It ends when no data has moved in either direction for the server's
// timeout; moved restarts that time. The whole request may take longer, for a large file. A request may have its own
// limit, see [WithLimit] and whileAlive. The cause of the context's end is then [context.DeadlineExceeded].
func (s *Client) bounded(ctx context.Context, limit time.Duration) (bound context.Context, moved, end func()) {
	if patient, ok := ctx.Value(limitKey{}).(time.Duration); ok {
		return s.whileBusy(ctx, patient)
	}
	if limit > 0 {
		return s.whileAlive(ctx, limit)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(s.timeout, func() { cancel(context.DeadlineExceeded) })
	var heeding sync.WaitGroup
	if _, asked := ctx.Value(awayKey{}).(func(Health) error); asked {
		heeding.Go(func() { s.heed(ctx, cancel) })
	}
	return ctx, func() { timer.Reset(s.timeout) }, func() {
		timer.Stop()
		cancel(context.Canceled)
		heeding.Wait()
	}
}

// heed ends a request when another caller has found the server to be away.
func (s *Client) heed(ctx context.Context, end context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
		return
	case <-s.absence.gone():
	}
	if _, why := s.health().StillAway(ctx); why != nil {
		end(context.DeadlineExceeded)
	}
}

// errSilentGateway is the error of a request that gets no answer although the server answers others: the server
// passes it on to the gateway of its kernels, which takes the connection and does not answer.
var errSilentGateway = errors.New("it answers, but not requests that need its kernels' gateway")

// asksGateway reports whether a server with local kernels answers the request at once, while a server with a gateway
// forwards it.
func (c call) asksGateway() bool {
	if c.method != "" && c.method != http.MethodGet {
		return false // shutting down a kernel may take long on any server
	}
	return c.path == "/api/status" || c.path == "/api/sessions" || strings.HasPrefix(c.path, "/api/kernels") // and kernelspecs
}

// whileSilent returns a context for a request that may go to a gateway. If no answer has begun after half of its
// time, it sends the server another request. If the server answers only that one, the context ends a little before
// the time is over, with the cause errSilentGateway. Call heard when an answer begins, and end in every case.
func whileSilent(ctx context.Context, s *Client) (silent context.Context, heard, end func()) {
	limit := s.timeout
	if until, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(until))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	answered, asked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(asked)
		began := time.Now()
		select {
		case <-ctx.Done():
			return
		case <-answered:
			return
		case <-time.After(limit / 2):
		}
		if _, err := s.health().Version(ctx); err != nil {
			return
		}
		// A server that was only busy answers both.
		select {
		case <-ctx.Done():
		case <-answered:
		case <-time.After(max(limit*9/10-time.Since(began), limit/10)):
			cancel(errSilentGateway)
		}
	}()
	return ctx, sync.OnceFunc(func() { close(answered) }), func() {
		cancel(context.Canceled)
		<-asked
	}
}

// whileAlive returns a context for a request that makes the server wait for a kernel. It ends after the limit, or
// when the server, or its gateway, no longer answers other requests.
func (s *Client) whileAlive(ctx context.Context, limit time.Duration) (alive context.Context, moved, end func()) {
	ctx, stop := withTimeout(ctx, limit)
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(s.timeout / 10):
			}
			asking, enough := context.WithTimeout(ctx, s.timeout*9/10)
			_, err := s.health().Status(asking)
			enough()
			switch {
			case errors.Is(err, errSilentGateway):
				cancel(errSilentGateway)
				return
			case errors.Is(err, ErrUnreachable) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
				cancel(context.DeadlineExceeded)
				return
			}
		}
	})
	return ctx, func() {}, func() {
		cancel(context.Canceled)
		stop()
		watching.Wait()
	}
}

// limitKey is the context key of [WithLimit].
type limitKey struct{}

// WithLimit returns a context whose requests wait up to the limit for a busy server: it may read and convert a large
// file for a minute, and answer no request meanwhile. They end earlier when the server no longer accepts connections,
// and when it answers other requests but not these.
func WithLimit(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, limitKey{}, limit)
}

// whileBusy returns a context for a request made with [WithLimit].
func (s *Client) whileBusy(ctx context.Context, limit time.Duration) (busy context.Context, moved, end func()) {
	ctx, stop := context.WithTimeout(ctx, limit)
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.NewTimer(s.timeout)
	var watching sync.WaitGroup
	watching.Go(func() {
		for others := false; ; {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			err := s.health().Busy(ctx)
			if err != nil && !errors.Is(err, ErrBusy) || err == nil && others {
				cancel(context.DeadlineExceeded)
				return
			}
			others = err == nil
			timer.Reset(s.timeout)
		}
	})
	return ctx, func() { timer.Reset(s.timeout) }, func() {
		cancel(context.Canceled)
		stop()
		timer.Stop()
		watching.Wait()
	}
}

// awayKey is the context key of [WithAway].
type awayKey struct{}

// WithAway returns a context whose requests fail at once if away returns an error, because the server is known to be
// away. A request with it that times out marks the server as away.
func WithAway(ctx context.Context, away func(Health) error) context.Context {
	return context.WithValue(ctx, awayKey{}, away)
}

// known returns the error of a request to a server that is known to be away.
func (s *Client) known(ctx context.Context, c call) error {
	away, ok := ctx.Value(awayKey{}).(func(Health) error)
	if !ok {
		return nil
	}
	err := away(Health{s})
	if err == nil {
		return nil
	}
	return &Error{Op: c.op, Path: c.about, Message: "not asked: " + err.Error(), kind: ErrUnreachable, err: err}
}

// Known returns the error of a request that is not made because the server is known to be away, see [WithAway].
// Callers that use a connection to the server call it. op and about describe the request.
func (s *Client) Known(ctx context.Context, op, about string) error {
	return s.withRole(s.known(ctx, call{op: op, about: about}))
}

// anyoneKey is the context key of ofAnyone.
type anyoneKey struct{}

// ofAnyone marks a request that the server answers without a valid token.
func ofAnyone(ctx context.Context) context.Context { return context.WithValue(ctx, anyoneKey{}, true) }

// noteAnswer records whether the server is available, from the end of a request. A request that its own caller has
// cancelled shows nothing. began is zero for a request that the server may answer late.
func (s *Client) noteAnswer(ctx context.Context, began time.Time, err error) {
	if err == nil && ctx.Value(anyoneKey{}) == nil || errors.Is(err, ErrUnauthorized) {
		s.absence.refuses(err)
	}
	var e *Error
	switch {
	case errors.Is(err, ErrUnreachable): // or a proxy reports it
		if stoppedOnHub(err) || startingOnHub(err) {
			s.absence.stops(err)
		}
		_, asked := ctx.Value(awayKey{}).(func(Health) error)
		s.absence.silent(time.Now(), asked, s.timeout)
	case err == nil, errors.As(err, &e) && e.Status != 0:
		s.absence.answered()
	case errors.Is(err, context.DeadlineExceeded) && !began.IsZero() && time.Since(began) >= s.timeout:
		s.absence.silent(began, true, s.timeout)
	}
}
