package analysis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
)

// alone is an analysis session without a notebook, as used by its kernel link and its queue.
type alone struct{ *Session }

// Obtain finds the kernel of a session without a notebook. If the kernel was started for the session and is gone, it
// starts another.
func (a alone) Obtain(ctx context.Context) (jupyter.Kernel, bool, error) {
	srv := a.t.servers.Runtime
	a.mu.Lock()
	id, spec, own := a.kernelID, a.spec, a.started != ""
	a.mu.Unlock()
	k, err := srv.Kernels.Get(ctx, id)
	switch {
	case !errors.Is(err, jupyter.ErrNotFound):
		return k, false, err
	case !own:
		return k, false, fmt.Errorf("session %s: %w: %s, which was not started for the session, has been shut down", a.id, ErrKernelGone, id)
	case a.ctx.Err() != nil:
		return k, false, ErrNoSession
	}
	a.kernel.Missing(id)
	a.t.owners.Release(id)
	if k, err = a.launch(context.WithoutCancel(ctx), spec); err != nil {
		return k, false, fmt.Errorf("restart a kernel for session %s: %w", a.id, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kernelID, a.started = k.ID, k.ID
	return k, true, nil
}

// Whose names the kernel's owner, for messages.
func (a alone) Whose() string { return "the session's" }

// Link returns the connection to the kernel.
func (a alone) Link() *kernel.Link { return a.kernel }

// Interrupt interrupts the kernel.
func (a alone) Interrupt(ctx context.Context) error {
	if err := a.t.servers.Runtime.Kernels.Interrupt(ctx, a.KernelID()); err != nil {
		return fmt.Errorf("interrupt the kernel of session %s: %w", a.id, err)
	}
	return nil
}

// Use adds n to the number of users of the connection.
func (a alone) Use(n int) { a.use(n) }

// Rest closes the connection if it was not used for a while, so that the server sees an idle kernel, which it may cull.
func (a alone) Rest() {
	a.mu.Lock()
	defer a.mu.Unlock() // prevents a new use meanwhile
	if a.users == 0 && time.Since(a.last) >= a.t.m.IdleTimeout() {
		a.kernel.Close()
	}
}
