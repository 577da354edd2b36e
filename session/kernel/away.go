package kernel

import (
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// An AwayError is the end of a connection whose Jupyter server went away and did not come back in time. It matches
// [ErrClosed] and [jupyter.ErrUnreachable].
type AwayError struct {
	Since time.Time // when the server was last heard of
	Err   error     // of the last try to reach it
}

// GiveUpAfter is after how long without an answer the server of a run is given up, where no connection tells; RefusedFor is
// the same where connections are refused.
const (
	GiveUpAfter = 18 * time.Second
	RefusedFor  = 10 * time.Second
)

// Kind is "server away".
func (e *AwayError) Kind() string { return "server away" }

func (e *AwayError) Error() string {
	return fmt.Sprintf("the Jupyter server is away since %s and was given up; what the code has done since is not known: a server that was ended has ended its kernels too, one that only stands still goes on with the code (%v)", e.Since.Format("15:04:05"), e.Err)
}

// Is makes it match.
func (e *AwayError) Is(target error) bool {
	return target == ErrClosed || target == jupyter.ErrUnreachable
}

// Unwrap gives the error of the last try.
func (e *AwayError) Unwrap() error { return e.Err }

// A GatewayError is the end of a connection whose Jupyter server is there, while the gateway from which it has its kernels
// does not answer. It matches [ErrClosed] and [jupyter.ErrNoGateway].
type GatewayError struct {
	Since time.Time // when the kernel was last heard of
	Err   error     // of the last look
}

// Kind is "gateway away".
func (e *GatewayError) Kind() string { return "gateway away" }

func (e *GatewayError) Error() string {
	return fmt.Sprintf("the kernels' gateway is away, and the kernel was last heard of at %s; what the code has done since is not known: a gateway that was ended has mostly ended its kernels too (%v)", e.Since.Format("15:04:05"), e.Err)
}

// Is makes it match.
func (e *GatewayError) Is(target error) bool { return target == ErrClosed }

// Unwrap gives the error of the last look.
func (e *GatewayError) Unwrap() error { return e.Err }
