package run

import (
	"context"
	"errors"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
)

// outcome returns the final state of a run that the kernel has answered.
func outcome(r *Run, in *inputs, reply kernel.Reply) (State, error) {
	switch {
	case in.unanswered != nil:
		return Interrupted, in.unanswered
	case reply.Status == "ok":
		return Done, nil
	case r.interruptAsked() || reply.Status == "abort" || reply.Error != nil && reply.Error.Name == "KeyboardInterrupt":
		return Interrupted, nil // "abort" comes from kernels made with ipykernel's base class
	case reply.Status == "aborted":
		return Cancelled, errors.New("the kernel dropped it from its queue, because another client's cell failed")
	}
	return Failed, nil
}

// kernelGone reports whether a run ended because its kernel did.
func kernelGone(err error) bool {
	return errors.Is(err, kernel.ErrKernelRestarted) || errors.Is(err, kernel.ErrKernelDead)
}

// reachTries is how many kernels a run may be sent to that end before the code reaches them.
const reachTries = 3

// anew reports whether to send a run to another kernel after an error: its code did not run, since the kernel was shut down
// before the code reached it.
func anew(err error, try int) bool { return errors.Is(err, kernel.ErrNotReached) && try < reachTries }

// serverGone reports whether a run ended because its Jupyter server or its kernel gateway went away.
func serverGone(err error) bool { return errors.As(err, new(*kernel.AwayError)) || gatewayGone(err) }

func gatewayGone(err error) bool { return errors.As(err, new(*kernel.GatewayError)) }

// unreachable reports whether a run ended because its Jupyter server does not answer.
func unreachable(err error) bool {
	return errors.Is(err, jupyter.ErrUnreachable) || errors.Is(err, context.DeadlineExceeded)
}

// unconfirmed reports whether a run ended because its Jupyter server does not answer, or no longer admits this program, so
// that the last writes will not be confirmed.
func unconfirmed(err error) bool { return unreachable(err) || errors.Is(err, jupyter.ErrUnauthorized) }

// goneWhy says what happened to the kernel, for an error for which kernelGone or serverGone is true.
func goneWhy(err error) string {
	switch {
	case errors.Is(err, kernel.ErrKernelDied):
		return "the kernel's process ended"
	case errors.Is(err, kernel.ErrKernelRestarted):
		return "the kernel was restarted"
	case errors.Is(err, kernel.ErrServerRestarted):
		return "the Jupyter server was restarted, which ended the kernel,"
	case errors.Is(err, kernel.ErrShutDown):
		return "the kernel was shut down"
	case gatewayGone(err):
		return "the kernels' gateway went away"
	case serverGone(err):
		return "the Jupyter server went away"
	}
	return "the kernel died and could not be started again"
}

// lossNote returns the note in the cell of a run that the kernel has not ended, "" for none.
func lossNote(err error) string {
	switch {
	case serverGone(err):
		return goneWhy(err) + " while this cell ran: its output after that is not shown"
	case !kernelGone(err):
		return ""
	}
	return goneWhy(err) + " while this cell ran; its variables are gone"
}

// endings phrase the final states but [Done] for a sentence about a cell.
var endings = map[State]string{Failed: "failed", Interrupted: "was interrupted", Cancelled: "was cancelled", Lost: "was lost"}

// during names the running cell or run, for a sentence that begins with "while".
func (r *Run) during() string {
	if r.CellID == "" {
		return "run " + r.ID + " was running"
	}
	return "cell " + r.CellID + " ran"
}
