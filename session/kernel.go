package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
)

// KernelInfo describes a notebook's kernel.
type KernelInfo struct {
	Name  string // as in the kernelspecs
	ID    string
	State string // "idle", "busy", "starting", …
}

// Kernel finds the kernel of a notebook, open here or not, without starting one; false if it has none.
func (m *Manager) Kernel(ctx context.Context, path jupyter.Path) (KernelInfo, bool, error) {
	if id := m.fixed.At(path); id != "" {
		k, err := m.fixed.LookUp(ctx, m.cfg.Runtime, path, id)
		if errors.Is(err, jupyter.ErrNotFound) {
			return KernelInfo{}, false, nil
		}
		return m.kernelInfo(path, k), err == nil, err
	}
	sessions, err := m.cfg.Runtime.Sessions.List(ctx)
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

// KernelState returns the id and the state of the notebook's kernel, "" if it has none. It does not start a kernel.
func (k *NotebookKernel) KernelState(ctx context.Context) (id, state string, err error) {
	info, _, err := k.d.m.Kernel(ctx, k.d.Path())
	return info.ID, info.State, err
}

// kernelInfo describes the kernel of a notebook.
func (m *Manager) kernelInfo(path jupyter.Path, k jupyter.Kernel) KernelInfo {
	info := KernelInfo{Name: k.Name, ID: k.ID, State: k.ExecutionState}
	m.mu.Lock()
	var d *Document
	if e := m.open[path]; e != nil {
		d = e.doc
	}
	m.mu.Unlock()
	if d != nil && d.kernel != nil {
		info.State = d.kernel.link.Correct(k.ID, info.State)
	}
	return info
}

// Kernel returns the notebook's kernel, nil in a text.
func (d *Document) Kernel() *NotebookKernel { return d.kernel }

// Start finds the notebook's kernel, or starts one, as an open tab would.
func (k *NotebookKernel) Start(ctx context.Context) (KernelInfo, error) {
	s, _, err := k.Ensure(ctx, "")
	return KernelInfo{Name: s.Kernel.Name, ID: s.Kernel.ID, State: s.Kernel.ExecutionState}, err
}

// Take gives the notebook a running kernel, if it has none. It returns the notebook's kernel, which is another one if it had
// one already.
func (k *NotebookKernel) Take(ctx context.Context, id string) (KernelInfo, error) {
	d := k.d
	if fixed := d.m.fixed.Of(d.FileID(), d.Path()); fixed != "" && fixed != id {
		return KernelInfo{}, fmt.Errorf("give %s the kernel %q: %w: %q", d.Path(), id, kernel.ErrFixed, fixed)
	}
	s, err := k.take(ctx, id)
	return KernelInfo{Name: s.Kernel.Name, ID: s.Kernel.ID, State: s.Kernel.ExecutionState}, err
}

// Connect returns an open connection to the notebook's kernel, which it starts if necessary. News about the kernel, such as
// a restart, are kept for the next run.
func (k *NotebookKernel) Connect(ctx context.Context) (*kernel.Conn, error) {
	conn, news, err := k.link.Connect(ctx)
	if err == nil {
		k.link.Say(news)
	}
	return conn, err
}

// KernelInUse looks for people who have a notebook open, and for runs in it: the end of a session must not stop these. ours
// counts our own connections to its kernel.
func (m *Manager) KernelInUse(path jupyter.Path) (ours int, kept string) {
	for _, r := range m.runs.Runs(path) {
		if !r.Status().State.Ended() {
			return 0, "a cell of the notebook is running or waits to be run"
		}
	}
	for _, d := range m.HoldUnder(func(open jupyter.Path) bool { return open == path }) {
		defer d.Release()
		if d.kernel.link.Connected() {
			ours = 1
		}
		if people := d.People(); len(people) > 0 && !m.servers.Apart() {
			kept = "a person has the notebook open: " + people[0].Name
		}
	}
	return ours, kept
}
