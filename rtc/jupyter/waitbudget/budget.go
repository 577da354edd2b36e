package waitbudget

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A Budget is what one call has left for a server that does not answer. It waits in vain once: what else needs the server
// then fails at once. What it has waited for answers that came counts as well: the caller waits for all of it.
type Budget struct {
	limit  time.Duration
	tell   func(message string)
	server *jupyter.Server // that has the documents; nil in tests

	mu     sync.Mutex
	away   *AwayError
	waits  int           // that go on
	since  time.Time     // when the first of them began
	waited time.Duration // in those before them
}

// New is the budget of a call that has waited for nothing yet. The server is the one of the documents, nil where there is
// none, in tests. tell hears of a long wait about once a second.
func New(server *jupyter.Server, limit time.Duration, tell func(message string)) *Budget {
	return &Budget{limit: limit, tell: tell, server: server}
}

type budgetKey struct{}

// With returns a context for the call: what waits for a Jupyter server with it fails with an [*AwayError] once the call
// has waited in vain, and asks one that is known to be away only once more.
func (b *Budget) With(ctx context.Context) context.Context {
	ctx = jupyter.WithAway(ctx, func(h jupyter.Health) error {
		away := b.gone()
		if away == nil {
			away = b.missing(ctx, h)
		}
		if away == nil {
			return nil // and not a nil *AwayError
		}
		return away
	})
	return context.WithValue(ctx, budgetKey{}, b)
}

// Of is the budget of a context's call, nil for none.
func Of(ctx context.Context) *Budget {
	b, _ := ctx.Value(budgetKey{}).(*Budget)
	return b
}

// gone is the error of an earlier wait of this call.
func (b *Budget) gone() *AwayError {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.away
}

// Missing is the error of a call that needs a server that is known to be away, and has asked it once more; nil if it is
// not.
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

// ServerMissing is Missing of the server of the documents.
func (b *Budget) ServerMissing(ctx context.Context) *AwayError { return b.Missing(ctx, b.server) }

// stillAway is the error of a server that is known to be away, and was asked once more; nil if it is not.
func stillAway(ctx context.Context, h jupyter.Health) *AwayError {
	since, why := h.StillAway(ctx)
	if why == nil || ctx.Err() != nil {
		return nil //nolint:nilerr // a call that is over hears that where it waits
	}
	return &AwayError{Since: since, Known: true, Why: why}
}

// begin begins a wait, and returns how long it may take.
func (b *Budget) begin() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits++; b.waits == 1 {
		b.since = time.Now()
	}
	return max(b.limit-b.waited-time.Since(b.since), leastWait)
}

// end ends a wait. Waits at the same time count once.
func (b *Budget) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits--; b.waits == 0 {
		b.waited += time.Since(b.since)
	}
}

// leastWait is how long a call that has already waited long waits for the next answer: one that is there gives it.
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
	case away.Known && errors.Is(err, context.Canceled): // somebody else has waited for it in vain
		return b.note(&away)
	case !errors.Is(waited, context.DeadlineExceeded), !errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return b.inVain(began, limit, away.Why)
}

// inVain is the error of a wait that lasted as long as it might, and makes known that the server is away.
func (b *Budget) inVain(began time.Time, limit time.Duration, why error) *AwayError {
	if b.server != nil && limit >= b.limit/2 { // less may be a server that is slow
		b.server.Health.Silent(began)
	}
	return b.note(&AwayError{Waited: limit.Round(time.Second), Why: why})
}

// note keeps the error of a wait in vain for what else the call needs the server for.
func (b *Budget) note(away *AwayError) *AwayError {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = away
	return away
}
