package jupyter

import (
	"context"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// lookFor bounds the look whether a server that is away has come back.
const lookFor = 800 * time.Millisecond

// An absence records whether a server answers, for all its callers. A caller whose wait times out marks the server as
// away, and any answer clears that. Meanwhile each call first looks whether the server is back, see still.
type absence struct {
	mu      sync.Mutex
	failing time.Time     // time of the first request without an answer; zero if the last one was answered
	away    bool          // a caller's wait for it has timed out
	refusal error         // the server's last answer, if it refused us; nil if it let us in
	letIn   time.Time     // when it last let us in
	stopped error         // its hub's answer in its place since it last answered; nil for none
	back    chan struct{} // closed when it answers again
	leaves  chan struct{} // closed when the server is known to be away
	look    *look         // the running look; nil for none
	doorman doorman
}

// A look asks a server whether it is back, or whether it lets this program in. Concurrent callers share one.
type look struct {
	done chan struct{} // closed when the look has ended
	err  error         // valid then: why the server is not back, or refuses us; else nil
}

// A doorman records the looks whether a server lets this program in. The mutex of its [absence] guards it.
type doorman struct {
	asked time.Time // time of the last look
	look  *look     // the running look; nil for none
	none  bool      // the server is not on a hub
}

// silent records that the server has not answered since then; away is set if a caller's wait has timed out.
func (a *absence) silent(since time.Time, away bool, limit time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failing.IsZero() || since.Before(a.failing) {
		a.failing = since
	}
	a.away = a.away || away || time.Since(a.failing) >= limit
	if a.away && a.leaves != nil {
		close(a.leaves)
		a.leaves = nil
	}
}

// answered records a sign of life of the server.
func (a *absence) answered() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = nil
	if a.failing.IsZero() {
		return
	}
	a.failing, a.away = time.Time{}, false
	if a.back != nil {
		close(a.back)
		a.back = nil
	}
}

// refuses records how the server refused this program, nil if it did not.
func (a *absence) refuses(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refusal = err
	if err == nil {
		a.letIn = time.Now()
	}
}

// stops records the answer of the server's hub in its place.
func (a *absence) stops(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = err
}

// known reports whether the server is known to be away, and since when.
func (a *absence) known() (since time.Time, away bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failing, a.away
}

// returns gives a channel that is closed when the server answers again after a silence.
func (a *absence) returns() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.back == nil {
		a.back = make(chan struct{})
	}
	return a.back
}

// gone returns a channel that is closed when the server is known to be away.
func (a *absence) gone() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.away {
		c := make(chan struct{})
		close(c)
		return c
	}
	if a.leaves == nil {
		a.leaves = make(chan struct{})
	}
	return a.leaves
}

// still implements [Health.StillAway]; ask asks the server.
func (a *absence) still(ctx context.Context, ask func(context.Context) error) (since time.Time, why error) {
	a.mu.Lock()
	since, l, mine := a.failing, a.look, false
	switch {
	case !a.away:
		a.mu.Unlock()
		return time.Time{}, nil
	case l == nil:
		l, mine = &look{done: make(chan struct{})}, true
		a.look = l
	}
	a.mu.Unlock()
	if mine {
		a.lookFor(l, ask)
	}
	select {
	case <-l.done:
		return since, l.err
	case <-ctx.Done():
		return since, ctx.Err()
	}
}

// lookFor carries out a look. It does not end with its first caller's context, because others wait for it, too.
func (a *absence) lookFor(l *look, ask func(context.Context) error) {
	ctx, stop := context.WithTimeout(context.Background(), lookFor)
	defer stop()
	err := ask(ctx)
	a.mu.Lock()
	if a.look = nil; a.away { // a refusal is an answer, too
		l.err = err
	}
	a.mu.Unlock()
	close(l.done)
}

// stoppedOnHub reports whether err is a hub's answer that the server does not run.
func stoppedOnHub(err error) bool {
	f, ok := faults.Of(err)
	return ok && (f.Code == faults.HubServerStopped || f.Code == faults.HubCannotStart)
}

// startingOnHub reports whether err is a hub's answer that the server is starting.
func startingOnHub(err error) bool {
	f, ok := faults.Of(err)
	return ok && f.Code == faults.HubStarting
}
