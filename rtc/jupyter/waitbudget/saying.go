package waitbudget

import (
	"context"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// sayAfter is how long a call waits before its caller hears of it.
const sayAfter = 2 * time.Second

// sayWaiting tells the caller of the wait until ctx ends, and ends the wait when it becomes known otherwise that the
// server is away. The channel gets what is known of that when it has ended; near the limit it is looked whether somebody
// is there.
func (b *Budget) sayWaiting(ctx context.Context, limit time.Duration, stop func()) <-chan AwayError {
	quiet := make(chan AwayError, 1)
	began := time.Now()
	go func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		var said spoken
		var known AwayError
		defer func() { quiet <- known }()
		for looked := false; ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if ctx.Err() != nil {
				return // a look may have lasted beyond that, and a tick be due as well
			}
			if away := b.ServerMissing(ctx); away != nil && ctx.Err() == nil {
				known = *away
				stop()
				return
			}
			waited := time.Since(began)
			if err := b.refusal(); err != nil && waited >= sayAfter { // which no wait changes
				known = AwayError{Known: true, Refuses: true, Why: err}
				stop()
				return
			}
			soon, stopped := b.stopped()
			if stopped != nil && !soon && waited >= sayAfter { // it runs again when somebody starts it
				since, _ := b.server.Health.Away()
				known = AwayError{Known: true, Since: since, Why: stopped}
				stop()
				return
			}
			if waited >= limit-lookBefore && !looked && b.server != nil {
				if looked = true; stopped != nil {
					known.Why = stopped
				} else if b.server.Health.Takes(ctx) {
					known.Why = jupyter.ErrBusy
				}
			}
			if said.due(waited) {
				b.tell(fmt.Sprintf("waiting for the Jupyter server, which has not answered for %d s", int(waited.Seconds())))
			}
		}
	}()
	return quiet
}

// spoken is how long a caller had waited when it last heard of that.
type spoken time.Duration

// due reports whether a caller that has waited so long is to hear of it: after sayAfter, and about once a second.
func (s *spoken) due(waited time.Duration) bool {
	if waited < sayAfter || waited < time.Duration(*s)+time.Second {
		return false
	}
	*s = spoken(waited)
	return true
}

// lookBefore is how long before a call's patience ends it looks whether somebody takes connections.
const lookBefore = time.Second

// lookEvery is how often a call that waits looks whether another has found the server to be away.
const lookEvery = 200 * time.Millisecond

// refusal is how the server last refused this program; nil if it did not.
func (b *Budget) refusal() error {
	if b.server == nil {
		return nil
	}
	return b.server.Health.Refusal()
}

// stopped is what the hub of a server that does not run says of that, and whether it soon will.
func (b *Budget) stopped() (soon bool, why error) {
	if b.server == nil {
		return false, nil
	}
	return b.server.Hub.Stopped()
}
