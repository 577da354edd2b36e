package chatwatch

import (
	"cmp"
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/collab/lease"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/session/textfmt"
)

const (
	// maxSays is how much of a message's text is kept, in characters.
	maxSays = 8_000
	// maxAttached is how many of its cells and files are kept.
	maxAttached = 20
	// maxWaiting is how many mentions of a chat may wait; further ones are counted with the last of them.
	maxWaiting = 20
)

// said is the content of a message to us.
type said struct {
	text    string
	to      []string
	command mentions.Command
}

// hear handles one event of a chat.
func (cs *Chats) hear(c *chat.Chat, e chat.Event) {
	id := e.Message.ID
	cs.mu.Lock()
	h, _ := cs.latest.Peek(id)
	if h == nil && e.Kind == chat.Sent {
		h = &received{chat: c}
		cs.latest.Add(id, h)
	}
	if h != nil {
		h.chat = c // a closed chat may be open again
	}
	cs.mu.Unlock()
	if h == nil {
		return // it was there before we joined
	}
	if !isAgent(e.Message.Sender) {
		cs.m.Presence.Met(nameOf(e.Message.Sender))
	}
	var s said
	calls := false
	if e.Kind != chat.Deleted {
		s, calls = cs.read(c, e.Message)
	}
	book := cs.m.Mentions
	switch mention := cs.mentionOf(h); {
	case mention == "":
	case calls && s.command == mentions.NoCommand:
		book.Edit(mention, s.text)
		return
	case book.Withdraw(mention):
		cs.mu.Lock()
		h.mention = ""
		cs.mu.Unlock()
	case calls:
	case e.Kind == chat.Edited:
		book.Edit(mention, said{text: e.Message.Body}.cut())
		return
	}
	if !calls {
		h.command = mentions.NoCommand
		return
	}
	if agent := isAgent(e.Message.Sender); s.command != mentions.NoCommand && !agent {
		if h.command == s.command {
			return
		}
		if h.command = s.command; cs.obey(c, e.Message, s.command) {
			return
		}
	}
	cs.add(c, h, e.Message, s)
}

// mentionOf is guarded, because other goroutines read h, too.
func (cs *Chats) mentionOf(h *received) string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return h.mention
}

// read determines whether a message is addressed to us.
func (cs *Chats) read(c *chat.Chat, m chat.Message) (s said, ok bool) {
	to, all := cs.named(m)
	calls := cs.m.Mentions.InText(m.Body)
	if len(calls) > 0 {
		persons := persons(c)
		calls = slices.DeleteFunc(calls, func(call mentions.Call) bool {
			if all && len(call.To) == 0 || slices.ContainsFunc(call.To, func(client string) bool { return slices.Contains(to, client) }) {
				return false
			}
			return slices.ContainsFunc(persons, func(u chat.User) bool {
				return slices.ContainsFunc([]string{u.DisplayName, u.Name, u.Username}, func(name string) bool {
					return name != "" && mentions.SameName(name, call.Name)
				})
			})
		})
	}
	s.text, s.to = m.Body, to
	for i, call := range calls {
		if i == 0 && call.First {
			s.text = call.Rest
		}
		if s.command == mentions.NoCommand {
			s.command = call.Command
		}
		for _, client := range call.To {
			if !slices.Contains(s.to, client) {
				s.to = append(s.to, client)
			}
		}
		all = all || len(call.To) == 0
	}
	ok = all || len(s.to) > 0
	if all {
		s.to = nil
	}
	s.text = s.cut()
	return s, ok
}

// named returns the clients that a message mentions according to the sender's tab, and whether it mentions all of us. Our
// usernames without a client here belong to another process.
func (cs *Chats) named(m chat.Message) (clients []string, all bool) {
	clients = lo.FilterMap(m.Mentions, func(username string, _ int) (string, bool) { return cs.clients.With(username) })
	return clients, slices.Contains(m.Mentions, presence.Everybody)
}

func (s said) cut() string {
	text, _ := textfmt.Cut(s.text, maxSays)
	return text
}

// persons returns the people in a chat: its users and those who have it open.
func persons(c *chat.Chat) []chat.User {
	all := slices.DeleteFunc(slices.Clone(c.Users()), isAgent)
	for _, p := range c.Peers() {
		if !p.Agent && !presence.Ours(p.User.Username) {
			all = append(all, chat.User{User: p.User})
		}
	}
	return all
}

// isAgent reports whether a user is an agent. For users who have left a chat's list, only the username is known.
func isAgent(u chat.User) bool { return u.Agent() || presence.Ours(u.Username) }

// nameOf returns a user's displayed name.
func nameOf(u chat.User) string { return cmp.Or(u.DisplayName, u.Name, u.Username) }

// add makes a mention of a message.
func (cs *Chats) add(c *chat.Chat, h *received, m chat.Message, s said) {
	book := cs.m.Mentions
	if waiting := cs.waiting(c); len(waiting) >= maxWaiting {
		book.Further(waiting[len(waiting)-1])
		return
	}
	who := mentions.Who{Name: nameOf(m.Sender), Username: m.Sender.Username, Agent: isAgent(m.Sender)}
	id := book.Add(mentions.Mention{
		Path: c.Path(), Message: m.ID, Says: s.text, Who: who, At: time.Now(), To: s.to, Attached: attachedTo(m),
	})
	cs.mu.Lock()
	defer cs.mu.Unlock()
	h.mention, h.announced = id, who.Agent
	if !who.Agent && !cs.watching[c] {
		cs.watching[c] = true
		cs.start(func() { cs.watch(c) })
	}
}

// waiting returns the mentions of a chat that no client has taken, the oldest first.
func (cs *Chats) waiting(c *chat.Chat) (ids []string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, l := range cs.m.Mentions.List(mentions.Asks{Agents: true, Fits: func(m mentions.Mention) bool {
		h, ok := cs.latest.Peek(m.Message)
		return ok && h.chat == c
	}}) {
		if l.Taken == "" {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

func attachedTo(m chat.Message) (all []mentions.Attached) {
	for _, a := range m.Attachments {
		if len(a.Cells) == 0 {
			all = append(all, mentions.Attached{Path: a.Path, Selected: selected(a.Selection)})
		}
		for _, cell := range a.Cells {
			all = append(all, mentions.Attached{Path: a.Path, Cell: cell.ID, Selected: selected(cell.Selection)})
		}
	}
	return all[:min(len(all), maxAttached)]
}

func selected(s *chat.Selection) string {
	if s == nil {
		return ""
	}
	return said{text: s.Content}.cut()
}

// place finds the room of a mention's chat, unless it is not joined.
func (cs *Chats) place(m mentions.Mention) (p lease.Place, ok bool) {
	c := cs.Of(m)
	if c == nil {
		return p, false
	}
	room, doc, ok := c.Joined()
	return lease.Place{Room: room, State: doc}, ok
}
