package session

import (
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/run"
)

// Run finds a run by its id, as long as it is remembered.
func (m *Manager) Run(id string) (*run.Run, bool) { return m.runs.Run(id) }

// Runs lists the runs that are remembered, the latest first: those of one notebook, or of all where path is "".
func (m *Manager) Runs(path string) []*run.Run { return m.runs.Runs(path) }

// RunTable remembers the runs.
func (m *Manager) RunTable() *run.Table { return m.runs }

// Servers are where the documents and the kernels are.
func (m *Manager) Servers() *kernel.Servers { return m.servers }

// Fixed is the kernel that a notebook is tied to.
func (m *Manager) Fixed() *kernel.FixedKernel { return m.fixed }

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
