package kernel

import (
	"fmt"

	"github.com/nbduet/nbduet/session/textfmt"
)

// The errors of a request without an answer.
var (
	// ErrKernelRestarted: the kernel has restarted; its running code and variables are gone.
	ErrKernelRestarted = textfmt.Fixed("the kernel was restarted")
	// ErrKernelDied comes together with ErrKernelRestarted when the restart was not requested.
	ErrKernelDied = textfmt.Fixed("the kernel's process ended, perhaps killed or out of memory")
	// ErrKernelDead: the kernel was shut down, or could not be started again.
	ErrKernelDead = textfmt.Fixed("the kernel is dead")
	// ErrShutDown is the ErrKernelDead of a kernel that was shut down; a server can be configured to shut idle kernels
	// down.
	ErrShutDown = fmt.Errorf("%w: it was shut down", ErrKernelDead)
	// ErrNotReached comes together with ErrKernelDead when the kernel ended before the code reached it: nothing of it ran,
	// and it can be sent to another kernel.
	ErrNotReached = textfmt.Fixed("the code had not reached it")
	// ErrServerRestarted is the ErrKernelDead of a kernel whose Jupyter server was restarted: it ends with its server.
	ErrServerRestarted = fmt.Errorf("%w: the Jupyter server was restarted, and its kernels ended with it", ErrKernelDead)
	// ErrAnswerLost: the kernel has nothing left to run and sent no answer. It answered while the connection was lost;
	// whether all of the code ran is unknown.
	ErrAnswerLost = textfmt.Fixed("the kernel's answer was lost with the connection")
	// ErrClosed: the connection is closed.
	ErrClosed = textfmt.Fixed("the connection to the kernel is closed")
	// ErrNoInput: no code is waiting for input.
	ErrNoInput = textfmt.Fixed("the kernel is not waiting for input")
)

// errDied is the server's own restart of a kernel whose process has ended.
var errDied = fmt.Errorf("%w: %w", ErrKernelRestarted, ErrKernelDied)
