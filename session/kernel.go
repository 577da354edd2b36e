package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// notebookKernel is a document as the user of its kernel.
type notebookKernel struct{ d *Document }

// Obtain takes the kernel of the notebook's Jupyter session, which is the one
// that an open tab uses, or has a session started, which a tab will find.
func (u notebookKernel) Obtain(ctx context.Context) (jupyter.Kernel, bool, error) {
	d := u.d
	if d.current().documents && !d.m.Apart() {
		return jupyter.Kernel{}, false, errKernelSocket
	}
	s, started, err := d.jupyterSession(ctx, "")
	return s.Kernel, started, err
}

// Whose is the kernel.
func (u notebookKernel) Whose() string { return "the notebook's" }

// kernelName is the kernel that the notebook asks for, "" for the server's
// default.
func (d *Document) kernelName() string {
	spec, _ := d.Notebook().Metadata()["kernelspec"].(map[string]any)
	name, _ := spec["name"].(string)
	return name
}

// interrupt stops what the notebook's kernel is doing.
func (d *Document) interrupt(ctx context.Context) error {
	id := d.kernel.KernelID()
	if id == "" {
		return errors.New("interrupt: the notebook has no kernel")
	}
	if err := d.m.cfg.Kernels.Interrupt(ctx, id); err != nil {
		return fmt.Errorf("interrupt the kernel of %s: %w", d.Path(), err)
	}
	return nil
}

// KernelInfo says which kernel a notebook has.
type KernelInfo struct {
	Name  string // as in the kernelspecs
	ID    string
	State string // "idle", "busy", "starting", …
}

// Kernel looks up the kernel of a notebook, open here or not, without starting
// one; false where it has none.
func (m *Manager) Kernel(ctx context.Context, path string) (KernelInfo, bool, error) {
	path, err := jupyter.CleanPath(path)
	if err != nil {
		return KernelInfo{}, false, err
	}
	if id := m.fixed.At(path); id != "" {
		k, err := m.fixed.LookUp(ctx, m.cfg.Kernels, path, id)
		if errors.Is(err, jupyter.ErrNotFound) {
			return KernelInfo{}, false, nil
		}
		return m.kernelInfo(path, k), err == nil, err
	}
	sessions, err := m.cfg.Kernels.Sessions(ctx)
	if err != nil {
		return KernelInfo{}, false, fmt.Errorf("look up the kernel of %s: %w", path, err)
	}
	for _, s := range sessions {
		if s.Path == path {
			return m.kernelInfo(path, s.Kernel), true, nil
		}
	}
	return KernelInfo{}, false, nil
}

// kernelInfo describes the kernel of a notebook.
func (m *Manager) kernelInfo(path string, k jupyter.Kernel) KernelInfo {
	info := KernelInfo{Name: k.Name, ID: k.ID, State: k.ExecutionState}
	m.mu.Lock()
	var d *Document
	if e := m.open[path]; e != nil {
		d = e.doc
	}
	m.mu.Unlock()
	if d != nil {
		info.State = d.kernel.Correct(k.ID, info.State)
	}
	return info
}
