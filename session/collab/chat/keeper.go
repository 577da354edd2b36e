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

// Config configures a Keeper. Server and User are required.
type Config struct {
	Server *jupyter.Server
	// User is the user that joins the rooms. Each message names its own author.
	User   awareness.User
	Timing rtc.Timing
	Logger *slog.Logger
	// Idle is how long an unused chat is kept (1 min).
	Idle time.Duration
	// Alone, if set, is called before a room is joined and waits for its turn; the returned function is called after the join.
	// The first room of a server must be joined alone.
	Alone func(ctx context.Context) (leave func(joined bool))
	// Heard, if set, is called for each message that others write, change or delete after its chat was opened. It is called by
	// a goroutine of the chat, for one event after another.
	Heard func(*Chat, Event)
}

// Periods of a chat.
const (
	openFor  = 2 * time.Minute  // opening one, and leaving it
	lookFor  = 5 * time.Second  // waiting for its id, which shows that the server supports chats
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
	noChat atomic.Int64 // until when the server is assumed to lack chats, in nanoseconds; 0 if never

	mu    sync.Mutex
	chats []*Chat // not ended, including those being opened
}

// New returns a keeper without chats.
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
	// ErrNoChat means that the server has no jupyterlab-chat, or one that is too old.
	ErrNoChat = errors.New("the Jupyter server has no jupyterlab-chat, or one before 0.25 (pip install -U jupyterlab-chat, and restart it)")
	// ErrNotChat means that a file is not a chat.
	ErrNotChat = errors.New("not a chat: that is a .chat file with JSON, or an empty one")
	// ErrGone means that the file of an open chat was deleted.
	ErrGone = errors.New("the chat's file is gone")
	// ErrClosed means that the chat was left.
	ErrClosed = errors.New("the chat was left")
)

// suffix is the file extension of chats.
const suffix = ".chat"

// IsChat reports whether a path has the extension of a chat.
func IsChat(path jupyter.Path) bool { return strings.HasSuffix(path.String(), suffix) }

// Open opens a chat, or returns it if it is already open. Each successful call must be followed by [Chat.Release]. The error
// matches [ErrNoChat], [ErrNotChat] or an error of [jupyter.Contents.Get] or [rtc.Join].
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

// without notes that the server has no chats, for a minute: it may be restarted with jupyterlab-chat.
func (k *Keeper) without() {
	if k.noChat.Swap(time.Now().Add(time.Minute).UnixNano()) == 0 {
		k.cfg.Logger.Warn(ErrNoChat.Error())
	}
}

// Lacking reports whether the server was recently found to have no chats.
func (k *Keeper) Lacking() bool { return time.Now().UnixNano() < k.noChat.Load() }

// forget removes a chat that ends.
func (k *Keeper) forget(c *Chat) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.chats = slices.DeleteFunc(k.chats, func(other *Chat) bool { return other == c })
}

// Chats returns the open chats, in the order of their paths.
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

// Close leaves all chats and waits until they have ended. The context bounds the requests made while leaving.
func (k *Keeper) Close(ctx context.Context) {
	k.mu.Lock()
	k.stop(ErrClosed) // no further chat is opened
	k.mu.Unlock()
	defer context.AfterFunc(ctx, k.cancel)()
	k.wg.Wait()
	k.cancel()
}
