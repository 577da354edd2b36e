package kernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// User is the user of a Link: a notebook, or an analysis session without one.
type User interface {
	// Obtain finds the kernel or starts it. The link calls it while locked.
	Obtain(ctx context.Context) (k jupyter.Kernel, started bool, err error)
	// Whose names the kernel's owner in a sentence: "the notebook's".
	Whose() string
}

// Link is the connection of a document or an analysis session to its kernel; people's tabs share a document's kernel.
// It connects at its first use, and again when the kernel it was connected to is gone.
type Link struct {
	user   User
	server *jupyter.Server // the kernels' server
	log    *slog.Logger

	mu   sync.Mutex
	conn *Conn
	id   string
	lost string // the id of the former kernel, which is gone
	shut bool   // it was shut down, and the server may still have it
	how  string // how it ended: "died", "been shut down" and similar
	news string // for the next run, in addition to the connection's news

	instead atomic.Pointer[string] // likewise, set while the kernel is obtained; nil if absent
}

// NewLink returns the link of a user to its kernel on a server.
func NewLink(user User, server *jupyter.Server, log *slog.Logger) *Link {
	return &Link{user: user, server: server, log: log}
}

// Connect returns a working connection to the user's kernel. The news reports changes of the kernel since the last run; it
// may be empty.
func (k *Link) Connect(ctx context.Context) (conn *Conn, news string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if conn, news, err = k.connect(ctx); err != nil {
		return nil, "", err
	}
	return conn, k.withInstead(news), nil
}

// Instead sets the news that a replacement kernelspec was started. It may be called while the link is locked.
func (k *Link) Instead(news string) { k.instead.Store(&news) }

// withInstead adds the news of Instead, once.
func (k *Link) withInstead(news string) string {
	instead := k.instead.Swap(nil)
	switch {
	case instead == nil:
		return news
	case news == "":
		return *instead
	}
	return *instead + "; " + news
}

// connect is Connect without the news of Instead. k.mu is held.
func (k *Link) connect(ctx context.Context) (conn *Conn, news string, err error) {
	if k.conn != nil {
		if k.conn.Gone() == nil && k.conn.Err() == nil {
			if err := k.server.Known(ctx, "use a kernel's connection", k.id); err != nil {
				return nil, "", err
			}
			if err := awake(ctx, k.conn); err != nil {
				return nil, "", err
			}
		}
		if k.conn.Gone() == nil && k.conn.Err() == nil {
			return k.conn, cmp.Or(RestartNews(k.conn.Restarted()), k.takeNews()), nil
		}
		k.drop()
	}
	for try := 0; ; try++ {
		conn, news, err = k.dial(ctx)
		// It may have been shut down since it was found.
		if try > 0 || !errors.Is(err, jupyter.ErrNotFound) {
			return conn, news, err
		}
	}
}

// dial connects to the user's kernel, starting it if necessary. k.mu is held.
func (k *Link) dial(ctx context.Context) (conn *Conn, news string, err error) {
	if err := k.awaitGone(ctx); err != nil {
		return nil, "", fmt.Errorf("wait for the end of a kernel that was shut down: %w", err)
	}
	found, started, err := k.user.Obtain(ctx)
	if err != nil {
		return nil, "", err
	}
	if found.ExecutionState == StateDead {
		// The server has given up on starting it again.
		if _, err := k.server.Kernels.Restart(ctx, found.ID); err != nil {
			return nil, "", fmt.Errorf("restart the dead kernel: %w", err)
		}
		news = RestartNews(ErrKernelDied)
	}
	conn, err = Dial(ctx, k.server, found.ID, Options{Logger: k.log})
	if err != nil {
		return nil, "", err
	}
	switch {
	case k.lost == "" || k.lost == found.ID:
	case started:
		news = fmt.Sprintf("%s kernel had %s, so a new one (%s) was started: the earlier variables are gone", k.user.Whose(), k.how, found.Name)
	default:
		news = fmt.Sprintf("%s kernel was replaced by another (%s): the earlier variables are gone", k.user.Whose(), found.Name)
	}
	k.conn, k.id, k.lost = conn, found.ID, ""
	return conn, cmp.Or(news, k.takeNews()), nil
}

