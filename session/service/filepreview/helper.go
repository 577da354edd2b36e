package filepreview

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/textfmt"
)

// ErrNoHelper reports that the server has no kernel that can read files.
var ErrNoHelper = textfmt.Fixed("the Jupyter server has no kernel for Python")

// ErrDirectory reports that the path to preview is a folder.
var ErrDirectory = textfmt.Fixed("it is a folder")

// ErrOutOfReach reports that kernels do not see the file, and it is too large to be sent to one.
var ErrOutOfReach = textfmt.Fixed("the kernels cannot read the file")

// ErrReaderDied reports that the process that read a file died.
var ErrReaderDied = textfmt.Fixed("the process that read the file died")

// helperOwner is the owner of the helper kernel: no client can have this name.
const helperOwner = "\x00"

// helperStart bounds the start of a helper kernel, and helperEnd its shutdown, which is tried every helperAgain.
const (
	helperStart = 60 * time.Second
	helperEnd   = 30 * time.Second
	helperAgain = 250 * time.Millisecond
)

// Helper is the manager's own kernel, for work that must not touch the users' kernels. It starts at its first use, has
// one user at a time, and is shut down after the idle timeout without use. It belongs to no notebook and no Jupyter
// session.
type Helper struct {
	m       *session.Manager
	servers *kernel.Servers
	owners  *kernel.Owners
	ctx     context.Context // ends with the manager
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	turn    chan struct{} // semaphore of one: held by the user of the kernel

	mu     sync.Mutex
	closed bool // set before Close waits
	kernel *process
}

// New returns the helper of a manager, without starting a kernel. The manager closes it when it closes.
func New(m *session.Manager) *Helper {
	h := &Helper{m: m, servers: m.Servers(), owners: m.Owners(), turn: make(chan struct{}, 1)}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	m.OnClose(h.Close)
	return h
}

// KernelID returns the id of the kernel, or "".
func (h *Helper) KernelID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if k := h.kernel; k != nil {
		return k.id
	}
	return ""
}

// use calls fn with a helper kernel of the kernelspec, "" for any Python one. If fn fails, or leaves the kernel busy, the
// kernel is discarded, unless sound reports that the error is not the kernel's fault.
func (h *Helper) use(ctx context.Context, spec string, sound func(error) bool, fn func(context.Context, *process) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.ctx, cancel)()
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return h.ended(ctx.Err())
	}
	if h.ctx.Err() != nil {
		return session.ErrClosed
	}
	k, err := h.obtain(ctx, spec)
	if err != nil {
		return h.ended(err)
	}
	err = fn(ctx, k)
	if err != nil && (ctx.Err() != nil || !sound(err)) {
		h.discard(k)
		return h.ended(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	k.last = time.Now()
	return err
}

// ended adds [session.ErrClosed] to the error if the manager ended the use.
func (h *Helper) ended(err error) error {
	if h.ctx.Err() != nil {
		return errors.Join(session.ErrClosed, err)
	}
	return err
}

// obtain returns the present kernel if it is healthy and of the wanted kernelspec, or starts one. The caller holds
// turn.
func (h *Helper) obtain(ctx context.Context, spec string) (*process, error) {
	spec, err := h.pythonSpec(ctx, spec)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	k := h.kernel
	h.mu.Unlock()
	if k != nil {
		if k.spec == spec && k.conn.Err() == nil && k.conn.Gone() == nil && k.conn.Restarted() == nil {
			return k, nil
		}
		h.discard(k)
	}
	return h.start(ctx, spec)
}

// start starts a kernel in the server's root folder.
func (h *Helper) start(ctx context.Context, spec string) (*process, error) {
	ctx, stop := context.WithTimeout(ctx, helperStart)
	defer stop()
	srv := h.servers.Runtime
	// Not bound to the call: a kernel whose id never arrives would be lost.
	begun := h.owners.Begin(helperOwner)
	found, err := srv.Kernels.Start(context.WithoutCancel(ctx), spec, jupyter.Path{})
	begun.End(found.ID)
	if err != nil {
		return nil, fmt.Errorf("start a helper kernel: %w", err)
	}
	k := &process{h: h, id: found.ID, spec: spec, last: time.Now(), gone: make(chan struct{})}
	if k.conn, err = kernel.Dial(ctx, srv, k.id, kernel.Options{Logger: h.m.Log()}); err == nil {
		_, err = k.conn.LanguageInfo(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a helper kernel: %w", err), k.end(ctx))
	}
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil, errors.Join(session.ErrClosed, k.end(ctx))
	}
	defer h.mu.Unlock()
	h.kernel = k
	h.wg.Go(func() { h.keep(k) }) // not closed: Close does not wait for the group yet
	return k, nil
}

// keep shuts the kernel down after the idle timeout.
func (h *Helper) keep(k *process) {
	timer := time.NewTimer(h.m.IdleTimeout())
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-k.gone:
			return
		case <-h.ctx.Done():
			return
		}
		select {
		case h.turn <- struct{}{}:
		case <-k.gone:
			return
		case <-h.ctx.Done():
			return
		}
		h.mu.Lock()
		left := h.m.IdleTimeout() - time.Since(k.last)
		idle := left <= 0 && h.kernel == k
		h.mu.Unlock()
		if idle {
			h.discard(k)
		}
		<-h.turn
		timer.Reset(max(left, time.Millisecond))
	}
}

// discard shuts a kernel down in the background, because a hanging kernel takes seconds. The caller holds turn.
func (h *Helper) discard(k *process) {
	h.mu.Lock()
	h.kernel = nil
	close(k.gone)
	end := func() {
		if err := k.end(context.Background()); err != nil {
			h.m.Log().Warn("a helper kernel may still run", "kernel", k.id, "error", err)
		}
	}
	if !h.closed {
		h.wg.Go(end)
		end = func() {}
	}
	h.mu.Unlock()
	end()
}

// Close ends the current use and shuts the kernel down.
func (h *Helper) Close(ctx context.Context) error {
	defer h.wg.Wait()
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return fmt.Errorf("stop the helper kernel: %w", ctx.Err())
	}
	h.mu.Lock()
	k := h.kernel
	h.kernel = nil
	if k != nil {
		close(k.gone)
	}
	h.mu.Unlock()
	if k == nil {
		return nil
	}
	return k.end(ctx)
}

// pythonSpec returns the wanted kernelspec if it is a Python one, else python3, the server's default, or another Python
// one.
func (h *Helper) pythonSpec(ctx context.Context, wanted string) (string, error) {
	specs, err := h.servers.Runtime.Kernels.Specs(ctx)
	if err != nil {
		return "", fmt.Errorf("look for a kernel for Python: %w", err)
	}
	names := slices.Sorted(maps.Keys(lo.PickBy(specs.Specs, func(_ string, s jupyter.KernelSpec) bool { return strings.EqualFold(s.Spec.Language, "python") })))
	for _, name := range []string{wanted, "python3", specs.Default} {
		if slices.Contains(names, name) {
			return name, nil
		}
	}
	if len(names) == 0 {
		return "", ErrNoHelper
	}
	return names[0], nil
}
