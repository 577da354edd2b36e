package chat

import (
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
)

// Joined is the room as it is joined now, with its replica, for what programs keep in its state; false while there is none.
func (c *Chat) Joined() (room *rtc.Room, doc *chatdoc.Doc, ok bool) {
	lv := c.now()
	if lv == nil {
		return nil, nil, false
	}
	return lv.room, lv.doc, true
}
