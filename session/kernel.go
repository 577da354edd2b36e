package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
)

// kernelLink is the document's connection to the kernel that it shares with
// whoever has the notebook open.
type kernelLink struct {
	mu   sync.Mutex
	conn *kernel.Conn
	id   string
}

// connect gives a live connection to the notebook's kernel. Without one it
// takes the kernel of the notebook's Jupyter session, which is the one that an
// open tab uses, or has a session started, which a tab will find.
func (k *kernelLink) connect(ctx context.Context, d *Document) (*kernel.Conn, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn != nil {
		select {
		case <-k.conn.Done():
			_ = k.conn.Close() // it has ended; its error was told to its runs
			k.conn, k.id = nil, ""
		default:
			return k.conn, nil
		}
	}
	srv := d.m.cfg.Server
	s, _, err := kernel.FindOrStart(ctx, srv, d.Path(), d.Path(), d.kernelName())
	if err != nil {
		return nil, err
	}
	conn, err := kernel.Dial(ctx, srv, s.Kernel.ID, kernel.Options{Logger: d.m.log})
	if err != nil {
		return nil, err
	}
	k.conn, k.id = conn, s.Kernel.ID
	return conn, nil
}

// forget drops the connection to a kernel that is dead, so that the next run
// looks for a new one.
func (k *kernelLink) forget(conn *kernel.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn == conn {
		_ = conn.Close() // of a kernel that is no more
		k.conn, k.id = nil, ""
	}
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
	if err := d.m.cfg.Server.Interrupt(ctx, id); err != nil {
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
	sessions, err := m.cfg.Server.Sessions(ctx)
	if err != nil {
		return KernelInfo{}, false, fmt.Errorf("look up the kernel of %s: %w", path, err)
	}
	for _, s := range sessions {
		if s.Path == path {
			return KernelInfo{Name: s.Kernel.Name, ID: s.Kernel.ID, State: s.Kernel.ExecutionState}, true, nil
		}
	}
	return KernelInfo{}, false, nil
}
