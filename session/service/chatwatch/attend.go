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

// attended is a chat in which clients are, or have mentions.
type attended struct {
	wake  chan struct{}
	in    map[string]awareness.User // as whom clients are known there
	taken map[string]*taken         // by the message's id
}

// taken is a mention that a client has and has not answered. The chat is held for it.
type taken struct {
	client string
	told   bool           // that it was heard
	does   presence.Doing // what the client did when it was looked last
	last   time.Time      // when it last did something
}

const (
	// shownFor is how long it is shown that a mention was heard, from the last that its client did.
	shownFor = 2 * time.Minute
	heardYou = "has heard you"
	// apart is how long there is between two changes of what is shown in a chat.
	apart = time.Second
	// lookEvery is how often it is looked who is in a chat.
	lookEvery = 15 * time.Second
)

// User is as whom a client writes in chats; "" is the program itself.
func (cs *Chats) User(client string) awareness.User {
	if client == "" {
		return presence.Duet()
	}
	return cs.faces.Of(client).InChats
}

// Enter makes a client known in a chat, by its own name and by that of all, so that people can call it. When it is called
// something else, it is there, too.
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

// Listens notes that a client waits to be called, in chats too, until end is called.
func (cs *Chats) Listens(client string) (end func()) {
	place := new(byte) // that no other place equals
	cs.faces.Does(client, place, presence.Doing{Status: awareness.Status{Text: presence.Waiting, Since: time.Now().UnixMilli()}, Goes: true})
	return func() { cs.faces.Does(client, place, presence.Doing{}) }
}

// Heard shows in the chat that a client has taken a mention, and what it does then, until [Chats.Done], or until it has done
// nothing for two minutes.
func (cs *Chats) Heard(client string, m mentions.Mention) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	h, ok := cs.heard.Peek(m.Message)
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

// Done takes back what [Chats.Heard] shows.
func (cs *Chats) Done(m mentions.Mention) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if h, ok := cs.heard.Peek(m.Message); ok {
		cs.dismiss(h.chat, m.Message)
	}
}

// attend has a chat looked after. The caller holds mu, and Chats is not closed.
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

// dismiss forgets that a mention is taken. The caller holds mu.
func (cs *Chats) dismiss(c *chat.Chat, message string) {
	a := cs.attended[c]
	if a == nil || a.taken[message] == nil {
		return
	}
	delete(a.taken, message)
	c.Release()
	a.look()
}

// follow shows what the clients do in a chat that is attended, and as whom they are there, as long as there are such.
func (cs *Chats) follow(c *chat.Chat, a *attended) {
	defer cs.leave(c, a)
	var shown []chat.Writer
	var met time.Time
	for {
		changed := cs.faces.Changed() // before looking
		if time.Since(met) >= lookEvery {
			cs.meet(c)
			met = time.Now()
		}
		cs.rename(c, a)
		writers, next := cs.writers(c, a)
		var rest time.Duration // none where nothing was sent: what is heard next is shown at once
		if !slices.Equal(writers, shown) {
			c.Show(writers...)
			shown, rest = writers, apart
		}
		if cs.over(c, a, len(shown) > 0) || !pause(cs.ctx, c, time.After(rest), nil, nil) || !pause(cs.ctx, c, time.After(next), a.wake, changed) {
			return
		}
	}
}

// pause waits for any of three; it reports false if the chat has ended meanwhile, or the context.
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

// over reports whether a chat need be attended no longer.
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

// meet takes the names of the people in a chat.
func (cs *Chats) meet(c *chat.Chat) {
	for _, u := range persons(c) {
		cs.m.Presence.Met(nameOf(u))
	}
}

// rename enters those anew who are called something else, and forgets those who have left.
func (cs *Chats) rename(c *chat.Chat, a *attended) {
	anew := map[string]awareness.User{}
	cs.mu.Lock()
	for client, was := range a.in {
		if is, _, ok := cs.faces.Look(client); !ok {
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
		return // it is tried again
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	maps.Copy(a.in, anew)
}

// writers are what is to be shown of the clients that have mentions of a chat, and how long it is until that may be
// something else.
func (cs *Chats) writers(c *chat.Chat, a *attended) (all []chat.Writer, next time.Duration) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	now, by := time.Now(), map[string]chat.Writer{}
	next = lookEvery
	for message, t := range a.taken {
		is, does, ok := cs.faces.Look(t.client)
		if t.client == "" {
			is.InChats, ok = presence.Duet(), true
		}
		t.did(does, now)
		left := shownFor - now.Sub(t.last)
		if !ok || left <= 0 { // who has left has given it back
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

// did notes what the client does. Who waits for somebody to call does nothing.
func (t *taken) did(does presence.Doing, now time.Time) {
	did := does != t.does && does.Text != "" && !does.Listens()
	if goes := does.Goes && !does.Listens() || t.does.Goes && !t.does.Listens(); did || goes {
		t.last = now
	}
	t.does = does
}
