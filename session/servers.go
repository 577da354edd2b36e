package session

import (
	"cmp"
	"context"
	"errors"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
)

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
func (m *Manager) Apart() bool { return m.servers.Apart() }

// Redact takes the tokens of the servers out of a text.
func (m *Manager) Redact(text string) string { return m.redact(text) }

// NotebookOf is the path of the notebook that a Jupyter session of the kernels'
// server is of, "" where it is of none of the documents' server's.
func (m *Manager) NotebookOf(s jupyter.Session) string {
	if s.Type != "notebook" || !m.servers.Ours(s) {
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
	if id := m.fixed.Of(d.FileID(), d.Path()); id != "" {
		s, err = d.fixedSession(ctx, id, spec)
		return s, false, err
	}
	if s, ok, err := m.servers.Session(ctx, d.FileID(), d.Path()); ok || err != nil {
		return s, false, err
	}
	s, started, err = kernel.FindOrStart(ctx, m.cfg.Kernels, m.cfg.Server, d.Path(), "", cmp.Or(spec, d.kernelName()))
	if err == nil {
		m.servers.Take(d.FileID(), s)
	}
	return s, started, err
}
