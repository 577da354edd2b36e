package chat

import (
	"context"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
)

// What a chat consists of.
type (
	// Message is a message as it was when it was read.
	Message = chatdoc.Message
	// Outgoing is a message to be sent. [Chat.Send] gives it an ID.
	Outgoing = chatdoc.Outgoing
	// User is somebody who is known in a chat.
	User = chatdoc.User
	// Attachment is what a message is about.
	Attachment = chatdoc.Attachment
	// Cell is a cell that a message is about.
	Cell = chatdoc.Cell
	// Selection is a selected text.
	Selection = chatdoc.Selection
)

// Chat is an open chat. All methods work while the connection is lost.
type Chat struct {
	k      *Keeper
	ctx    context.Context // until the chat is to end; its cause is why
	stop   context.CancelCauseFunc
	opened chan struct{} // closed when its room was joined for the first time
	done   chan struct{} // closed when it has ended
	events events
	ledger ledger

	showing sync.Mutex // while writers are shown, so that the last state is the last that is shown
	mu      sync.Mutex
	path    jupyter.Path
	users   int           // callers that hold it
	unused  time.Time     // when users last became 0
	live    *live         // nil before the first, while the room is joined afresh, and at the end
	changed chan struct{} // closed when live changes next
	entered map[string]User
	writers []Writer
}

// live is one joined room with its replica.
type live struct {
	room *rtc.Room
	doc  *chatdoc.Doc
}

func newChat(k *Keeper, path jupyter.Path) *Chat {
	c := &Chat{
		k: k, path: path, users: 1,
		opened: make(chan struct{}), done: make(chan struct{}), changed: make(chan struct{}),
		events: newEvents(), ledger: newLedger(), entered: map[string]User{},
	}
	c.ctx, c.stop = context.WithCancelCause(k.ctx)
	return c
}

// Path is the chat's path, which changes when its file is renamed.
func (c *Chat) Path() jupyter.Path {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.path
}

func (c *Chat) setPath(p jupyter.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.path = p
	if c.live != nil {
		c.live.room.Rename(p)
	}
}

// Done is closed when the chat has ended; Err then says why: [ErrGone], [ErrClosed], or what ended its room.
func (c *Chat) Done() <-chan struct{} { return c.done }

// Err is nil until the chat has ended.
func (c *Chat) Err() error {
	select {
	case <-c.done:
		return context.Cause(c.ctx)
	default:
		return nil
	}
}

// Hold keeps the chat open until a further call of [Chat.Release], as [Keeper.Open] does. It reports false for a chat that
// has ended.
func (c *Chat) Hold() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return false
	}
	c.users++
	return true
}

// Release ends one Open or Hold. A chat that is not held is left after a while.
func (c *Chat) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users--; c.users == 0 {
		c.unused = time.Now()
	}
}

// leaveIdle ends the chat if it has not been held for Config.Idle, and returns when to look again.
func (c *Chat) leaveIdle() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.k.cfg.Idle
	if c.users <= 0 {
		if left -= time.Since(c.unused); left <= 0 {
			c.stop(ErrClosed)
		}
	}
	return left
}

// now is the room as it is joined now, or nil.
func (c *Chat) now() *live {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live
}

// await is now, but waits for a room that is being joined.
func (c *Chat) await(ctx context.Context) (*live, error) {
	for {
		c.mu.Lock()
		lv, changed := c.live, c.changed
		c.mu.Unlock()
		if lv != nil {
			return lv, nil
		}
		select {
		case <-changed:
		case <-c.done:
			return nil, c.Err()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Joined is the room as it is joined now, with its replica, for entries in its state, or false.
func (c *Chat) Joined() (room *rtc.Room, doc *chatdoc.Doc, ok bool) {
	lv := c.now()
	if lv == nil {
		return nil, nil, false
	}
	return lv.room, lv.doc, true
}

// Messages are the last messages, [chatdoc.Window] at most, in order; none while the room is joined afresh.
func (c *Chat) Messages() []Message {
	if lv := c.now(); lv != nil {
		return lv.doc.Messages()
	}
	return nil
}

// Users are those who are known in the chat.
func (c *Chat) Users() []User {
	if lv := c.now(); lv != nil {
		return lv.doc.Users()
	}
	return nil
}

// Peers are who else is in the room.
func (c *Chat) Peers() []rtc.Peer {
	if lv := c.now(); lv != nil {
		return lv.room.Peers()
	}
	return nil
}
