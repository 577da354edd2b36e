package session

import (
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
)

// RunTable is the table of runs.
func (m *Manager) RunTable() *run.Table { return m.runs }

// Servers are the servers of the documents and the kernels.
func (m *Manager) Servers() *kernel.Servers { return m.servers }

// Fixed is the kernel to which a notebook is tied.
func (m *Manager) Fixed() *kernel.FixedKernel { return m.fixed }

// Redact removes the servers' tokens from a text.
func (m *Manager) Redact(text string) string { return m.redact(text) }
