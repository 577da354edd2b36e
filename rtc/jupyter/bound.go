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

// watchGateway ends a request that only the gateway of the kernels does not answer, for [transport.Beside].
func (s *Client) watchGateway(req *http.Request) (ctx context.Context, moved, end func()) {
	if ctx := req.Context(); !outgoingOf(req).asksGateway() || ctx.Value(patientKey{}) != nil {
		return ctx, func() {}, func() {}
	}
	return whileSilent(req.Context(), s)
}

// bounded returns a context for a request. It ends when the server has neither taken nor sent anything for a while, because
// a large file may take longer than a server that is gone is waited for; moved begins the time again. A request may have a
// limit of its own, see [Patiently] and whileAlive. The cause of the context's end is then [context.DeadlineExceeded].
func (s *Client) bounded(ctx context.Context, limit time.Duration) (bound context.Context, moved, end func()) {
	if patient, ok := ctx.Value(patientKey{}).(time.Duration); ok {
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

// heed ends a request when it becomes known otherwise that the server is away: its caller would wait in vain.
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

// errSilentGateway is why a request has no answer while the server answers others: it takes those for its kernels, and waits
// for a gateway that takes them as well and answers nothing.
var errSilentGateway = errors.New("it answers, but not what it has to ask the gateway of its kernels for")

// asksGateway reports whether a request is one that a server answers at once if its kernels are its own, and that it asks their
// gateway about if it has one.
func (c call) asksGateway() bool {
	if c.method != "" && c.method != http.MethodGet {
		return false // the end of a kernel may take its time anywhere
	}
	return c.path == "/api/status" || c.path == "/api/sessions" || strings.HasPrefix(c.path, "/api/kernels") // and kernelspecs
}

// whileSilent returns a context for a request that asks the gateway, if there is one. When nothing of an answer has come for half
// of its time, the server is asked something else; if it answers that, and still not this, the context ends a little before that
// time is over, for the cause errSilentGateway. heard is to be called when an answer comes, end in every case.
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
		// A server that was busy so far answers both.
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

// whileAlive returns a context for a request that makes the server wait for a kernel: it ends after the limit, or when
// the server does not answer other requests any more, or its gateway does not.
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

// patientKey is the key of what [Patiently] adds to a context.
type patientKey struct{}

// Patiently returns a context whose requests wait as long as the limit for a server that is busy: it may read and
// convert a large file for a minute, and answers nobody meanwhile. They end sooner when nobody takes connections any
// more, and when the server answers others and not them.
func Patiently(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, patientKey{}, limit)
}

// whileBusy returns a context for a request as [Patiently] says.
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

// awayKey is the key of what [WithAway] adds to a context.
type awayKey struct{}

// WithAway returns a context whose requests fail at once when away gives a reason for that: the server is known to be
// away. Somebody waits for these requests, so that one in vain makes it known.
func WithAway(ctx context.Context, away func(Health) error) context.Context {
	return context.WithValue(ctx, awayKey{}, away)
}

// known is the error of a request to a server that is known to be away.
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

// Known is the error of a request that is not made, because the server is known to be away, see [WithAway]; for those who
// use a connection to the server. op and about name what for.
func (s *Client) Known(ctx context.Context, op, about string) error {
	return s.withRole(s.known(ctx, call{op: op, about: about}))
}

// anyoneKey is the key of a mark on the contexts of requests that a server answers for anyone.
type anyoneKey struct{}

// ofAnyone marks a request as one whose answer does not tell that the server lets this program in.
func ofAnyone(ctx context.Context) context.Context { return context.WithValue(ctx, anyoneKey{}, true) }

// noteAnswer notes what the end of a request says of whether the server is there. A request that its own caller has
// given up says nothing, and began is zero for one that the server answers late.
func (s *Client) noteAnswer(ctx context.Context, began time.Time, err error) {
	if err == nil && ctx.Value(anyoneKey{}) == nil || errors.Is(err, ErrUnauthorized) {
		s.absence.refuses(err)
	}
	var e *Error
	switch {
	case errors.Is(err, ErrUnreachable): // or a proxy says so
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
