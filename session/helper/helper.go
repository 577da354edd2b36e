package helper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
)

// ErrNoHelper says that the server has no kernel in which files can be read.
var ErrNoHelper error = fixedError("the Jupyter server has no kernel for Python")

// ErrDirectory says that what was to be looked into is a folder.
var ErrDirectory error = fixedError("it is a folder")

// ErrOutOfReach says that a file is not where kernels run, and is too long to be given to one.
var ErrOutOfReach error = fixedError("the file is out of the kernels' reach")

// ErrReaderDied says that the process that read a file has ended over it.
var ErrReaderDied error = fixedError("the process that read the file has ended over it")

// helperOwner is whose the helper kernel is: nobody's who could ask for it.
const helperOwner = "\x00"

// helperStart bounds the start of a helper kernel, and helperEnd its end, which is tried every helperAgain.
const (
	helperStart = 60 * time.Second
	helperEnd   = 30 * time.Second
	helperAgain = 250 * time.Millisecond
)

// Helper is the manager's own kernel, for work in which the users' kernels must have no part. It is started at its
// first use, has one user at a time, and is shut down when nobody has used it for the idle timeout. It belongs to no
// notebook and no session of Jupyter's.
type Helper struct {
	m       *session.Manager
	servers *kernel.Servers
	owners  *kernel.Owners
	ctx     context.Context // ends with the manager
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	turn    chan struct{} // has one place, taken by who uses the kernel

	mu     sync.Mutex
	closed bool // before Close waits for what goes on
	kernel *process
}

// New makes the helper of a manager, which starts no kernel yet. The manager closes it when it is closed itself.
func New(m *session.Manager) *Helper {
	h := &Helper{m: m, servers: m.Servers(), owners: m.Owners(), turn: make(chan struct{}, 1)}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	m.OnClose(h.Close)
	return h
}

// KernelID is the id of the kernel, "" where there is none now.
func (h *Helper) KernelID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if k := h.kernel; k != nil {
		return k.id
	}
	return ""
}

// use has fn work with a helper kernel of the kernelspec, "" for any of Python. A kernel with which fn fails, or that
// it leaves at work, is replaced by another one, unless sound says that the failure was no fault of the kernel's.
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

// ended is the error of a use, in other words where the manager has ended it.
func (h *Helper) ended(err error) error {
	if h.ctx.Err() != nil {
		return errors.Join(session.ErrClosed, err)
	}
	return err
}

// obtain gives the kernel that is there, if it is what is wanted and well, or starts one. It is the caller's turn.
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

// start starts a kernel, in the root folder as the server knows it.
func (h *Helper) start(ctx context.Context, spec string) (*process, error) {
	ctx, stop := context.WithTimeout(ctx, helperStart)
	defer stop()
	srv := h.servers.Kernels
	// Not bound to the call, as of a kernel whose id never arrives nobody would know.
	begun := h.owners.Begin(helperOwner)
	found, err := srv.StartKernelIn(context.WithoutCancel(ctx), spec, "")
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
	h.wg.Go(func() { h.keep(k) }) // not closed: nobody waits for the group yet
	return k, nil
}

// keep puts the kernel away when it has been idle for long enough.
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

// discard has a kernel shut down, without waiting for it: one that hangs takes seconds. It is the caller's turn.
func (h *Helper) discard(k *process) {
	h.mu.Lock()
	if h.kernel != k {
		h.mu.Unlock()
		return
	}
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

// Close ends the work with the kernel, and the kernel.
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
		return fmt.Errorf("end the helper kernel: %w", ctx.Err())
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

// pythonSpec is the kernelspec that is wanted if it is one of Python, else python3, the server's default, or another
// one of Python.
func (h *Helper) pythonSpec(ctx context.Context, wanted string) (string, error) {
	specs, err := h.servers.Kernels.KernelSpecs(ctx)
	if err != nil {
		return "", fmt.Errorf("look for a kernel for Python: %w", err)
	}
	var names []string
	for name, s := range specs.Specs {
		if strings.EqualFold(s.Spec.Language, "python") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
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
