package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
)

// A kernelUser is what a kernelLink is for: a document, or an analysis session
// that has no notebook.
type kernelUser interface {
	// obtain finds the kernel, or has it started.
	obtain(ctx context.Context) (k jupyter.Kernel, started bool, err error)
	// whose is the kernel, in a sentence: "the notebook's".
	whose() string
	manager() *Manager
}

// kernelLink is the connection to the kernel that a document shares with
// whoever has the notebook open, or to that of an analysis session.
type kernelLink struct {
	mu   sync.Mutex
	conn *kernel.Conn
	id   string
	lost string // the id of the kernel that was here before and is gone
	how  string // what became of that: "died" or "been shut down"
	news string // what the next run is told, beyond what the connection knows
}

// connect gives a live connection to the user's kernel. The news is what has
// become of the kernel since the last run, "" for nothing.
func (k *kernelLink) connect(ctx context.Context, u kernelUser) (conn *kernel.Conn, news string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn != nil {
		if k.conn.Gone() == nil && k.conn.Err() == nil {
			return k.conn, cmp.Or(restartNews(k.conn.Restarted()), k.tell()), nil
		}
		k.drop()
	}
	for try := 0; ; try++ {
		conn, news, err = k.dial(ctx, u)
		// It can have been shut down since it was found.
		if try > 0 || !errors.Is(err, jupyter.ErrNotFound) {
			return conn, news, err
		}
	}
}

// dial connects to the user's kernel, started for it if need be. k.mu is held.
func (k *kernelLink) dial(ctx context.Context, u kernelUser) (conn *kernel.Conn, news string, err error) {
	srv := u.manager().cfg.Kernels
	found, started, err := u.obtain(ctx)
	if err != nil {
		return nil, "", err
	}
	if found.ExecutionState == kernel.StateDead {
		// The server has given up on starting it again.
		if _, err := srv.Restart(ctx, found.ID); err != nil {
			return nil, "", fmt.Errorf("start the kernel again, which had died: %w", err)
		}
		news = restartNews(kernel.ErrKernelDied)
	}
	conn, err = kernel.Dial(ctx, srv, found.ID, kernel.Options{Logger: u.manager().log})
	if err != nil {
		return nil, "", err
	}
	switch {
	case k.lost == "" || k.lost == found.ID:
	case started:
		news = fmt.Sprintf("%s kernel had %s, so a new one (%s) was started: the variables from before are gone", u.whose(), k.how, found.Name)
	default:
		news = fmt.Sprintf("%s kernel has been replaced by another one (%s): the variables from before are gone", u.whose(), found.Name)
	}
	k.conn, k.id, k.lost = conn, found.ID, ""
	return conn, cmp.Or(news, k.tell()), nil
}

// obtain takes the kernel of the notebook's Jupyter session, which is the one
// that an open tab uses, or has a session started, which a tab will find.
func (d *Document) obtain(ctx context.Context) (jupyter.Kernel, bool, error) {
	if d.current().documents && !d.m.Apart() {
		return jupyter.Kernel{}, false, errKernelSocket
	}
	s, started, err := d.jupyterSession(ctx, "")
	return s.Kernel, started, err
}

func (d *Document) whose() string { return "the notebook's" }

func (d *Document) manager() *Manager { return d.m }

// tell hands over the news, once. k.mu is held.
func (k *kernelLink) tell() string {
	news := k.news
	k.news = ""
	return news
}

// restartNews words what a run is told about a restart before it.
func restartNews(err error) string {
	switch {
	case errors.Is(err, kernel.ErrKernelDied):
		return "the kernel's process had ended and was started again: the variables from before are gone"
	case err != nil:
		return "the kernel was restarted since the last run: the variables from before are gone"
	}
	return ""
}

// drop lets go of a connection that is of no more use. k.mu is held.
func (k *kernelLink) drop() {
	if err := k.conn.Gone(); err != nil {
		k.miss(k.id, err)
	}
	_ = k.conn.Close() // what ended it was told to its runs
	k.conn, k.id = nil, ""
}

// miss notes that a kernel is gone. k.mu is held.
func (k *kernelLink) miss(id string, err error) {
	k.lost, k.how = id, "died"
	if errors.Is(err, kernel.ErrShutDown) {
		k.how = "been shut down"
	}
}

// forget drops the connection to a kernel of which a run has learned that it is
// dead, so that the next run looks for a new one.
func (k *kernelLink) forget(conn *kernel.Conn, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn == conn {
		k.drop()
		k.miss(conn.KernelID(), err)
	}
}

// correct gives the state of a kernel where told is the server's word for it,
// see [kernel.Conn.Correct].
func (k *kernelLink) correct(id, told string) string {
	if !k.mu.TryLock() {
		return told // it is being connected: nothing is known that the server does not know
	}
	defer k.mu.Unlock()
	if k.conn == nil || k.id != id {
		return told
	}
	return k.conn.Correct(told)
}

func (k *kernelLink) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn != nil {
		_ = k.conn.Close() // letting go of a socket; the kernel lives on
		k.conn, k.id = nil, ""
	}
}

// kernelName is the kernel that the notebook asks for, "" for the server's
// default.
func (d *Document) kernelName() string {
	spec, _ := d.Notebook().Metadata()["kernelspec"].(map[string]any)
	name, _ := spec["name"].(string)
	return name
}

// interrupt stops what the notebook's kernel is doing.
func (d *Document) interrupt(ctx context.Context) error {
	d.kernel.mu.Lock()
	id := d.kernel.id
	d.kernel.mu.Unlock()
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
	if id := m.fixed.at(path); id != "" {
		k, err := m.kernelAt(ctx, path, id)
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
		info.State = d.kernel.correct(k.ID, info.State)
	}
	return info
}
