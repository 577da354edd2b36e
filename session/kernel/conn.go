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

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Options for [Dial].
type Options struct {
	// Logger gets lost and regained connections and unreadable frames; nil logs nothing.
	Logger *slog.Logger
}

// timing holds the waits of a connection; tests shorten them.
type timing struct {
	greet     time.Duration // between our info requests on a new socket, until the kernel's first message
	greetWait time.Duration // how long to wait for that message before writing anyway
	ping      time.Duration // between our pings
	away      time.Duration // time without any frame after which to check that the server is running
	silence   time.Duration // time without any frame after which the socket is closed
	opening   time.Duration // how long the server may wait for its kernel before it reads a new socket
	askAfter  time.Duration // silence, while a request is pending, after which to query the server for the kernel
	tick      time.Duration // between checks of the above
	trailing  time.Duration // how long to wait for the last output of a finished request after a lost connection
	redial    time.Duration // how long to retry a lost connection if the server does not answer
	redialMax time.Duration // the same if it does
	redialOne time.Duration // for one attempt
	look      time.Duration // for one check that the server answers
	gateless  time.Duration // how long to wait for an unresponsive gateway when the kernel is silent too
}

var defaultTiming = timing{
	greet: 500 * time.Millisecond, greetWait: 2 * time.Second,
	ping: 3 * time.Second, away: 10 * time.Second, silence: GiveUpAfter, opening: 75 * time.Second, askAfter: 10 * time.Second, tick: time.Second,
	trailing: 2 * time.Second, redial: RefusedFor, redialMax: 90 * time.Second, redialOne: 30 * time.Second, look: 2 * time.Second, gateless: 3 * time.Second,
}

// Conn is one client's connection to one kernel. It is safe for concurrent use.
type Conn struct {
	server   *remote
	kernelID string
	ids      *idMaker
	log      *slog.Logger
	timing   timing

	ctx    context.Context // ends when the connection must end
	cancel context.CancelFunc
	outbox chan outgoing // read by the writer
	wake   chan struct{} // wakes the watcher
	done   chan struct{} // closed when all goroutines have ended
	probes sync.WaitGroup
	late   lateOutput

	reached atomic.Bool // the server has read one of our sockets

	mu           sync.Mutex
	err          error // why the connection ended or is about to
	state        tracker
	pending      map[string]*execution // by message id
	asking       *inputRequest         // the question not yet answered
	first        []outgoing            // to be written first on the next socket
	resumed      *execution            // a request of an earlier connection, see Resume; nil if absent
	heard        time.Time             // when the reader last began to wait for a message
	waiting      bool                  // the reader waits for a message, not for a handler
	alive        time.Time             // when something last came from the server, if only the answer to a ping
	socket       *websocket.Conn       // the current one
	unopened     time.Time             // when the socket was dialled, if only pings have come on it yet; else zero
	probe        string                // id of the last probe
	leaving      time.Time             // when the kernel announced its shutdown; zero if it has not
	refresh      bool                  // the watcher must query the server for the state
	restartErr   error                 // a restart that Restarted has not reported yet
	firstMessage chan struct{}         // closed at the first message of a process that replaced a dead one; nil after that

	introduced string // the expression sent to the kernel's process before its requests, see Request.First

	language map[string]any // as the kernel describes it; nil until it has
	informed chan struct{}  // closed when it has
}

// Dial connects to a running kernel. ctx ends the dialling only; the caller closes the connection. The errors are the
// server's (*jupyter.Error), and match jupyter.ErrNotFound if the kernel does not exist.
func Dial(ctx context.Context, srv *jupyter.Server, kernelID string, opt Options) (*Conn, error) {
	return dial(ctx, srv, kernelID, opt, defaultTiming)
}

func dial(ctx context.Context, srv *jupyter.Server, kernelID string, opt Options, tm timing) (*Conn, error) {
	return dialAs(ctx, srv, kernelID, opt, tm, newIDMaker(), func(*Conn) {})
}

