package chatwatch

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// attended is a chat that clients have joined or that has mentions for them.
type attended struct {
	wake  chan struct{}
	in    map[string]awareness.User // the user as which each client is known there
	taken map[string]*taken         // by the message's id
}

// taken is a mention that a client has taken and not answered. The chat is held for it.
type taken struct {
	client string
	told   bool           // that it was heard is shown
	does   presence.Doing // what the client did at the last check
	last   time.Time      // when it was last active
}

const (
	// shownFor is how long a mention is shown as heard after its client's last activity.
	shownFor = 2 * time.Minute
	heardYou = "has heard you"
	// apart is the shortest time between two changes shown in a chat.
	apart = time.Second
	// lookEvery is how often the people in a chat are checked.
	lookEvery = 15 * time.Second
)

// User returns the user as which a client writes in chats; "" is the program itself.
func (cs *Chats) User(client string) awareness.User {
	if client == "" {
		return presence.Duet()
	}
	return cs.clients.Of(client).InChats
}

// Enter makes a client known in a chat, by its own name and by the common one, so that people can mention it. After a
// rename it enters under the new name, too.
func (cs *Chats) Enter(ctx context.Context, client string, c *chat.Chat) error {
	cs.meet(c)
	as := cs.User(client)
	if err := c.Enter(ctx, presence.Duet(), as); err != nil {
		return err
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if !cs.closed && client != "" {
		cs.attend(c).in[client] = as
	}
	return nil
}

// Listens records that a client waits for mentions, in chats too, until end is called.
func (cs *Chats) Listens(client string) (end func()) {
	place := new(byte) // a unique place
	cs.clients.Does(client, place, presence.Doing{Status: awareness.Status{Text: presence.Waiting, Since: time.Now().UnixMilli()}, Goes: true})
	return func() { cs.clients.Does(client, place, presence.Doing{}) }
}

// Acknowledge shows in the chat that a client has taken a mention, and then the client's activity, until [Chats.Done], or until
// two minutes without activity.
func (cs *Chats) Acknowledge(client string, m mentions.Mention) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	h, ok := cs.latest.Peek(m.Message)
	if !ok || cs.closed {
		return
	}
	cs.dismiss(h.chat, m.Message)
	for _, c := range cs.Chats() { // it may have been left, and be open again
		if h.chat.Err() != nil && c.Path() == h.chat.Path() {
			h.chat = c
		}
	}
	if h.chat.Hold() {
		cs.attend(h.chat).taken[m.Message] = &taken{client: client, last: time.Now()}
	}
}

// Done removes the display of [Chats.Acknowledge].
func (cs *Chats) Done(m mentions.Mention) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if h, ok := cs.latest.Peek(m.Message); ok {
		cs.dismiss(h.chat, m.Message)
	}
}

// attend starts to follow a chat. The caller holds mu, and Chats is not closed.
func (cs *Chats) attend(c *chat.Chat) *attended {
	a := cs.attended[c]
	if a == nil {
		a = &attended{wake: make(chan struct{}, 1), in: map[string]awareness.User{}, taken: map[string]*taken{}}
		cs.attended[c] = a
		cs.start(func() { cs.follow(c, a) })
	}
	a.look()
	return a
}

func (a *attended) look() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// dismiss forgets a taken mention. The caller holds mu.
func (cs *Chats) dismiss(c *chat.Chat, message string) {
	a := cs.attended[c]
	if a == nil || a.taken[message] == nil {
		return
	}
	delete(a.taken, message)
	c.Release()
	a.look()
}

// follow shows the clients' activity in an attended chat, and their current names there, while it has clients or mentions.
func (cs *Chats) follow(c *chat.Chat, a *attended) {
	defer cs.leave(c, a)
	var shown []chat.Writer
	var met time.Time
	for {
		changed := cs.clients.Changed() // before the check
		if time.Since(met) >= lookEvery {
			cs.meet(c)
			met = time.Now()
		}
		cs.rename(c, a)
		writers, next := cs.writers(c, a)
		var rest time.Duration // zero if nothing was sent, so that the next mention is shown at once
		if !slices.Equal(writers, shown) {
			c.Show(writers...)
			shown, rest = writers, apart
		}
		if cs.over(c, a, len(shown) > 0) || !pause(cs.ctx, c, time.After(rest), nil, nil) || !pause(cs.ctx, c, time.After(next), a.wake, changed) {
			return
		}
	}
}

// pause waits for any of the three channels; it reports false if the chat or the context has ended.
func pause(ctx context.Context, c *chat.Chat, after <-chan time.Time, wake, changed <-chan struct{}) bool {
	select {
	case <-after:
	case <-wake:
	case <-changed:
	case <-c.Done():
		return false
	case <-ctx.Done():
		return false
	}
	return true
}

// over reports whether a chat is no longer attended.
func (cs *Chats) over(c *chat.Chat, a *attended, shown bool) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if shown || len(a.in)+len(a.taken) > 0 {
		return false
	}
	delete(cs.attended, c)
	return true
}

// leave ends attending a chat.
func (cs *Chats) leave(c *chat.Chat, a *attended) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for message := range a.taken {
		cs.dismiss(c, message)
	}
	if cs.attended[c] == a {
		delete(cs.attended, c)
	}
}

// meet records the names of the people in a chat.
func (cs *Chats) meet(c *chat.Chat) {
	for _, u := range persons(c) {
		cs.m.Presence.Met(nameOf(u))
	}
}

// rename enters renamed clients under their new names, and forgets clients that have left.
func (cs *Chats) rename(c *chat.Chat, a *attended) {
	anew := map[string]awareness.User{}
	cs.mu.Lock()
	for client, was := range a.in {
		if is, _, ok := cs.clients.Look(client); !ok {
			delete(a.in, client)
		} else if is.InChats != was {
			anew[client] = is.InChats
		}
	}
	cs.mu.Unlock()
	if len(anew) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(cs.ctx, sayWithin)
	defer stop()
	if err := c.Enter(ctx, slices.Collect(maps.Values(anew))...); err != nil {
		cs.m.Log().Info("another name in a chat", "path", c.Path(), "error", err)
		return // tried again later
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	maps.Copy(a.in, anew)
}

// writers returns the display for the clients that have mentions of a chat, and the time until it may change.
func (cs *Chats) writers(c *chat.Chat, a *attended) (all []chat.Writer, next time.Duration) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	now, by := time.Now(), map[string]chat.Writer{}
	next = lookEvery
	for message, t := range a.taken {
		is, does, ok := cs.clients.Look(t.client)
		if t.client == "" {
			is.InChats, ok = presence.Duet(), true
		}
		t.did(does, now)
		left := shownFor - now.Sub(t.last)
		if !ok || left <= 0 { // a client that has left has returned the mention
			cs.dismiss(c, message)
			continue
		}
		next = min(next, left)
		text := heardYou
		switch {
		case !t.told:
			t.told, next = true, 0
		case does.Listens() || by[t.client].Text != "":
			continue
		case does.Text != "":
			text = "is " + does.Text
		}
		by[t.client] = chat.Writer{User: is.InChats, Text: text}
	}
	for _, client := range slices.Sorted(maps.Keys(by)) {
		all = append(all, by[client])
	}
	return all, next
}

// did notes the client's activity. A client that waits for mentions is inactive.
func (t *taken) did(does presence.Doing, now time.Time) {
	did := does != t.does && does.Text != "" && !does.Listens()
	if goes := does.Goes && !does.Listens() || t.does.Goes && !t.does.Listens(); did || goes {
		t.last = now
	}
	t.does = does
}
