package waitbudget

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A Budget bounds how long one call waits for a server that does not answer. Only one wait of a call times out: after
// that, all its further requests fail at once. Time spent waiting for answers that came counts as well, because it
// delays the caller, too.
type Budget struct {
	limit  time.Duration
	tell   func(message string)
	server *jupyter.Server // serves the documents; nil in tests

	mu     sync.Mutex
	away   *AwayError
	waits  int           // number of running waits
	since  time.Time     // start of the first of them
	waited time.Duration // total of the earlier waits
}

// New returns the budget of a new call. server serves the documents; it is nil in tests without one. tell is called
// about once a second during a long wait.
func New(server *jupyter.Server, limit time.Duration, tell func(message string)) *Budget {
	return &Budget{limit: limit, tell: tell, server: server}
}

type budgetKey struct{}

// With returns a context for the call: once a wait of the call has timed out, requests to a Jupyter server fail with
// an [*AwayError]. A server that is known to be away is checked only once more.
func (b *Budget) With(ctx context.Context) context.Context {
	ctx = jupyter.WithAway(ctx, func(h jupyter.Health) error {
		away := b.gone()
		if away == nil {
			away = b.missing(ctx, h)
		}
		if away == nil {
			return nil // not a nil *AwayError in an error
		}
		return away
	})
	return context.WithValue(ctx, budgetKey{}, b)
}

// Of returns the budget of a context's call, nil for none.
func Of(ctx context.Context) *Budget {
	b, _ := ctx.Value(budgetKey{}).(*Budget)
	return b
}

// gone returns the error of an earlier wait of this call.
func (b *Budget) gone() *AwayError {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.away
}

// Missing checks a server that is known to be away once more, and returns the error for a call that needs it; nil if
// it is not away.
func (b *Budget) Missing(ctx context.Context, s *jupyter.Server) *AwayError {
	if s == nil {
		return nil
	}
	return b.missing(ctx, s.Health)
}

func (b *Budget) missing(ctx context.Context, h jupyter.Health) *AwayError {
	away := stillAway(ctx, h)
	if away != nil && b.server != nil && h == b.server.Health {
		return b.note(away)
	}
	return away
}

// ServerMissing is Missing for the server of the documents.
func (b *Budget) ServerMissing(ctx context.Context) *AwayError { return b.Missing(ctx, b.server) }

// stillAway checks a server that is known to be away once more, and returns its error; nil if it is not away.
func stillAway(ctx context.Context, h jupyter.Health) *AwayError {
	since, why := h.StillAway(ctx)
	if why == nil || ctx.Err() != nil {
		return nil //nolint:nilerr // a call that is over hears that where it waits
	}
	return &AwayError{Since: since, Known: true, Why: why}
}

// begin starts a wait, and returns how long it may take.
func (b *Budget) begin() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits++; b.waits == 1 {
		b.since = time.Now()
	}
	return max(b.limit-b.waited-time.Since(b.since), leastWait)
}

// end ends a wait. Concurrent waits count once.
func (b *Budget) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits--; b.waits == 0 {
		b.waited += time.Since(b.since)
	}
}

// leastWait is the least time that a call waits for the next answer, however long it has already waited: a server
// that runs answers within it.
const leastWait = time.Second

// Wait calls f, which waits for the server, with a context that ends in time. Its error is then an [*AwayError].
func (b *Budget) Wait(ctx context.Context, f func(context.Context) error) error {
	if away := b.gone(); away != nil {
		return away
	}
	if away := b.ServerMissing(ctx); away != nil {
		return away
	}
	limit := min(b.limit, b.begin())
	defer b.end()
	began := time.Now()
	bound, stop := context.WithTimeout(ctx, limit)
	defer stop()
	quiet := b.sayWaiting(bound, limit, stop)
	err := f(bound)
	waited := bound.Err()
	stop()
	away := <-quiet
	switch {
	case err == nil, ctx.Err() != nil, waited == nil:
		return err
	case away.Known && errors.Is(err, context.Canceled): // another call's wait has timed out
		return b.note(&away)
	case !errors.Is(waited, context.DeadlineExceeded), !errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return b.inVain(began, limit, away.Why)
}

// inVain returns the error of a wait that used up its limit, and marks the server as away.
func (b *Budget) inVain(began time.Time, limit time.Duration, why error) *AwayError {
	if b.server != nil && limit >= b.limit/2 { // after a shorter wait the server may only be slow
		b.server.Health.Silent(began)
	}
	return b.note(&AwayError{Waited: limit.Round(time.Second), Why: why})
}

// note keeps the error of a wait that timed out, for further requests of the call.
func (b *Budget) note(away *AwayError) *AwayError {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = away
	return away
}
