package session

import (
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
)

// RunTable returns the table of runs.
func (m *Manager) RunTable() *run.Table { return m.runs }

// Servers returns the servers of the documents and the kernels.
func (m *Manager) Servers() *kernel.Servers { return m.servers }

// Fixed returns the kernel that a notebook is tied to.
func (m *Manager) Fixed() *kernel.FixedKernel { return m.fixed }

// Redact removes the servers' tokens from a text.
func (m *Manager) Redact(text string) string { return m.redact(text) }
