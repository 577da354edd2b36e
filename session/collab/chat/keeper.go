package chat

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
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
	// Idle is how long a chat is kept that nobody uses (1 min).
	Idle time.Duration
	// Alone, if any, is called before a room is joined and waits for the turn; what it returns is called afterwards. The
	// first room of a server must be joined alone.
	Alone func(ctx context.Context) (leave func(joined bool))
	// Heard, if any, is called as a function that is given to [Chat.OnMessage], of each chat from its beginning.
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
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	chats  map[string]*Chat // by path, also those that are being opened
	noChat time.Time        // until when the server is taken to have no chats
	closed bool
}

// New makes a keeper of no chats.
func New(cfg Config) *Keeper {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Idle <= 0 {
		cfg.Idle = time.Minute
	}
	k := &Keeper{cfg: cfg, log: cfg.Logger, chats: map[string]*Chat{}}
	k.ctx, k.cancel = context.WithCancel(context.Background())
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
	c, err := k.chat(path)
	if err != nil {
		return nil, err
	}
	select {
	case <-c.opened:
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

// chat is the chat at a path, which is being opened if it was not.
func (k *Keeper) chat(path jupyter.Path) (*Chat, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, ErrClosed
	}
	if time.Now().Before(k.noChat) {
		return nil, ErrNoChat
	}
	c := k.chats[path.String()]
	if c == nil || !c.Hold() {
		c = newChat(k, path)
		k.chats[path.String()] = c
		k.wg.Go(staying{c}.keep)
		k.wg.Go(c.deliver)
	}
	return c, nil
}

// without notes that the server has no chats, for a minute: it may be restarted with them.
func (k *Keeper) without() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.noChat.IsZero() {
		k.log.Warn(ErrNoChat.Error())
	}
	k.noChat = time.Now().Add(time.Minute)
}

// Lacking reports whether the server was found to have no chats just now.
func (k *Keeper) Lacking() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return time.Now().Before(k.noChat)
}

// forget takes a chat out that has ended.
func (k *Keeper) forget(c *Chat) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key := c.Path().String(); k.chats[key] == c {
		delete(k.chats, key)
	}
}

// moved gives a chat another path.
func (k *Keeper) moved(c *Chat, to jupyter.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key := c.Path().String(); k.chats[key] == c {
		delete(k.chats, key)
	}
	c.setPath(to)
	if k.chats[to.String()] == nil {
		k.chats[to.String()] = c
	}
}

// Chats are the chats that are open, in the order of their paths.
func (k *Keeper) Chats() []*Chat {
	k.mu.Lock()
	defer k.mu.Unlock()
	var open []*Chat
	for _, c := range k.chats {
		select {
		case <-c.opened:
			if c.Err() == nil {
				open = append(open, c)
			}
		default:
		}
	}
	slices.SortFunc(open, func(a, b *Chat) int { return strings.Compare(a.Path().String(), b.Path().String()) })
	return open
}

// Close leaves all chats, and waits until that is done; the context bounds what is said in leaving.
func (k *Keeper) Close(ctx context.Context) {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	defer context.AfterFunc(ctx, k.cancel)()
	for _, c := range k.all() {
		c.stop(ErrClosed)
	}
	k.wg.Wait()
	k.cancel()
}

func (k *Keeper) all() (chats []*Chat) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.chats {
		chats = append(chats, c)
	}
	return chats
}
