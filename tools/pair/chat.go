package pair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
)

// chats are the chats that a listener holds open.
type chats struct {
	only *chat.Chat // the chat that the call names
	stop context.CancelFunc
	end  func() // ends the status that is shown while it waits
	wg   sync.WaitGroup
	open []*chat.Chat // owned by the goroutine that opens them while it runs
}

func (c *chats) release() {
	if c.stop != nil {
		c.stop()
	}
	c.wg.Wait()
	if c.end != nil {
		c.end()
	}
	for _, one := range c.open {
		one.Release()
	}
}

// over returns a channel that is closed when the chat that the call names ends; nil if it names none.
func (c *chats) over() <-chan struct{} {
	if c.only == nil {
		return nil
	}
	return c.only.Done()
}

// why says why that chat has ended.
func (c *chats) why() error {
	if err := c.only.Err(); !errors.Is(err, chat.ErrGone) {
		return fmt.Errorf("the chat %s has ended: %w", c.only.Path(), err)
	}
	return fmt.Errorf("the chat %s was deleted, so you cannot be called there: wait without path, or in another", c.only.Path())
}

// listenInChat holds the chat open that a call names.
func (l *listener) listenInChat(ctx context.Context, path string) error {
	at, err := jupyter.ParsePath(path)
	if err != nil {
		return fmt.Errorf("path %s: %w", textfmt.Quoted(path), err)
	}
	c, err := openChat(ctx, l.d, at)
	if err != nil {
		return err
	}
	l.chats.only, l.chats.open = c, []*chat.Chat{c}
	l.chats.end = l.d.Chats.Listens(l.client)
	l.only = func(m mentions.Mention) bool { return m.InChat() && (m.Path == at || m.Path == c.Path()) }
	return l.enter(ctx, c)
}

// openChat opens a chat. Its error says what to do.
func openChat(ctx context.Context, d *deps.Deps, at jupyter.Path) (*chat.Chat, error) {
	c, err := d.Chats.Open(ctx, at)
	if errors.Is(err, jupyter.ErrNotFound) || errors.Is(err, chat.ErrGone) {
		return nil, fmt.Errorf("no chat %s on the Jupyter server: %w", textfmt.Quoted(at.String()), err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the chat %s: %w", textfmt.Quoted(at.String()), err)
	}
	return c, nil
}

// enter makes the client known in a chat, so that people can call it.
func (l *listener) enter(ctx context.Context, c *chat.Chat) error {
	if l.d.ReadOnly {
		return nil
	}
	return l.d.Chats.Enter(ctx, l.client, c)
}

// A waiting call checks each second for chats that people open, which their presence already shows, and every looks seconds
// for all chats, which takes a request to the server.
const (
	lookEvery = time.Second
	looks     = 30
)

// listenInChats holds open the chats in which a person may call, while the listener waits. It runs in a goroutine, because
// opening a chat takes a while and people may open further chats.
func (l *listener) listenInChats(ctx context.Context) {
	ctx, l.chats.stop = context.WithCancel(ctx)
	l.chats.end = l.d.Chats.Listens(l.client)
	l.chats.wg.Go(func() {
		tried := map[jupyter.Path]bool{} // since the last search for all chats
		for n := 0; ; n++ {
			l.openChats(ctx, n%looks == 0, tried)
			select {
			case <-time.After(lookEvery):
			case <-ctx.Done():
				return
			}
		}
	})
}

func (l *listener) openChats(ctx context.Context, all bool, tried map[jupyter.Path]bool) {
	if l.d.Chats.Lacking() {
		return
	}
	var paths, notebooks []jupyter.Path
	for _, c := range l.d.Chats.Chats() {
		paths = append(paths, c.Path())
	}
	if all {
		clear(tried)
		for _, doc := range l.docs {
			if doc.Notebook() != nil {
				notebooks = append(notebooks, doc.Path())
			}
		}
	}
	for _, path := range append(paths, l.d.Chats.Find(ctx, notebooks, l.d.Manager.Presence.LobbyPeers())...) {
		if l.chats.has(path) || tried[path] {
			continue
		}
		tried[path] = true
		c, err := l.d.Chats.Open(ctx, path)
		if errors.Is(err, chat.ErrNoChat) {
			return
		}
		if err == nil {
			l.chats.open = append(l.chats.open, c)
			err = l.enter(ctx, c)
		}
		if err != nil && ctx.Err() == nil {
			l.d.Manager.Log().Info("cannot watch a chat for mentions", "path", path, "error", err)
		}
	}
}

// has reports whether a chat is held open.
func (c *chats) has(path jupyter.Path) bool {
	return slices.ContainsFunc(c.open, func(one *chat.Chat) bool { return one.Err() == nil && one.Path() == path })
}
