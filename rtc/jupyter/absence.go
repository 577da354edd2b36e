package jupyter

import (
	"context"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// lookFor is how long a server that is known to be away is asked whether it is back.
const lookFor = 800 * time.Millisecond

// An absence is what is known of whether a server answers. Nobody looks for it alone: who waited for the server in vain
// notes that, every answer takes it back, and who needs the server meanwhile asks it first, see still.
type absence struct {
	mu      sync.Mutex
	failing time.Time     // since when nothing was answered; zero if the last thing was
	away    bool          // somebody has waited for it in vain
	refusal error         // with which it answered last; nil if it let us in
	letIn   time.Time     // when it last did
	stopped error         // what its hub has answered in its place since it last answered; nil for nothing
	back    chan struct{} // closed when it answers again
	leaves  chan struct{} // closed when it is known to be away
	look    *look         // that goes on; nil for none
	doorman doorman
}

// A look asks a server whether it is back, or whether it lets this program in, for all who want to know that.
type look struct {
	done chan struct{} // closed when it has ended
	err  error         // then: why it is not back, or does not; nil if it is, or does
}

// A doorman is what is known of who asks whether a server lets this program in. The mutex of its [absence] guards it.
type doorman struct {
	asked time.Time // when that was asked last
	look  *look     // that goes on; nil for none
	none  bool      // the server is of no hub
}

// silent notes that the server has not answered since then; away says that a caller has waited for it in vain.
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

// answered notes a sign of life of the server.
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

// refuses notes how the server refused this program, nil if it did not.
func (a *absence) refuses(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refusal = err
	if err == nil {
		a.letIn = time.Now()
	}
}

// stops notes what the hub of the server has answered in its place.
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

// returns is closed when the server answers after it did not.
func (a *absence) returns() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.back == nil {
		a.back = make(chan struct{})
	}
	return a.back
}

// gone is closed when the server is known to be away.
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

// still is [Health.StillAway]; ask asks the server.
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

// lookFor carries out a look. It does not end with its first caller's context: others wait for it, too.
func (a *absence) lookFor(l *look, ask func(context.Context) error) {
	ctx, stop := context.WithTimeout(context.Background(), lookFor)
	defer stop()
	err := ask(ctx)
	a.mu.Lock()
	if a.look = nil; a.away { // an answer that refuses us is one as well
		l.err = err
	}
	a.mu.Unlock()
	close(l.done)
}

// stoppedOnHub reports whether an error is that a server does not run, as its hub says.
func stoppedOnHub(err error) bool {
	f, ok := faults.Of(err)
	return ok && (f.Code == faults.HubServerStopped || f.Code == faults.HubCannotStart)
}

// startingOnHub reports whether an error is that a server does not run yet.
func startingOnHub(err error) bool {
	f, ok := faults.Of(err)
	return ok && f.Code == faults.HubStarting
}
