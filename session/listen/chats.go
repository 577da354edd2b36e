package listen

import (
	"context"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/chat"
	"github.com/nbduet/nbduet/session/mentions"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Chats are the chats of a manager's server. Make them with [New].
type Chats struct {
	*chat.Keeper
	m      *session.Manager
	ctx    context.Context // ends with the manager
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	heard    map[string]*heard // by the message's id
	order    []string          // of heard, the oldest first
	watching map[*chat.Chat]bool
}

// heard is a message that was heard.
type heard struct {
	chat    *chat.Chat
	mention string // its id, "" for none
	command mentions.Command
	told    bool   // that nobody is listening, or it does not matter
	end     func() // takes back what shows that it was heard; nil if nothing does
}

// maxHeard is how many messages are remembered, so that it is known what an edit of them means.
const maxHeard = 5_000

// New makes the chats of a manager, which closes them.
func New(m *session.Manager) *Chats {
	cs := &Chats{m: m, heard: map[string]*heard{}, watching: map[*chat.Chat]bool{}}
	cfg := session.ChatConfig(m)
	cfg.Heard = cs.hear
	cs.Keeper = chat.New(cfg)
	cs.ctx, cs.cancel = context.WithCancel(context.Background())
	m.OnClose(func(ctx context.Context) error {
		cs.mu.Lock()
		cs.closed = true
		cs.mu.Unlock()
		cs.cancel()
		cs.wg.Wait()
		cs.Close(ctx)
		return nil
	})
	return cs
}

// username is who we are in chats. It is the same in each process, so that a chat does not fill up with us.
const username = "nbduet"

// User is as whom a client writes in chats.
func User(string) awareness.User {
	const name = "Duet"
	return awareness.User{Username: username, Name: name + " (AI)", DisplayName: name, Initials: awareness.Initials(name), Color: awareness.Color(name)}
}

// start runs f in a goroutine, unless the manager has closed. The caller holds mu.
func (cs *Chats) start(f func()) {
	if !cs.closed {
		cs.wg.Go(f)
	}
}

// note remembers a message. The caller holds mu.
func (cs *Chats) note(id string, h *heard) {
	if cs.heard[id] == nil {
		cs.order = append(cs.order, id)
	}
	cs.heard[id] = h
	for len(cs.order) > maxHeard {
		if old := cs.heard[cs.order[0]]; old.end != nil {
			old.end()
		}
		delete(cs.heard, cs.order[0])
		cs.order = cs.order[1:]
	}
}

// Of is the chat of a mention's message, nil if it is not known.
func (cs *Chats) Of(m mentions.Mention) *chat.Chat {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if h := cs.heard[m.Message]; h != nil {
		return h.chat
	}
	return nil
}

// shownFor is how long it is shown that a mention was heard.
const shownFor = 2 * time.Minute

// Heard shows in the chat that a client has taken a mention, until [Chats.Done] or for two minutes.
func (cs *Chats) Heard(client string, m mentions.Mention) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	h := cs.heard[m.Message]
	if h == nil || h.end != nil || cs.closed {
		return
	}
	for _, c := range cs.Chats() { // it may have been left, and be open again
		if h.chat.Err() != nil && c.Path() == h.chat.Path() {
			h.chat = c
		}
	}
	c, over := h.chat, make(chan struct{})
	h.end = sync.OnceFunc(func() { close(over) })
	cs.start(func() {
		end := c.Writing(User(client), "has heard you")
		defer end()
		select {
		case <-over:
		case <-time.After(shownFor):
		case <-c.Done():
		case <-cs.ctx.Done():
		}
	})
}

// Done takes back what [Chats.Heard] shows.
func (cs *Chats) Done(m mentions.Mention) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if h := cs.heard[m.Message]; h != nil && h.end != nil {
		h.end()
		h.end = nil
	}
}
