package kernel

import (
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// An AwayError ends a connection whose Jupyter server went away and did not come back in time. It matches [ErrClosed] and
// [jupyter.ErrUnreachable].
type AwayError struct {
	Since time.Time // when the server last answered
	Err   error     // of the last attempt to reach it
}

// GiveUpAfter is how long a run waits for a server that does not answer while no connection fails; RefusedFor is how long
// it waits where connections are refused.
const (
	GiveUpAfter = 18 * time.Second
	RefusedFor  = 10 * time.Second
)

// Kind is "server away".
func (e *AwayError) Kind() string { return "server away" }

func (e *AwayError) Error() string {
	return fmt.Sprintf("the Jupyter server has been away since %s and was given up; the effects of the code since then are unknown: a stopped server has ended its kernels, a suspended one keeps running the code (%v)", e.Since.Format("15:04:05"), e.Err)
}

// Is reports whether target is ErrClosed or jupyter.ErrUnreachable.
func (e *AwayError) Is(target error) bool {
	return target == ErrClosed || target == jupyter.ErrUnreachable
}

// Unwrap returns the error of the last attempt.
func (e *AwayError) Unwrap() error { return e.Err }

// A GatewayError ends a connection whose Jupyter server answers while its kernel gateway does not. It matches [ErrClosed]
// and [jupyter.ErrNoGateway].
type GatewayError struct {
	Since time.Time // when the kernel's last message came
	Err   error     // of the last request
}

// Kind is "gateway away".
func (e *GatewayError) Kind() string { return "gateway away" }

func (e *GatewayError) Error() string {
	return fmt.Sprintf("the kernels' gateway is away, and the kernel last answered at %s; the effects of the code since then are unknown: a stopped gateway has usually ended its kernels too (%v)", e.Since.Format("15:04:05"), e.Err)
}

// Is reports whether target is ErrClosed.
func (e *GatewayError) Is(target error) bool { return target == ErrClosed }

// Unwrap returns the error of the last request.
func (e *GatewayError) Unwrap() error { return e.Err }
