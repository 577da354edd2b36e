package session

import "github.com/nbduet/nbduet/session/kernel"

// An owner is who analysis sessions and runs belong to: one MCP client session, or a person's name where there are
// none. Documents belong to nobody: whoever names a path works in the same room, as people do.

// Forget forgets the runs of an owner, and what is known of what it was shown. Runs in notebooks go on, and are forgotten
// when they have ended.
func (m *Manager) Forget(owner string) {
	m.runs.Leave(owner)
	m.mu.Lock()
	var docs []*Document
	for _, e := range m.open {
		if e.doc != nil {
			docs = append(docs, e.doc)
		}
	}
	m.mu.Unlock()
	for _, d := range docs {
		d.current().shown.forget(owner)
	}
	m.sources.forget(owner)
}

// Owners knows whose the kernels are that were started without a notebook.
func (m *Manager) Owners() *kernel.Owners { return &m.owners }
