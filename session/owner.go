package session

import (
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/lease"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/kernel"
)

// Analysis sessions and runs have an owner: an MCP client session or, without MCP sessions, a person's name. Documents do
// not have an owner: all clients that name a path work in the same room, as people do.

// Forget drops the runs of an owner, and the records of what it was shown and did, and removes it from all rooms. Runs in
// notebooks continue, and are dropped when they have ended.
func (m *Manager) Forget(owner string) {
	m.runs.Leave(owner)
	for _, d := range documents(m, anyEntry) {
		d.seats.Leave(owner)
		d.current().steps.Forget(owner)
	}
	m.memory.Forget(owner)
	m.Mentions.Forget(owner)
	m.Presence.clients.Forget(owner)
}

// documents lists the open documents whose entries are wanted, including those being left.
func documents(m *Manager, wanted func(*entry) bool) []*Document {
	m.mu.Lock()
	defer m.mu.Unlock()
	return lo.FilterMapToSlice(m.open, func(_ jupyter.Path, e *entry) (*Document, bool) { return e.doc, e.doc != nil && wanted(e) })
}

// anyEntry wants every entry.
func anyEntry(*entry) bool { return true }

// placeOf returns the room of the notebook that contains a mention; false if it is not joined.
func placeOf(m *Manager, call mentions.Mention) (p lease.Place, ok bool) {
	if call.InChat() {
		return p, false
	}
	for _, d := range documents(m, anyEntry) {
		if lv := d.current(); lv.nb != nil && lv.gap == nil && d.Path() == call.Path {
			return lease.Place{Room: lv.room, State: lv.nb}, true
		}
	}
	return p, false
}

// Owners returns the owners of kernels that were started without a notebook.
func (m *Manager) Owners() *kernel.Owners { return &m.owners }
