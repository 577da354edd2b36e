package kernel

import (
	"errors"
	"fmt"
)

// What can end a request without an answer.
var (
	// ErrKernelRestarted: the kernel has restarted; what was running is gone, and so are its variables.
	ErrKernelRestarted = errors.New("the kernel was restarted")
	// ErrKernelDied comes together with ErrKernelRestarted when nobody asked for the restart.
	ErrKernelDied = errors.New("the kernel's process ended, as it does when it is killed or out of memory")
	// ErrKernelDead: the kernel was shut down, or could not be started again.
	ErrKernelDead = errors.New("the kernel is dead")
	// ErrShutDown is the ErrKernelDead of a kernel that somebody has shut down, the server included, which does so
	// with idle ones where it is told to.
	ErrShutDown = fmt.Errorf("%w: it was shut down", ErrKernelDead)
	// ErrAnswerLost: the kernel has nothing left to run and has not answered. What it sent came while the connection
	// was lost; whether all of the code ran is not known.
	ErrAnswerLost = errors.New("the kernel's answer was lost with the connection")
	// ErrClosed: the connection is closed.
	ErrClosed = errors.New("the connection to the kernel is closed")
	// ErrNoInput: no code is waiting for input.
	ErrNoInput = errors.New("the kernel is not waiting for input")
)

// errDied is the restart that the server makes of its own when a kernel's process has ended.
var errDied = fmt.Errorf("%w: %w", ErrKernelRestarted, ErrKernelDied)
