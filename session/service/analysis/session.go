package analysis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
)

// ErrNoSession reports that the caller has no analysis session with that id.
var ErrNoSession = textfmt.Fixed("no such analysis session")

// ErrNoNotebook reports that an analysis session has no notebook.
var ErrNoNotebook = textfmt.Fixed("the analysis session has no notebook")

// ErrKernelGone reports that a session's kernel, which was not started for it, no longer exists.
var ErrKernelGone = textfmt.Fixed("the kernel is gone")

// ErrNoKernel reports that no kernel with that id is running, or the caller may not use it.
var ErrNoKernel = textfmt.Fixed("no such kernel")

// interruptTimeout bounds the interrupt of code whose call has ended.
const interruptTimeout = time.Second

// readyTimeout bounds the wait for a new session's kernel to start up.
const readyTimeout = 30 * time.Second

// readyEvery is the pause between two checks of a starting kernel.
const readyEvery = 20 * time.Millisecond

// Options describe a new analysis session.
type Options struct {
	Name         string       // for people; may be empty
	NotebookPath jupyter.Path // of an existing notebook; the root for a kernel only
	KernelName   string       // the kernelspec; "" for the notebook's own or the server's default
}

// Session is an analysis session: a kernel, and optionally a notebook. With a notebook it has the notebook's kernel, which
// open tabs share. It belongs to the owner that made it, and is safe for concurrent use.
type Session struct {
	t       *Table
	id      string
	owner   string
	name    string
	created time.Time
	// attached reports that the session was made for calls that name a kernel, and not by the client.
	attached bool

	ctx    context.Context // ends with the session
	cancel context.CancelFunc
	alone  *run.Alone   // the queue of code outside a notebook
	kernel *kernel.Link // to the kernel; a session with a notebook uses the document's link

	mu       sync.Mutex
	path     jupyter.Path // of the notebook; the root for none
	file     string       // the notebook's file id, as last seen
	kernelID string
	spec     string // the kernelspec's name
	started  string // the id of the kernel that was started for the session; "" for none
	users    int
	last     time.Time // of the last use
	ended    End
}

// KernelName returns the kernelspec of the session's kernel, as last seen.
func (a *Session) KernelName() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spec
}

// End is the outcome for a session's kernel when the session ended.
type End struct {
	KernelEnded bool   // it was shut down
	Kept        string // why it was not: "a person has the notebook open"
}

// ID returns the session's id.
func (a *Session) ID() string { return a.id }

// Name returns the session's name, "" for none.
func (a *Session) Name() string { return a.name }

// Created returns when the session was made.
func (a *Session) Created() time.Time { return a.created }

// KernelID returns the session's kernel, as last seen: a notebook's kernel can be changed.
func (a *Session) KernelID() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.kernelID
}

// NotebookPath returns the session's notebook, as last seen, the root for none.
func (a *Session) NotebookPath() jupyter.Path {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.path
}

// End returns the outcome for the kernel of an ended session.
func (a *Session) End() End {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}

// idleSince returns when the session was last used; idle is false while it is in use.
func (a *Session) idleSince() (last time.Time, idle bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last, a.users == 0
}

// Status queries the server for the state of the session's kernel: "idle", "busy", "starting" and so on, "dead" if it is
// gone, "unknown" if the server does not answer.
func (a *Session) Status(ctx context.Context) string {
	if path := a.NotebookPath(); !path.IsRoot() {
		k, ok, err := a.t.m.Kernel(ctx, path)
		if err == nil && !ok {
			if path, ok = a.follow(ctx); ok {
				k, ok, err = a.t.m.Kernel(ctx, path)
			}
		}
		switch {
		case err != nil:
			return kernel.StateUnknown
		case !ok:
			return kernel.StateDead
		}
		a.sawKernel(k.ID)
		return k.State
	}
	k, err := a.t.servers.Runtime.Kernels.Get(ctx, a.KernelID())
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return kernel.StateDead
	case err != nil:
		return kernel.StateUnknown
	}
	return a.kernel.Correct(k.ID, k.ExecutionState)
}

