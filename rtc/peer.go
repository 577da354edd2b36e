package rtc

import (
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// agentName is the value of the key that marks an agent's state.
const agentName = "nbduet"

// Peer is another person or agent in a room.
type Peer struct {
	ClientID uint64
	User     awareness.User
	Cursors  []awareness.Cursor
	Current  string // document in front, "notebook:<path>"; known in the lobby only
	// Documents are the shared documents open in the peer's tabs and panels; known in the lobby only.
	Documents []string
	Autosave  bool // true if the state does not say, as for the server
	Agent     bool // an agent such as nbduet, not a person
	// Replica is the client id of the peer's edits: ClientID, or the id of the shared replica if several agents edit
	// through one.
	Replica uint64
	// Status is an agent's announced status.
	Status awareness.Status
	// ActiveCell is the selected cell of the peer's notebook, and ActivePath that notebook's path; "" if the tab does
	// not say.
	ActiveCell, ActivePath string
	// Moved is when the peer last moved the caret, or typed; zero if not since we first saw it.
	Moved time.Time
}

// Since returns when the current connection was synchronised, or zero. The server does not list the clients in the
// room to a newcomer: they are known when each has renewed its state, which takes [awareness.KnownAfter] at most.
func (c *company) Since() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.since
}

func (c *company) seenSince(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since = t
}

// Peers lists the other people and agents in the room, in the order of their client ids. A peer that joined before us
// is listed once its client renews its state, see [Room.Since]. One that was silent for [awareness.Timeout] is no
// longer listed: Peers checks for these itself, because the connection may be silent or lost when they time out.
func (c *company) Peers() []Peer {
	c.table.Expire(time.Now())
	return lo.FilterMap(c.table.Peers(), func(s awareness.State, _ int) (Peer, bool) { return peerOf(s) })
}

// peerOf returns the peer that a state describes; ok is false for a state without a user, such as the server's.
func peerOf(s awareness.State) (Peer, bool) {
	u, ok := s.User()
	if !ok {
		return Peer{}, false
	}
	p := Peer{
		ClientID: s.ClientID, User: u, Cursors: s.Cursors(), Current: s.Current(), Documents: s.Documents(), Autosave: s.Autosave(),
		Agent: s.Agent() == agentName, Replica: s.ClientID, Moved: s.Changed,
	}
	if p.Agent {
		p.Replica, p.Status = s.Replica(), s.Status()
	}
	p.ActiveCell, p.ActivePath = s.Active()
	return p, true
}

// Replicas lists the ids of the clients in the room that may edit: people's tabs, and agents' programs, which are in
// the room even while they work for no user.
func (c *company) Replicas() []uint64 {
	c.table.Expire(time.Now())
	var ids []uint64
	for _, s := range c.table.Peers() {
		_, somebody := s.User()
		if agent := s.Agent() == agentName; (somebody || agent) && s.Replica() == s.ClientID {
			ids = append(ids, s.ClientID)
		}
	}
	return ids
}
