package waitbudget

import (
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

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
