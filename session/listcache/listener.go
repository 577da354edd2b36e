package listcache

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/events"
)

const (
	// unused is how long after the last list the server's events are heard: an open connection is a sign of use to some
	// proxies, such as a hub's.
	unused = 2 * time.Minute
	// listenWait is how long a list waits for the subscription: what was asked for before it is not kept.
	listenWait = 200 * time.Millisecond
	// Pauses before the next subscription, after one that was lost, and where there are no events.
	afterLoss    = time.Second
	afterRefusal = time.Minute
)

// A listener hears the events of one server while its lists are asked for. It subscribes with a list alone, so that a server
// that is away is asked by nobody but those who want to list something.
type listener struct {
	srv   *jupyter.Server
	start func(func(context.Context)) bool

	mu      sync.Mutex
	hearing *hearing
	not     time.Time // not to be tried again before
}

// hearing is a subscription, or the attempt at one.
type hearing struct {
	settled chan struct{} // closed when it has begun or failed
	awaited time.Time     // how long lists wait for that
	idle    *time.Timer   // ends it; nil until its goroutine runs
}

// wanted subscribes if that is not done yet, and gives it a moment.
func (l *listener) wanted(ctx context.Context) {
	h := l.begin()
	if h == nil {
		return
	}
	late := time.NewTimer(time.Until(h.awaited))
	defer late.Stop()
	select {
	case <-h.settled:
	case <-ctx.Done():
	case <-late.C:
	}
}

// begin is the subscription, begun if need be and possible.
func (l *listener) begin() *hearing {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hearing != nil {
		if l.hearing.idle != nil {
			l.hearing.idle.Reset(unused)
		}
		return l.hearing
	}
	if _, away := l.srv.Health.Away(); away || time.Now().Before(l.not) {
		return nil
	}
	h := &hearing{settled: make(chan struct{}), awaited: time.Now().Add(listenWait)}
	if !l.start(func(ctx context.Context) { l.follow(ctx, h) }) {
		return nil
	}
	l.hearing = h
	return h
}

// follow hears the events until the context ends, the subscription is lost, or nothing was listed for a while.
func (l *listener) follow(ctx context.Context, h *hearing) {
	settle := sync.OnceFunc(func() { close(h.settled) })
	defer settle()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l.mu.Lock()
	h.idle = time.AfterFunc(unused, stop)
	l.mu.Unlock()
	defer h.idle.Stop()
	err := events.Follow(ctx, l.srv, settle)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hearing = nil
	switch {
	case errors.Is(err, events.ErrLost):
		l.not = time.Now().Add(afterLoss)
	case err != nil:
		l.not = time.Now().Add(afterRefusal)
	}
}
