package chat

import (
	"context"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
)

// The parts of a chat.
type (
	// Message is a message as it was when it was read.
	Message = chatdoc.Message
	// Outgoing is a message to be sent. [Chat.Send] gives it an ID.
	Outgoing = chatdoc.Outgoing
	// User is a user known in a chat.
	User = chatdoc.User
	// Attachment is a cell or file attached to a message.
	Attachment = chatdoc.Attachment
	// Cell is a cell attached to a message.
	Cell = chatdoc.Cell
	// Selection is a selected text.
	Selection = chatdoc.Selection
)

// Chat is an open chat. All methods work while the connection is lost.
type Chat struct {
	k      *Keeper
	ctx    context.Context // until the chat ends; its cause is why
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
	live    *live         // nil before the first, while the room is rejoined, and at the end
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

// Path returns the chat's path, which changes when its file is renamed.
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

// Done returns a channel that is closed when the chat has ended; Err then returns [ErrGone], [ErrClosed], or the error that
// ended its room.
func (c *Chat) Done() <-chan struct{} { return c.done }

// Err returns nil until the chat has ended.
func (c *Chat) Err() error {
	select {
	case <-c.done:
		return context.Cause(c.ctx)
	default:
		return nil
	}
}

// Hold keeps the chat open until a further call of [Chat.Release], as [Keeper.Open] does. It returns false if the chat has
// ended.
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

// now returns the currently joined room, or nil.
func (c *Chat) now() *live {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live
}

// await is like now, but waits for a room that is being joined.
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

// Joined returns the currently joined room and its replica, for entries in its state, or false.
func (c *Chat) Joined() (room *rtc.Room, doc *chatdoc.Doc, ok bool) {
	lv := c.now()
	if lv == nil {
		return nil, nil, false
	}
	return lv.room, lv.doc, true
}

// Messages returns the last messages, at most [chatdoc.Window], in order; none while the room is rejoined.
func (c *Chat) Messages() []Message {
	if lv := c.now(); lv != nil {
		return lv.doc.Messages()
	}
	return nil
}

// Users returns the users known in the chat.
func (c *Chat) Users() []User {
	if lv := c.now(); lv != nil {
		return lv.doc.Users()
	}
	return nil
}

// Peers returns the other clients in the room.
func (c *Chat) Peers() []rtc.Peer {
	if lv := c.now(); lv != nil {
		return lv.room.Peers()
	}
	return nil
}
