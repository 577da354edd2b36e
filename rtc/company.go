package rtc

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// maxMet bounds the clients whose names are remembered.
const maxMet = 1_024

// company holds the other clients in a document's room, present and past.
type company struct {
	table *awareness.Table

	mu    sync.Mutex
	since time.Time // when the current connection was synchronised, zero without one
	met   map[uint64]Peer
	hear  func(Peer) // called with each new peer, may be nil
	order []uint64   // keys of met, oldest first
}

func newCompany(own uint64, hear func(Peer)) *company {
	return &company{table: awareness.NewTable(own), met: map[uint64]Peer{}, hear: hear}
}

// AutosaveOff reports whether there are people in the room and all of them have switched autosave off. Then only they
// decide when the file is written.
func (c *company) AutosaveOff() bool {
	people, on := c.autosaves()
	return people && !on
}

func (c *company) autosaves() (people, on bool) {
	for _, p := range c.Peers() {
		if !p.Agent {
			people = true
			on = on || p.Autosave
		}
	}
	return people, on
}

// meet remembers the identity that each of the given clients announces for itself, or for the user it works for.
func (c *company) meet(clients []uint64) {
	for _, s := range c.table.Peers() {
		if !slices.Contains(clients, s.ClientID) {
			continue
		}
		p, ok := peerOf(s)
		if !ok {
			p = Peer{ClientID: s.ClientID, Agent: s.Agent() == agentName}
			if p.User, ok = s.For(); !ok || !p.Agent {
				continue
			}
		}
		c.remember(p)
	}
}

func (c *company) remember(p Peer) {
	c.mu.Lock()
	before, known := c.met[p.ClientID]
	if !known {
		c.order = append(c.order, p.ClientID)
	}
	c.met[p.ClientID] = Peer{ClientID: p.ClientID, User: p.User, Agent: p.Agent}
	if len(c.order) > maxMet {
		delete(c.met, c.order[0])
		c.order = c.order[1:]
	}
	c.mu.Unlock()
	if c.hear != nil && !p.Agent && (!known || before.User.DisplayName != p.User.DisplayName) {
		c.hear(p)
	}
}

// Named returns the name that a client announced while in the room, and whether it is an agent; ok is false if it
// announced none.
func (c *company) Named(client uint64) (name string, agent, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.met[client]
	return cmp.Or(p.User.DisplayName, p.User.Name), p.Agent, ok
}

// Sole returns the only other client in the room. ok is false if there are several or none, or if clients that joined
// before us may not have announced themselves yet.
func (c *company) Sole() (client uint64, ok bool) {
	if since := c.Since(); since.IsZero() || time.Since(since) < awareness.KnownAfter {
		return 0, false
	}
	clients := c.Replicas()
	if len(clients) != 1 {
		return 0, false
	}
	return clients[0], true
}
