package chat

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
)

// member returns one of our users as a chat user: it can be mentioned by its display name, and its full name marks it as an
// AI.
func member(u awareness.User) User {
	u.Name = cmp.Or(u.Name, u.DisplayName)
	u.DisplayName = cmp.Or(u.DisplayName, strings.TrimSpace(strings.TrimSuffix(u.Name, awareness.AIMark)))
	if !strings.Contains(u.Name, awareness.AIMark) {
		u.Name += " " + awareness.AIMark
	}
	return User{User: u}
}

// Enter makes some of our users known in the chat: people can then mention them with "@" and the display name.
func (c *Chat) Enter(ctx context.Context, users ...awareness.User) error {
	return c.write(ctx, func(lv *live) error {
		for _, u := range users {
			m := member(u)
			if err := lv.doc.Enter(m); err != nil {
				return err
			}
			c.noteEntered(m)
		}
		return nil
	})
}

// Send sends a message from one of our users, and returns its id when the room has it.
func (c *Chat) Send(ctx context.Context, from awareness.User, m Outgoing) (id string, err error) {
	u := member(from)
	m.ID = chatdoc.NewID()
	c.ledger.mine(m.ID)
	err = c.write(ctx, func(lv *live) error {
		_, err := lv.doc.Append(u, m)
		if err == nil {
			c.noteEntered(u)
		}
		return err
	})
	return m.ID, err
}

// write makes an edit and waits until the room has it.
func (c *Chat) write(ctx context.Context, edit func(lv *live) error) error {
	lv, err := c.await(ctx)
	if err != nil {
		return err
	}
	if err := edit(lv); err != nil {
		return fmt.Errorf("write to the chat %s: %w", c.Path(), err)
	}
	if err := lv.room.Barrier(ctx); err != nil {
		return fmt.Errorf("write to the chat %s: %w", c.Path(), err)
	}
	return nil
}

// maxEntered is how many of our users are entered again in a room that is rejoined.
const maxEntered = 100

func (c *Chat) noteEntered(u User) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.entered[u.Username]; known || len(c.entered) < maxEntered {
		c.entered[u.Username] = u
	}
}

// Known reports whether one of our users was entered in the chat, or has written there.
func (c *Chat) Known() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entered) > 0
}

// enterAgain enters the known users in a new replica.
func (c *Chat) enterAgain(lv *live) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range c.entered {
		if err := lv.doc.Enter(u); err != nil {
			c.k.cfg.Logger.Warn("rejoining a chat", "path", c.path, "error", err)
		}
	}
}

// Writer is one of our users who is shown as writing. If Text is not empty, it is shown after the name instead, such as "is
// running cell 4".
type Writer struct {
	User awareness.User
	Text string
}

// maxIndicator is the maximum length of Writer.Text, in characters.
const maxIndicator = 100

// Show replaces the users that are shown as writing. If a user occurs several times, the last entry is shown. Each change is
// sent at once.
func (c *Chat) Show(writers ...Writer) {
	c.mu.Lock()
	c.writers = writers
	c.mu.Unlock()
	c.showWriters()
}

// shownWriter is a writer in the form that jupyterlab-chat 0.25 reads from the awareness states of a room (its model.ts,
// collectWritersFromAwareness).
type shownWriter struct {
	User      map[string]any `json:"user"`
	Indicator string         `json:"typingIndicator,omitempty"`
}

// showWriters announces who is writing, under one key: the room has one awareness state for all our clients.
func (c *Chat) showWriters() {
	c.showing.Lock()
	defer c.showing.Unlock()
	c.mu.Lock()
	lv := c.live
	at := map[string]int{}
	var shown []shownWriter
	for _, w := range c.writers {
		u, text := member(w.User), strings.Join(strings.Fields(textfmt.Plain(w.Text)), " ")
		s := shownWriter{map[string]any{
			"username": u.Username, "name": u.Name, "display_name": u.DisplayName, "initials": u.Initials, "color": u.Color, "bot": false,
		}, string([]rune(text)[:min(maxIndicator, textfmt.Size(text))])}
		if i, there := at[u.Username]; there {
			shown[i] = s
			continue
		}
		at[u.Username] = len(shown)
		shown = append(shown, s)
	}
	c.mu.Unlock()
	if lv == nil {
		return // shown when it is joined
	}
	var v any
	if len(shown) > 0 {
		v = shown
	}
	if err := lv.room.SetFurther("writers", v); err != nil {
		c.k.cfg.Logger.Warn("showing the writers", "path", c.Path(), "error", err)
	}
}
