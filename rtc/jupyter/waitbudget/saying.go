package waitbudget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// sayAfter is how long a call waits before its caller is notified.
const sayAfter = 2 * time.Second

// sayWaiting notifies the caller of the wait until ctx ends, and ends the wait when another call finds the server to
// be away. At its end it sends the server's state on the channel; near the limit it checks whether the server accepts
// connections.
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
				return // a look may have lasted beyond that, and a tick may be due as well
			}
			if away := b.ServerMissing(ctx); away != nil && ctx.Err() == nil {
				known = *away
				stop()
				return
			}
			waited := time.Since(began)
			if err := b.refusal(); err != nil && waited >= sayAfter { // no wait changes it
				known = AwayError{Known: true, Refuses: true, Why: err}
				stop()
				return
			}
			soon, stopped := b.stopped()
			if stopped != nil && !soon && waited >= sayAfter { // it stays stopped until a person starts it
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

// spoken is how long a caller had waited at its last notification.
type spoken time.Duration

// due reports whether to notify a caller that has waited this long: after sayAfter, and about once a second.
func (s *spoken) due(waited time.Duration) bool {
	if waited < sayAfter || waited < time.Duration(*s)+time.Second {
		return false
	}
	*s = spoken(waited)
	return true
}

// lookBefore is how long before the end of a wait the server's port is checked.
const lookBefore = time.Second

// lookEvery is how often a waiting call checks whether another has found the server to be away.
const lookEvery = 200 * time.Millisecond

// refusal returns the server's last refusal of this program; nil if it did not refuse.
func (b *Budget) refusal() error {
	if b.server == nil {
		return nil
	}
	return b.server.Health.Refusal()
}

// stopped returns the hub's answer for a server that does not run, and whether it is starting.
func (b *Budget) stopped() (soon bool, why error) {
	if b.server == nil {
		return false, nil
	}
	return b.server.Hub.Stopped()
}

// An AwayError means that the Jupyter server did not answer in time.
type AwayError struct {
	Waited time.Duration
	Since  time.Time // when its connection was lost; zero if unknown
	// Known is set if it was known to be away, and this call only checked whether it is back.
	Known bool
	// Refuses is set if the server answers, but refuses this program; Why is the refusal.
	Refuses bool
	// Why is the cause.
	Why error
}

// Kind returns "server away".
func (e *AwayError) Kind() string { return "server away" }

func (e *AwayError) Error() string {
	switch {
	case e.Refuses:
		return fmt.Sprintf("the Jupyter server refuses this program: %v", e.Why)
	case (e.busy() || e.Why != nil && !e.Known) && e.Since.IsZero():
		return fmt.Sprintf("the Jupyter server has not answered for %s: %v", e.Waited, e.Why)
	case e.busy():
		return fmt.Sprintf("the Jupyter server has not answered since %s: %v", e.Since.Format("15:04:05"), e.Why)
	case e.Known:
		return fmt.Sprintf("the Jupyter server has been away since %s, and does not answer yet: %v", e.Since.Format("15:04:05"), e.Why)
	case e.Since.IsZero():
		return fmt.Sprintf("the Jupyter server has not answered for %s: it is stopped or unreachable", e.Waited)
	}
	return fmt.Sprintf("the Jupyter server has been away since %s, and did not come back within %s", e.Since.Format("15:04:05"), e.Waited)
}

// busy reports whether the server accepts connections but answers nothing.
func (e *AwayError) busy() bool { return errors.Is(e.Why, jupyter.ErrBusy) }

// Is makes the error match [jupyter.ErrUnreachable].
func (e *AwayError) Is(target error) bool { return target == jupyter.ErrUnreachable }
