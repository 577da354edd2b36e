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

// Documents and kernels may be on two servers. Files, rooms and file ids are
// then the one's, kernels, their Jupyter sessions and kernelspecs the other's.
// To the kernels' server the path of a notebook is only a name: it may have
// another file of that name, or none. So it is asked for no file, and its
// sessions count as those of our notebooks only where they were found or
// started for one, see taken. An open tab does not know of that server's
// kernels: it shows what they put out, and cannot run a cell in them.

// errServerApart and errDocumentsApart are why cells cannot be run by a server
// that has not got their kernel.
var (
	errServerApart = errors.New("not run: with --execute server the server that has the notebook runs its cells, in kernels of its own; " +
		"the kernels here are on another server (--runtime-url), so leave --execute at auto")
	errDocumentsApart = errors.New("jupyter-server-documents, which the notebook's server has, runs the cells itself, in kernels of its own: " +
		"it does not work with kernels of another server (--runtime-url)")
)

// KernelServer is the Jupyter server that has the kernels: Server, or another.
func (m *Manager) KernelServer() *jupyter.Server { return m.cfg.Kernels }

// Apart reports whether the kernels are on another server than the documents.
func (m *Manager) Apart() bool { return m.cfg.Kernels != m.cfg.Server }

// Redact takes the tokens of the servers out of a text.
func (m *Manager) Redact(text string) string { return m.redact(text) }

// NotebookOf is the path of the notebook that a Jupyter session of the kernels'
// server is of, "" where it is of none of the documents' server's.
func (m *Manager) NotebookOf(s jupyter.Session) string {
	if s.Type != "notebook" || m.Apart() && !m.taken.has(s.ID) {
		return ""
	}
	return s.Path
}

// jupyterSession finds the notebook's Jupyter session, with its kernel, or has
// it started: with a kernel of the kernelspec, if one is named. The ID is ""
// where the notebook has a kernel without a session.
func (d *Document) jupyterSession(ctx context.Context, spec string) (s jupyter.Session, started bool, err error) {
	m := d.m
	if m.Apart() && d.current().documents {
		return s, false, errDocumentsApart
	}
	if id := m.fixed.of(d); id != "" {
		s, err = d.fixedSession(ctx, id, spec)
		return s, false, err
	}
	if m.Apart() {
		if s, ok, err := d.takenSession(ctx); ok || err != nil {
			return s, false, err
		}
	}
	s, started, err = kernel.FindOrStart(ctx, m.cfg.Kernels, m.cfg.Server, d.Path(), "", cmp.Or(spec, d.kernelName()))
	if err == nil && m.Apart() {
		m.taken.note(d.FileID(), s.ID)
	}
	return s, started, err
}

// takenSession gives the session that the notebook had on the other server,
// under its new path where it was renamed; false where it had none, or that is
// gone.
func (d *Document) takenSession(ctx context.Context) (jupyter.Session, bool, error) {
	id := d.m.taken.of(d.FileID())
	if id == "" {
		return jupyter.Session{}, false, nil
	}
	sessions, err := d.m.cfg.Kernels.Sessions(ctx)
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("find the kernel of %s: %w", d.Path(), err)
	}
	for _, s := range sessions {
		if s.ID != id {
			continue
		}
		if s.Path != d.Path() {
			if s, err = d.m.cfg.Kernels.PatchSession(ctx, id, d.Path(), ""); err != nil {
				return s, false, fmt.Errorf("take the kernel of %s along with it: %w", d.Path(), err)
			}
		}
		return s, true, nil
	}
	d.m.taken.forget(d.FileID())
	return jupyter.Session{}, false, nil
}

// takenSessions knows the sessions on the kernels' server that are of our
// notebooks, by the file's id, which stays when a file is renamed. The zero
// value is ready for use.
type takenSessions struct {
	mu     sync.Mutex
	byFile map[string]string
}

func (t *takenSessions) note(file, session string) {
	if file == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byFile == nil {
		t.byFile = make(map[string]string)
	}
	t.byFile[file] = session
}

func (t *takenSessions) of(file string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byFile[file]
}

func (t *takenSessions) forget(file string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byFile, file)
}

func (t *takenSessions) has(session string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range t.byFile {
		if id == session {
			return true
		}
	}
	return false
}