// dialAs connects as the session of ids; prepare is called before anything is read or written.
func dialAs(ctx context.Context, srv *jupyter.Server, kernelID string, opt Options, tm timing, ids *idMaker, prepare func(*Conn)) (*Conn, error) {
	k, err := srv.Kernels.Get(ctx, kernelID)
	if err != nil {
		return nil, fmt.Errorf("connect to the kernel: %w", err)
	}
	if more := srv.Timeout() - tm.away; more > 0 {
		tm.away, tm.silence = tm.away+more, tm.silence+more
	}
	c := &Conn{
		server: &remote{srv: srv, kernelID: kernelID, look: tm.look}, kernelID: kernelID, ids: ids, log: opt.Logger, timing: tm,
		outbox: make(chan outgoing), wake: make(chan struct{}, 1), done: make(chan struct{}), informed: make(chan struct{}), late: lateOutput{events: make(chan lateEvent, eventBuffer), byID: map[string]*execution{}},
		state: newTracker(k.ExecutionState), pending: map[string]*execution{}, heard: time.Now(), alive: time.Now(),
	}
	c.log = cmp.Or(c.log, slog.New(slog.DiscardHandler))
	prepare(c)
	ws, err := srv.Kernels.Dial(ctx, kernelID, c.ids.session)
	if err != nil {
		return nil, fmt.Errorf("connect to the kernel: %w", err)
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { c.run(ws) })
	wg.Go((&watcher{c: c}).run)
	wg.Go(func() { c.server.noteStarted(c.ctx) })
	go func() {
		wg.Wait()
		c.probes.Wait() // only run and watch start probes
		close(c.done)
	}()
	return c, nil
}

// KernelID returns the kernel's id.
func (c *Conn) KernelID() string { return c.kernelID }

// Correct returns the kernel's state, given the state that the server reports (told). The server tracks the kernel itself
// and can be late: it may report busy after the answer has come, or idle after the kernel has begun one of our requests.
func (c *Conn) Correct(told string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if told != StateIdle && told != StateBusy {
		return told
	}
	for _, ex := range c.pending {
		if ex.begun && !ex.idle {
			return StateBusy
		}
	}
	if c.state.sure && c.state.state == StateIdle {
		return StateIdle
	}
	return told
}

// Restarted reports whether the kernel's process was replaced since the last call, or since [Dial]: ErrKernelRestarted,
// with ErrKernelDied if the restart was not requested, or nil. It misses restarts while the connection was lost.
func (c *Conn) Restarted() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.restartErr
	c.restartErr = nil
	return err
}

// Gone returns why the kernel is dead for good: ErrKernelDead, ErrShutDown after a shutdown, or nil.
func (c *Conn) Gone() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone()
}

// gone is Gone with c.mu held.
func (c *Conn) gone() error {
	switch {
	case errors.Is(c.err, ErrKernelDead):
		return c.err
	case c.state.state != StateDead:
		return nil
	case !c.leaving.IsZero():
		return ErrShutDown
	}
	return ErrKernelDead
}

// Err returns why the connection ended: an error that matches ErrClosed or ErrKernelDead, nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection, and with it every pending request (ErrClosed), and waits for its goroutines. The kernel and
// its running code continue. It must not be called from an event handler.
func (c *Conn) Close() error {
	c.end(ErrClosed)
	<-c.done
	return nil
}

// end ends the connection because of err; the first cause counts.
func (c *Conn) end(err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	err = c.err
	if errors.Is(err, ErrKernelDead) {
		c.state.status(StateDead, "")
	}
	for _, ex := range c.pending {
		c.finishDead(ex, err)
	}
	clear(c.late.byID)
	c.mu.Unlock()
	c.cancel()
}

// run serves one socket after the other until the connection ends.
func (c *Conn) run(ws *websocket.Conn) {
	for {
		cause := c.serve(ws)
		if c.ctx.Err() != nil {
			return
		}
		c.log.Info("kernel connection lost", "kernel", c.kernelID, "cause", cause)
		if !c.reached.Load() {
			if err := c.server.srv.Health.CheckWebsockets(c.ctx); errors.Is(err, jupyter.ErrNoWebsockets) {
				c.end(fmt.Errorf("%w: %w", ErrClosed, err))
				return
			}
		}
		var err error
		if ws, err = c.redial(cause); err != nil {
			c.end(err)
			return
		}
		c.log.Info("kernel connection restored", "kernel", c.kernelID)
		c.probeAfterGap()
	}
}
