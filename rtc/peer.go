package rtc

import (
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// agentName is the value of the key that marks an agent's state.
const agentName = "nbduet"

// Peer is somebody else in a room.
type Peer struct {
	ClientID uint64
	User     awareness.User
	Cursors  []awareness.Cursor
	Current  string // the document they look at, "notebook:<path>"; known in the lobby only
	// Documents are the shared documents that they have open, in tabs and panels; known in the lobby only.
	Documents []string
	Autosave  bool // true if the state does not say, as for the server
	Agent     bool // an agent such as this program, not a person
	// Replica is the id under which their edits are known: ClientID, or for one of several agents that edit through one
	// replica, that one's.
	Replica uint64
	// Status is what an agent says that it does.
	Status awareness.Status
	// ActiveCell is the cell that their notebook has selected, and ActivePath that notebook's path; "" where the tab does
	// not say.
	ActiveCell, ActivePath string
	// Moved is when they last moved their caret, or typed; zero if they have not since we know them.
	Moved time.Time
}

// Since is when the connection came into step over which the others are heard, or zero. The server does
// not tell a newcomer who is there: those who are, are known when each has announced itself once more, which takes
// [awareness.KnownAfter] at most.
func (c *company) Since() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.since
}

func (c *company) heardSince(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since = t
}

// Peers lists the other people and agents in the room, in the order of their client ids. A peer that joined before us
// is listed once its client renews its state, see [Room.Since]; one that was silent for [awareness.Timeout] is not listed
// any more: those who have gone without a word are looked for here, because nothing need come over the connection when
// their time is over, and there may be no connection.
func (c *company) Peers() []Peer {
	c.table.Expire(time.Now())
	return lo.FilterMap(c.table.Peers(), func(s awareness.State, _ int) (Peer, bool) { return peerOf(s) })
}

// peerOf is what a state says of somebody; false if it is of nobody in particular, as the server's own.
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

// Replicas lists the ids of those in the room who may edit: of people's tabs, and of agents' programs, which are there even
// while they work for nobody.
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
