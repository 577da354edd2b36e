package chatwatch

import (
	"github.com/nbduet/nbduet/session/collab/lease"
	"github.com/nbduet/nbduet/session/collab/mentions"
)

// place finds the room of a mention's chat, unless it is not joined.
func (cs *Chats) place(m mentions.Mention) (p lease.Place, ok bool) {
	c := cs.Of(m)
	if c == nil {
		return p, false
	}
	room, doc, ok := c.Joined()
	return lease.Place{Room: room, State: doc}, ok
}
