package session

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
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

// StartKernel looks up the notebook's kernel, and has one started, as an open
// tab would, where there is none.
func (d *Document) StartKernel(ctx context.Context) (KernelInfo, error) {
	s, _, err := d.jupyterSession(ctx, "")
	return KernelInfo{Name: s.Kernel.Name, ID: s.Kernel.ID, State: s.Kernel.ExecutionState}, err
}

// TakeKernel makes a running kernel the notebook's, where the notebook has none.
// The kernel that it has then is returned: another one where it had one already.
func (d *Document) TakeKernel(ctx context.Context, id string) (KernelInfo, error) {
	if fixed := d.m.fixed.Of(d.FileID(), d.Path()); fixed != "" && fixed != id {
		return KernelInfo{}, fmt.Errorf("give %s the kernel %q: %w: %q", d.Path(), id, kernel.ErrFixed, fixed)
	}
	s, err := d.take(ctx, id)
	return KernelInfo{Name: s.Kernel.Name, ID: s.Kernel.ID, State: s.Kernel.ExecutionState}, err
}

// take makes the notebook's Jupyter session of a running kernel, or gives the
// session that it has.
func (d *Document) take(ctx context.Context, id string) (jupyter.Session, error) {
	s, err := d.m.cfg.Kernels.CreateSession(ctx, jupyter.NewSession{Path: d.Path(), Name: path.Base(d.Path()), KernelID: id})
	if err != nil {
		return s, fmt.Errorf("give %s the kernel %q: %w", d.Path(), id, err)
	}
	d.m.servers.Take(d.FileID(), s)
	return s, nil
}
