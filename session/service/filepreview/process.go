package filepreview

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
)

// A process is one helper kernel. All fields except last are constant.
type process struct {
	h    *Helper
	id   string
	spec string
	conn *kernel.Conn
	last time.Time     // of the last use; guarded by the helper's mu
	gone chan struct{} // closed when it must no longer be used
}

// end shuts the kernel down, even if it is busy.
func (k *process) end(ctx context.Context) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), helperEnd)
	defer stop()
	if k.conn != nil {
		_ = k.conn.Close() // only the shutdown matters
	}
	srv := k.h.servers.Runtime
	// An interrupted kernel can exit properly; if not, the shutdown kills it.
	_ = srv.Kernels.Interrupt(ctx, k.id)
	for {
		err := srv.Kernels.Shutdown(ctx, k.id)
		if err == nil {
			_, err = srv.Kernels.Get(ctx, k.id)
		}
		if errors.Is(err, jupyter.ErrNotFound) {
			k.h.owners.Release(k.id)
			return nil
		}
		// If its process has died, a server that is about to restart it fails, or restarts it despite the shutdown.
		if err != nil && !errors.Is(err, jupyter.ErrServer) {
			return fmt.Errorf("shut down the helper kernel %s: %w", k.id, err)
		}
		k.h.m.Log().DebugContext(ctx, "a helper kernel must be shut down once more", "kernel", k.id, "error", err)
		select {
		case <-time.After(helperAgain):
		case <-ctx.Done():
			return fmt.Errorf("shut down the helper kernel %s, which still runs: %w", k.id, errors.Join(ctx.Err(), err))
		}
	}
}

// Evaluate runs code silently in the kernel: see [kernel.Conn.Evaluate].
func (k *process) Evaluate(ctx context.Context, code string, expressions map[string]string) (map[string]any, error) {
	reply, _, err := k.conn.Evaluate(ctx, code, expressions)
	if err != nil {
		return nil, fmt.Errorf("evaluate in the helper kernel: %w", err)
	}
	return reply.UserExpressions, nil
}

// Status returns idle: the kernel has one user at a time.
func (k *process) Status(context.Context) string { return kernel.StateIdle }

// Language returns the kernel's language.
func (k *process) Language(ctx context.Context) (string, error) {
	return k.conn.Language(ctx)
}
