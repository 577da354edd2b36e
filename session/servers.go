package session

import (
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/run"
)

// RunTable remembers the runs.
func (m *Manager) RunTable() *run.Table { return m.runs }

// Servers are where the documents and the kernels are.
func (m *Manager) Servers() *kernel.Servers { return m.servers }

// Fixed is the kernel that a notebook is tied to.
func (m *Manager) Fixed() *kernel.FixedKernel { return m.fixed }

// Redact takes the tokens of the servers out of a text.
func (m *Manager) Redact(text string) string { return m.redact(text) }
