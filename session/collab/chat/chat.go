package chat

import (
	"context"
	"sync"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/chatdoc"
)

// What a chat consists of.
type (
	// Message is a message as it was when it was read.
	Message = chatdoc.Message
	// User is somebody who is known in a chat.
	User = chatdoc.User
	// Attachment is what a message is about.
	Attachment = chatdoc.Attachment
	// Cell is a cell that a message is about.
	Cell = chatdoc.Cell
	// Selection is a selected text.
	Selection = chatdoc.Selection
)

// Chat is an open chat. Everything but the functions of [Chat.OnMessage] goes on while the connection is lost.
type Chat struct {
	k      *Keeper
	opened chan struct{}   // closed when it is open, or cannot be opened
	done   chan struct{}   // closed when it has ended
	ctx    context.Context // until the chat is to end
	stop   context.CancelCauseFunc
	calls  calls
	ledger ledger

	showing sync.Mutex // while writers are shown, so that the last state is the last that is shown
	mu      sync.Mutex
	path    jupyter.Path
	users   int           // who use it
	idle    chan struct{} // has a value when users has become 0
	live    *live         // nil before the first, and while the room is joined afresh
	changed chan struct{} // closed when live changes next
	err     error         // why it ended
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
		opened: make(chan struct{}), done: make(chan struct{}),
		idle: make(chan struct{}, 1), changed: make(chan struct{}),
		calls: newCalls(), ledger: newLedger(), entered: map[string]User{},
	}
	c.ctx, c.stop = context.WithCancelCause(context.Background())
	if k.cfg.Heard != nil {
		c.calls.add(func(e Event) { k.cfg.Heard(c, e) })
	}
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
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Hold counts one more who use the chat, and are to call [Chat.Release], as [Keeper.Open] does. It reports false for one that
// has ended.
func (c *Chat) Hold() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil || c.err != nil {
		return false
	}
	c.users++
	return true
}

// Release says that one of those who opened the chat needs it no longer. Without any it is left after a while.
func (c *Chat) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users--; c.users == 0 {
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
}

// leaveIdle has the chat end if nobody uses it.
func (c *Chat) leaveIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users <= 0 {
		c.stop(ErrClosed)
	}
}

// now is the room as it is now joined, nil while there is none.
func (c *Chat) now() *live {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live
}

// await is now, but waits for a room that is being joined.
func (c *Chat) await(ctx context.Context) (*live, error) {
	for {
		c.mu.Lock()
		lv, err, changed := c.live, c.err, c.changed
		c.mu.Unlock()
		if err != nil {
			return nil, err
		}
		if lv != nil {
			return lv, nil
		}
		select {
		case <-changed:
		case <-c.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Messages are the last messages, [chatdoc.Window] at most, in order; none while the room is joined afresh.
func (c *Chat) Messages() []Message {
	if lv := c.now(); lv != nil {
		return lv.doc.Messages()
	}
	return nil
}

// Message is the message of that id, if it is among the last.
func (c *Chat) Message(id string) (Message, bool) {
	if lv := c.now(); lv != nil {
		return lv.doc.Message(id)
	}
	return Message{}, false
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

// OnMessage has f called for each message that others write, change or take back from now on; those that are there when
// the chat is opened are not told. f is called by a goroutine of the chat, one event after the other.
func (c *Chat) OnMessage(f func(Event)) (stop func()) { return c.calls.add(f) }

// deliver calls the functions that were given to OnMessage.
func (c *Chat) deliver() { c.calls.run(c.done) }