// Language returns the name of the kernel's language, such as "python", as the kernel reports it.
func (a *Session) Language(ctx context.Context) (string, error) {
	conn, done, err := a.connect(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return conn.Language(ctx)
}

// Evaluate runs code silently, and returns the values of the expressions, see [kernel.Conn.Evaluate].
//
// If the context ends while the kernel runs the code, the kernel is interrupted; code that still waits runs later, and
// its result is dropped.
func (a *Session) Evaluate(ctx context.Context, code string, expressions map[string]string) (map[string]any, error) {
	reply, err := a.silently(ctx, code, expressions)
	return reply.UserExpressions, err
}

// Payload runs code as [Session.Evaluate] does, and returns the payload of the kernel's reply, which only the caller
// gets.
func (a *Session) Payload(ctx context.Context, code string) ([]map[string]any, error) {
	reply, err := a.silently(ctx, code, nil)
	return reply.Payload, err
}

func (a *Session) silently(ctx context.Context, code string, expressions map[string]string) (kernel.Reply, error) {
	conn, done, err := a.connect(ctx)
	if err != nil {
		return kernel.Reply{}, err
	}
	defer done()
	reply, begun, err := conn.Evaluate(ctx, code, expressions)
	if err != nil && ctx.Err() != nil && begun {
		late, stop := context.WithTimeout(context.WithoutCancel(ctx), interruptTimeout)
		defer stop()
		err = errors.Join(err, a.t.servers.Runtime.Kernels.Interrupt(late, conn.KernelID()))
	}
	if err != nil {
		return kernel.Reply{}, fmt.Errorf("evaluate in session %s: %w", a.id, err)
	}
	return reply, nil
}

// Open opens the session's notebook, even if it was renamed: see [session.Manager.Open]. The error matches
// ErrNoNotebook if the session has none.
func (a *Session) Open(ctx context.Context) (*session.Document, error) {
	path := a.NotebookPath()
	if path.IsRoot() {
		return nil, fmt.Errorf("session %s: %w", a.id, ErrNoNotebook)
	}
	d, err := a.t.m.Open(ctx, path)
	if errors.Is(err, jupyter.ErrNotFound) {
		if moved, ok := a.follow(ctx); ok {
			d, err = a.t.m.Open(ctx, moved)
		}
	}
	if err == nil {
		file := d.FileID()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.file = file
	}
	return d, err
}

// follow finds a renamed notebook by its kernel's Jupyter session, which is renamed along. If the kernels are on another
// server, only we rename that session, so follow finds the notebook by its file id.
func (a *Session) follow(ctx context.Context) (path jupyter.Path, ok bool) {
	if a.t.servers.Apart() {
		return a.followFile(ctx)
	}
	sessions, err := a.t.servers.Runtime.Sessions.List(ctx)
	if err != nil {
		return jupyter.Path{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range sessions {
		if s.Kernel.ID == a.kernelID && s.Path != a.path && !s.Path.IsRoot() {
			a.path = s.Path
			return s.Path, true
		}
	}
	return jupyter.Path{}, false
}

// followFile finds a renamed notebook by its file id.
func (a *Session) followFile(ctx context.Context) (path jupyter.Path, ok bool) {
	a.mu.Lock()
	file := a.file
	a.mu.Unlock()
	if file == "" {
		return jupyter.Path{}, false
	}
	path, err := a.t.servers.Documents.Rooms.FilePath(ctx, file)
	if err != nil || path.IsRoot() {
		return jupyter.Path{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if path == a.path {
		return jupyter.Path{}, false
	}
	a.path = path
	return path, true
}

// connect returns an open connection to the session's kernel, for use until done is called. News about the kernel, such
// as a restart, are kept for the next run.
func (a *Session) connect(ctx context.Context) (conn *kernel.Conn, done func(), err error) {
	if a.ctx.Err() != nil {
		return nil, nil, fmt.Errorf("session %s has ended: %w", a.id, ErrNoSession)
	}
	if a.NotebookPath().IsRoot() {
		a.use(1)
		conn, news, err := a.kernel.Connect(ctx)
		if err != nil {
			a.use(-1)
			return nil, nil, err
		}
		a.kernel.Say(news)
		return conn, func() { a.use(-1) }, nil
	}
	d, err := a.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if conn, err = d.Kernel().Connect(ctx); err != nil {
		d.Release()
		return nil, nil, err
	}
	a.sawKernel(conn.KernelID())
	return conn, d.Release, nil
}

func (a *Session) sawKernel(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kernelID = id
}

// use adds n to the number of users of the connection, and resets its idle time.
func (a *Session) use(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.users += n
	a.last = time.Now()
}
