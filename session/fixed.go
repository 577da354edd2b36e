package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// FixedKernel ties a notebook to a kernel that runs already, whatever its
// Jupyter session has. The zero value ties nothing.
type FixedKernel struct {
	Path string // of the notebook, as the Contents API has it
	ID   string // of the kernel
}

// ErrFixedKernel says that a notebook cannot have its kernel, or have another
// one, because that was fixed when the program was started.
var ErrFixedKernel = errors.New("--runtime-id (RUNTIME_ID) names the notebook's kernel")

// fixedKernel is a FixedKernel that follows its notebook.
type fixedKernel struct {
	mu   sync.Mutex
	set  FixedKernel
	file string // the notebook's file id, "" before it was opened
}

// of is the id of the kernel that a document is tied to, "" for none.
func (f *fixedKernel) of(d *Document) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	file, path := d.FileID(), d.Path()
	if f.set.ID == "" || path != f.set.Path && (f.file == "" || file != f.file) {
		return ""
	}
	f.set.Path, f.file = path, file
	return f.set.ID
}

// at is the same for the notebook at a path, open or not.
func (f *fixedKernel) at(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if path != f.set.Path {
		return ""
	}
	return f.set.ID
}

// moved follows the notebook.
func (f *fixedKernel) moved(from, to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.set.Path == from {
		f.set.Path = to
	}
}

// kernelAt looks up the fixed kernel of the notebook at a path; not by its id, which may be no path of the server's. The
// error matches jupyter.ErrNotFound where there is none.
func (m *Manager) kernelAt(ctx context.Context, path, id string) (jupyter.Kernel, error) {
	all, err := m.cfg.Kernels.Kernels(ctx)
	if err != nil {
		return jupyter.Kernel{}, fmt.Errorf("find the kernel of %s: %w", path, err)
	}
	for _, k := range all {
		if k.ID == id {
			return k, nil
		}
	}
	return jupyter.Kernel{}, fmt.Errorf("find the kernel of %s: %w, and no kernel with the id %q runs on %s (%w): start nbduet with the id of one that runs, or without",
		path, ErrFixedKernel, id, m.cfg.Kernels.BaseURL(), jupyter.ErrNotFound)
}

// fixedSession finds the kernel that the notebook is tied to. Where neither has
// a session the notebook gets one, so that open tabs share the kernel.
func (d *Document) fixedSession(ctx context.Context, id, spec string) (s jupyter.Session, err error) {
	path, srv := d.Path(), d.m.cfg.Kernels
	if s.Kernel, err = d.m.kernelAt(ctx, path, id); err != nil {
		return s, err
	}
	if spec != "" && spec != s.Kernel.Name {
		return s, fmt.Errorf("the kernel of %s cannot be one of %q: %w, and that is one of %q", path, spec, ErrFixedKernel, s.Kernel.Name)
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
				ErrFixedKernel, id, one.Kernel.ID)
		case one.Path == path || one.Kernel.ID == id:
			vacant = false
		}
	}
	if !vacant {
		return s, nil
	}
	return d.take(ctx, id)
}
