package listen

import (
	"github.com/nbduet/nbduet/session/claims"
	"github.com/nbduet/nbduet/session/mentions"
)

// placeIn finds the room of the chat in which a mention was made, unless it is not joined.
func placeIn(cs *Chats) func(mentions.Mention) (claims.Place, bool) {
	return func(m mentions.Mention) (p claims.Place, ok bool) {
		c := cs.Of(m)
		if c == nil {
			return p, false
		}
		room, doc, ok := c.Joined()
		return claims.Place{Room: room, State: doc}, ok
	}
}
