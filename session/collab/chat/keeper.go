package chat

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Config says where chats are, and how they are kept. Server and User are required.
type Config struct {
	Server *jupyter.Server
	// User is as whom the rooms are joined. Who writes is said by each message.
	User   awareness.User
	Timing rtc.Timing
	Logger *slog.Logger
	// Idle is how long a chat is kept that nothing holds (1 min).
	Idle time.Duration
	// Alone, if any, is called before a room is joined and waits for the turn; what it returns is called afterwards. The
	// first room of a server must be joined alone.
	Alone func(ctx context.Context) (leave func(joined bool))
	// Heard, if any, is called for each message that others write, change or delete after its chat was opened. It is called
	// by a goroutine of the chat, for one event after another.
	Heard func(*Chat, Event)
}

// Periods of a chat.
const (
	openFor  = 2 * time.Minute  // opening one, and leaving it
	lookFor  = 5 * time.Second  // its id, which shows that the server knows chats
	lookAt   = 10 * time.Second // between two looks at its file
	leaveFor = 10 * time.Second
)

// Keeper keeps the chats of one server.
type Keeper struct {
	cfg    Config
	ctx    context.Context // until Close, with the cause ErrClosed
	stop   context.CancelCauseFunc
	last   context.Context // bounds leaving the rooms
	cancel context.CancelFunc
	wg     sync.WaitGroup
	noChat atomic.Int64 // until when the server is taken to have no chats, in nanoseconds; 0 if it never was

	mu    sync.Mutex
	chats []*Chat // that have not ended, also those that are being opened
}

// New makes a keeper of no chats.
func New(cfg Config) *Keeper {
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.Idle = cmp.Or(max(cfg.Idle, 0), time.Minute)
	if cfg.Alone == nil {
		cfg.Alone = func(context.Context) func(bool) { return func(bool) {} }
	}
	if cfg.Heard == nil {
		cfg.Heard = func(*Chat, Event) {}
	}
	k := &Keeper{cfg: cfg}
	k.ctx, k.stop = context.WithCancelCause(context.Background())
	k.last, k.cancel = context.WithCancel(context.Background())
	return k
}

var (
	// ErrNoChat says that the server has no jupyterlab-chat, or one that is too old.
	ErrNoChat = errors.New("the Jupyter server has no jupyterlab-chat, or one before 0.25 (pip install -U jupyterlab-chat, and restart it)")
	// ErrNotChat says that a file is no chat.
	ErrNotChat = errors.New("not a chat: that is a .chat file with JSON, or an empty one")
	// ErrGone says that the file of an open chat was deleted.
	ErrGone = errors.New("the chat's file is gone")
	// ErrClosed says that a chat was left.
	ErrClosed = errors.New("the chat was left")
)

// suffix is how the names of chats end.
const suffix = ".chat"

// IsChat reports whether a path is that of a chat, by its name.
func IsChat(path jupyter.Path) bool { return strings.HasSuffix(path.String(), suffix) }

// Open opens a chat, or returns the one that is open already, for one more to use: each call is to be followed by
// [Chat.Release]. The error matches [ErrNoChat], [ErrNotChat] or what [jupyter.Contents.Get] and [rtc.Join] say.
func (k *Keeper) Open(ctx context.Context, path jupyter.Path) (*Chat, error) {
	if !IsChat(path) {
		return nil, ErrNotChat
	}
	c, err := k.hold(path)
	if err != nil {
		return nil, err
	}
	select {
	case <-c.opened:
	case <-c.done:
	case <-ctx.Done():
		c.Release()
		return nil, context.Cause(ctx)
	}
	if err := c.Err(); err != nil {
		c.Release()
		return nil, err
	}
	return c, nil
}

// hold holds the chat at a path, and begins to open it if it is not open.
func (k *Keeper) hold(path jupyter.Path) (*Chat, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() != nil {
		return nil, ErrClosed
	}
	if k.Lacking() {
		return nil, ErrNoChat
	}
	for _, c := range k.chats {
		if c.Path() == path && c.Hold() {
			return c, nil
		}
	}
	c := newChat(k, path)
	k.chats = append(k.chats, c)
	k.wg.Go(staying{c}.keep)
	k.wg.Go(c.deliver)
	return c, nil
}

// without notes that the server has no chats, for a minute: it may be restarted with them.
func (k *Keeper) without() {
	if k.noChat.Swap(time.Now().Add(time.Minute).UnixNano()) == 0 {
		k.cfg.Logger.Warn(ErrNoChat.Error())
	}
}

// Lacking reports whether the server was found to have no chats just now.
func (k *Keeper) Lacking() bool { return time.Now().UnixNano() < k.noChat.Load() }

// forget removes a chat that ends.
func (k *Keeper) forget(c *Chat) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.chats = slices.DeleteFunc(k.chats, func(other *Chat) bool { return other == c })
}

// Chats are the chats that are open, in the order of their paths.
func (k *Keeper) Chats() []*Chat {
	k.mu.Lock()
	defer k.mu.Unlock()
	var open []*Chat
	for _, c := range k.chats {
		select {
		case <-c.opened:
			open = append(open, c)
		default:
		}
	}
	slices.SortFunc(open, func(a, b *Chat) int { return a.Path().Compare(b.Path()) })
	return open
}

// Close leaves all chats, and waits until that is done; the context bounds what is said in leaving.
func (k *Keeper) Close(ctx context.Context) {
	k.mu.Lock()
	k.stop(ErrClosed) // no further chat is opened
	k.mu.Unlock()
	defer context.AfterFunc(ctx, k.cancel)()
	k.wg.Wait()
	k.cancel()
}
