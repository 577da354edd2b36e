package waitbudget

import (
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// An AwayError says that the Jupyter server did not answer in time.
type AwayError struct {
	Waited time.Duration
	Since  time.Time // when its connection was lost; zero if it is not known to be
	// Known tells that it was known to be away, and was only asked whether it is back.
	Known bool
	// Refuses tells that it answers, and that Why is how it refuses this program.
	Refuses bool
	// Why is how it failed to answer then.
	Why error
}

// Kind is "server away".
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
		return fmt.Sprintf("the Jupyter server is away since %s, and does not answer yet: %v", e.Since.Format("15:04:05"), e.Why)
	case e.Since.IsZero():
		return fmt.Sprintf("the Jupyter server has not answered for %s: it is stopped or out of reach", e.Waited)
	}
	return fmt.Sprintf("the Jupyter server is away since %s, and did not come back within %s", e.Since.Format("15:04:05"), e.Waited)
}

// busy reports whether the server is there, and answers nothing.
func (e *AwayError) busy() bool { return errors.Is(e.Why, jupyter.ErrBusy) }

// Is makes it match [jupyter.ErrUnreachable].
func (e *AwayError) Is(target error) bool { return target == jupyter.ErrUnreachable }
