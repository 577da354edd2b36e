package session

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
)

// fixedSession finds the kernel that the notebook is tied to. Where neither has
// a session the notebook gets one, so that open tabs share the kernel.
func (d *Document) fixedSession(ctx context.Context, id, spec string) (s jupyter.Session, err error) {
	path, srv := d.Path(), d.m.cfg.Kernels
	if s.Kernel, err = d.m.fixed.LookUp(ctx, srv, path, id); err != nil {
		return s, err
	}
	if spec != "" && spec != s.Kernel.Name {
		return s, fmt.Errorf("the kernel of %s cannot be one of %q: %w, and that is one of %q", path, spec, kernel.ErrFixed, s.Kernel.Name)
	}
	sessions, err := srv.Sessions(ctx)
	if err != nil {
		return s, fmt.Errorf("find the kernel of %s: %w", path, err)
	}
	vacant := true
	for _, one := range sessions {
		switch {
		case one.Path == path && one.Kernel.ID == id:
			return one, nil
		case one.Path == path && d.current().documents:
			return s, fmt.Errorf("%w, %q, but its Jupyter session has the kernel %q: choose it in JupyterLab, or start nbduet without --runtime-id",
				kernel.ErrFixed, id, one.Kernel.ID)
		case one.Path == path || one.Kernel.ID == id:
			vacant = false
		}
	}
	if !vacant {
		return s, nil
	}
	return d.take(ctx, id)
}