// goneWait is how long to wait for the server to remove a kernel that was shut down, and goneAsk the time between two
// checks.
const (
	goneWait = 10 * time.Second
	goneAsk  = 50 * time.Millisecond
)

// awaitGone waits until the server no longer has the former kernel, if that was shut down. The kernel announces its end
// before the server removes it: until then the session still has the old kernel, and a connection to that hangs for a
// minute. k.mu is held.
func (k *Link) awaitGone(ctx context.Context) error {
	if !k.shut {
		return nil
	}
	pause := time.NewTicker(goneAsk)
	defer pause.Stop()
	for end := time.Now().Add(goneWait); time.Now().Before(end); {
		if _, err := k.server.Kernels.Get(ctx, k.lost); err != nil {
			break // it is gone, or the next step returns the error
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	k.shut = false
	return nil
}

// takeNews returns the news, once. k.mu is held.
func (k *Link) takeNews() string {
	news := k.news
	k.news = ""
	return news
}

// RestartNews is the news for a run about a restart before it.
func RestartNews(err error) string {
	switch {
	case errors.Is(err, ErrKernelDied):
		return "the kernel's process ended and was restarted: the earlier variables are gone"
	case err != nil:
		return "the kernel was restarted since the last run: the earlier variables are gone"
	}
	return ""
}

// drop closes a connection that has ended. k.mu is held.
func (k *Link) drop() {
	if err := k.conn.Gone(); err != nil {
		k.noteLost(k.id, err)
	} else if err := k.conn.Err(); errors.As(err, new(*GatewayError)) {
		k.noteLost(k.id, err)
	}
	_ = k.conn.Close() // its runs know why it ended
	k.conn, k.id = nil, ""
}

// noteLost notes that a kernel is gone, and how. k.mu is held.
func (k *Link) noteLost(id string, err error) {
	k.lost, k.how = id, "died"
	k.shut = errors.Is(err, ErrShutDown)
	switch {
	case errors.Is(err, ErrServerRestarted):
		k.how = "ended with its Jupyter server, which was restarted"
	case errors.Is(err, ErrShutDown):
		k.how = "been shut down"
	case errors.As(err, new(*GatewayError)):
		k.how = "been lost with its gateway"
	}
}

// Forget drops the connection to a kernel that a run has found dead, so that the next run looks for a new one.
func (k *Link) Forget(conn *Conn, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn == conn {
		k.drop()
		k.noteLost(conn.KernelID(), err)
	}
}

// Correct returns a kernel's state, given the state that the server reports (told); see [Conn.Correct].
func (k *Link) Correct(id, told string) string {
	if !k.mu.TryLock() {
		return told // the link is connecting: the server knows best
	}
	defer k.mu.Unlock()
	if k.conn == nil || k.id != id {
		return told
	}
	return k.conn.Correct(told)
}

// Close closes the connection, if any. The kernel keeps running.
func (k *Link) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn != nil {
		_ = k.conn.Close() // its error does not matter: the kernel keeps running
		k.conn, k.id = nil, ""
	}
}

// Renew closes the connection to a process that was replaced on request, without news: the caller knows.
func (k *Link) Renew() {
	k.Close()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lost, k.news, k.shut = "", "", false
}

// Say sets news for the next run.
func (k *Link) Say(news string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.news = news
}

// Connected reports whether there is a connection.
func (k *Link) Connected() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.conn != nil
}

// KernelID returns the id of the connected kernel, or of the one named by Take; "" for none.
func (k *Link) KernelID() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.id
}

// Take names the kernel that a run uses without a connection, and returns the news for the run.
func (k *Link) Take(id string) (news string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.id = id
	return k.withInstead(k.takeNews())
}

// Missing notes, unless the link knows more, that the kernel with the id has been shut down. It is for [User.Obtain].
func (k *Link) Missing(id string) {
	if k.lost == "" {
		k.lost, k.how = id, "been shut down"
	}
}
