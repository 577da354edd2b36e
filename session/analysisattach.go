package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// ErrNoKernel says that no kernel of that id is running, or none that is the
// caller's to use.
var ErrNoKernel = errors.New("there is no such kernel")

// AttachKernel gives the owner's analysis session for code in a running kernel
// alone: what is run there shows in no notebook, also where the kernel is a
// notebook's. The session is made where there is none; the kernel lives on when
// it ends. The error matches ErrNoKernel where there is no such kernel, and what
// was attached to it before has ended then.
func (m *Manager) AttachKernel(ctx context.Context, owner, id string) (*Analysis, error) {
	kernels, err := m.cfg.Kernels.Kernels(ctx)
	if err != nil {
		return nil, fmt.Errorf("attach to a kernel: %w", err)
	}
	others, err := m.OthersKernels(ctx, owner)
	if err != nil {
		return nil, fmt.Errorf("attach to a kernel: %w", err)
	}
	had := m.analyses.list(func(a *Analysis) bool {
		return a.owner == owner && a.NotebookPath() == "" && a.KernelID() == id
	})
	at := slices.IndexFunc(kernels, func(k jupyter.Kernel) bool { return k.ID == id && !others[id] })
	if at < 0 {
		err := fmt.Errorf("%w: %q", ErrNoKernel, id)
		for _, a := range had {
			if gone := m.DeleteAnalysis(ctx, owner, a.id); !errors.Is(gone, ErrNoAnalysis) {
				err = errors.Join(err, gone)
			}
		}
		return nil, err
	}
	if len(had) > 0 {
		return had[0], nil
	}
	if err := m.analyses.room(owner); err != nil {
		return nil, err
	}
	a := m.newAnalysis(owner, "")
	a.kernelID, a.spec = id, kernels[at].Name
	if err = a.ready(ctx); err == nil {
		err = a.enter()
	}
	if err != nil {
		a.end()
		return nil, err
	}
	return a, nil
}
