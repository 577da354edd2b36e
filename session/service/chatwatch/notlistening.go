package chatwatch

import (
	"context"
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/collab/presence"
)

const (
	// patience is how long a mention may wait before its sender is told that no client listens.
	patience = 30 * time.Second
	// notAgain is how long that message is not repeated in a chat.
	notAgain     = 10 * time.Minute
	notListening = "I am not listening now; this waits until I am asked."
	// sayWithin bounds sending a message.
	sayWithin = 10 * time.Second
)

// watch tells a chat when no client takes its mentions, until none is left to watch.
func (cs *Chats) watch(c *chat.Chat) {
	for {
		unheard := cs.unannounced(c)
		if len(unheard) == 0 {
			return
		}
		select {
		case <-time.After(patience):
		case <-c.Done():
		case <-cs.ctx.Done():
		}
		still := cs.waiting(c)
		cs.mu.Lock()
		tell := false
		for _, h := range unheard {
			h.announced = true
			tell = tell || slices.Contains(still, h.mention)
		}
		cs.mu.Unlock()
		if tell && !announcedLately(c) {
			cs.say(cs.ctx, c, notListening)
		}
	}
}

// unannounced returns the mentions in a chat whose senders were not told yet. If none is left, the chat is no longer watched.
func (cs *Chats) unannounced(c *chat.Chat) (list []*received) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	list = lo.Filter(cs.latest.Values(), func(h *received, _ int) bool { return h.chat == c && h.mention != "" && !h.announced })
	if len(list) == 0 {
		delete(cs.watching, c)
	}
	return list
}

// announcedLately reports whether this process or another one of nbduet has told the chat lately.
func announcedLately(c *chat.Chat) bool {
	return slices.ContainsFunc(c.Messages(), func(m chat.Message) bool {
		return m.Body == notListening && m.Sender.Username == presence.Everybody && time.Since(m.Time) < notAgain
	})
}

// say writes a message, if the chat knows us.
func (cs *Chats) say(ctx context.Context, c *chat.Chat, text string) {
	if !c.Known() || c.Err() != nil {
		return
	}
	ctx, stop := context.WithTimeout(ctx, sayWithin)
	defer stop()
	if _, err := c.Send(ctx, presence.Duet(), chat.Outgoing{Body: text}); err != nil {
		cs.m.Log().Warn("a message to a chat is not confirmed", "path", c.Path(), "error", err)
	}
}
