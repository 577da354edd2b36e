package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Attach returns the owner's analysis session for code in a running kernel, outside notebooks: its runs show in no
// notebook, even if the kernel is a notebook's. It makes the session if necessary; the kernel outlives it. If the kernel
// does not exist, the error matches ErrNoKernel, and earlier sessions attached to it are ended.
func (t *Table) Attach(ctx context.Context, owner, id string) (*Session, error) {
	kernels, err := t.servers.Runtime.Kernels.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("attach to a kernel: %w", err)
	}
	others, err := t.owners.Others(ctx, owner)
	if err != nil {
		return nil, fmt.Errorf("attach to a kernel: %w", err)
	}
	had := t.list(func(a *Session) bool {
		return a.owner == owner && a.NotebookPath().IsRoot() && a.KernelID() == id
	})
	at := slices.IndexFunc(kernels, func(k jupyter.Kernel) bool { return k.ID == id && !others[id] })
	if at < 0 {
		err := fmt.Errorf("%w: %q", ErrNoKernel, id)
		for _, a := range had {
			if gone := t.Delete(ctx, owner, a.id); !errors.Is(gone, ErrNoSession) {
				err = errors.Join(err, gone)
			}
		}
		return nil, err
	}
	if len(had) > 0 {
		return had[0], nil
	}
	a := t.newSession(owner, "")
	a.attached = true
	a.kernelID, a.spec = id, kernels[at].Name
	return a.begun(ctx)
}
