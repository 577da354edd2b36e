package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
)

// ErrNoHelper says that the server has no kernel in which files can be read.
var ErrNoHelper = errors.New("the Jupyter server has no kernel for Python")

// helperOwner is whose the helper kernel is: nobody's who could ask for it.
const helperOwner = "\x00"

// helperStart bounds the start of a helper kernel, and helperEnd its end, which
// is tried every helperAgain.
const (
	helperStart = 60 * time.Second
	helperEnd   = 30 * time.Second
	helperAgain = 250 * time.Millisecond
)

// A helper is the Manager's own kernel, for work in which the users' kernels
// must have no part. It is started at its first use, has one user at a time,
// and is shut down when nobody has used it for the idle timeout. It belongs to
// no notebook and no session of Jupyter's.
type helper struct {
	m      *Manager
	ctx    context.Context // ends with the Manager
	cancel context.CancelFunc
	turn   chan struct{} // has one place, taken by who uses the kernel

	mu     sync.Mutex
	closed bool // before the Manager waits for what goes on
	kernel *helperKernel
}

// A helperKernel is one process that serves as the helper. All but last is
// constant.
type helperKernel struct {
	m    *Manager
	id   string
	spec string
	conn *kernel.Conn
	last time.Time     // of the last use; guarded by the helper's mu
	gone chan struct{} // closed when it is not to be used any more
}

func newHelper(m *Manager) *helper {
	h := &helper{m: m, turn: make(chan struct{}, 1)}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// HelperKernel is the id of the kernel that the manager has for itself, "" where
// there is none now.
func (m *Manager) HelperKernel() string {
	m.helper.mu.Lock()
	defer m.helper.mu.Unlock()
	if k := m.helper.kernel; k != nil {
		return k.id
	}
	return ""
}

// use has fn work with a helper kernel of the kernelspec, "" for any of Python.
// A kernel with which fn fails, or that it leaves at work, is replaced by
// another one, unless sound says that the failure was no fault of the kernel's.
func (h *helper) use(ctx context.Context, spec string, sound func(error) bool, fn func(context.Context, *helperKernel) error) error {
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
		return ErrClosed
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
func (h *helper) ended(err error) error {
	if h.ctx.Err() != nil {
		return errors.Join(ErrClosed, err)
	}
	return err
}

// obtain gives the kernel that is there, if it is what is wanted and well, or
// starts one. It is the caller's turn.
func (h *helper) obtain(ctx context.Context, spec string) (*helperKernel, error) {
	spec, err := h.m.pythonSpec(ctx, spec)
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
func (h *helper) start(ctx context.Context, spec string) (*helperKernel, error) {
	ctx, stop := context.WithTimeout(ctx, helperStart)
	defer stop()
	srv := h.m.cfg.Kernels
	// Not bound to the call, as of a kernel whose id never arrives nobody would know.
	begun := h.m.owners.Begin(helperOwner)
	found, err := srv.StartKernelIn(context.WithoutCancel(ctx), spec, "")
	begun.End(found.ID)
	if err != nil {
		return nil, fmt.Errorf("start a helper kernel: %w", err)
	}
	k := &helperKernel{m: h.m, id: found.ID, spec: spec, last: time.Now(), gone: make(chan struct{})}
	if k.conn, err = kernel.Dial(ctx, srv, k.id, kernel.Options{Logger: h.m.log}); err == nil {
		_, err = k.conn.LanguageInfo(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a helper kernel: %w", err), k.end(ctx))
	}
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil, errors.Join(ErrClosed, k.end(ctx))
	}
	defer h.mu.Unlock()
	h.kernel = k
	h.m.wg.Go(func() { h.keep(k) }) // not closed: nobody waits for the group yet
	return k, nil
}

// keep puts the kernel away when it has been idle for long enough.
func (h *helper) keep(k *helperKernel) {
	timer := time.NewTimer(h.m.cfg.IdleTimeout)
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
		left := h.m.cfg.IdleTimeout - time.Since(k.last)
		idle := left <= 0 && h.kernel == k
		h.mu.Unlock()
		if idle {
			h.discard(k)
		}
		<-h.turn
		timer.Reset(max(left, time.Millisecond))
	}
}

// discard has a kernel shut down, without waiting for it: one that hangs takes
// seconds. It is the caller's turn.
func (h *helper) discard(k *helperKernel) {
	h.mu.Lock()
	if h.kernel != k {
		h.mu.Unlock()
		return
	}
	h.kernel = nil
	close(k.gone)
	end := func() {
		if err := k.end(context.Background()); err != nil {
			h.m.log.Warn("a helper kernel may still run", "kernel", k.id, "error", err)
		}
	}
	if !h.closed {
		h.m.wg.Go(end)
		end = func() {}
	}
	h.mu.Unlock()
	end()
}

// end shuts the kernel down, whatever it is doing.
func (k *helperKernel) end(ctx context.Context) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), helperEnd)
	defer stop()
	if k.conn != nil {
		_ = k.conn.Close() // letting go of a socket
	}
	srv := k.m.cfg.Kernels
	// What is interrupted can take leave; where that fails the shutdown ends it by force.
	_ = srv.Interrupt(ctx, k.id)
	for {
		err := srv.ShutdownKernel(ctx, k.id)
		if err == nil {
			_, err = srv.Kernel(ctx, k.id)
		}
		if errors.Is(err, jupyter.ErrNotFound) {
			k.m.owners.Release(k.id)
			return nil
		}
		// A server that is about to start it again, because its process has died, fails, or does so in spite of it.
		if err != nil && !errors.Is(err, jupyter.ErrServer) {
			return fmt.Errorf("shut down the helper kernel %s: %w", k.id, err)
		}
		k.m.log.DebugContext(ctx, "a helper kernel has to be shut down once more", "kernel", k.id, "error", err)
		select {
		case <-time.After(helperAgain):
		case <-ctx.Done():
			return fmt.Errorf("shut down the helper kernel %s, which goes on: %w", k.id, errors.Join(ctx.Err(), err))
		}
	}
}

// close ends the work with the kernel, and the kernel.
func (h *helper) close(ctx context.Context) error {
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

// Evaluate runs code silently in the kernel: see [Analysis.Evaluate].
func (k *helperKernel) Evaluate(ctx context.Context, code string, expressions map[string]string) (map[string]any, error) {
	reply, err := k.conn.Execute(ctx, kernel.Request{Code: code, Silent: true, UserExpressions: expressions}, nil)
	switch {
	case err != nil:
		return nil, fmt.Errorf("evaluate in the helper kernel: %w", err)
	case reply.Error != nil:
		return nil, fmt.Errorf("evaluate in the helper kernel: %w", *reply.Error)
	case reply.Status != "ok":
		return nil, fmt.Errorf("evaluate in the helper kernel: it did not run it (%s)", reply.Status)
	}
	return reply.UserExpressions, nil
}

// Status is idle: nobody else has the kernel do anything.
func (k *helperKernel) Status(context.Context) string { return kernel.StateIdle }

// Language is what the kernel says of itself.
func (k *helperKernel) Language(ctx context.Context) (string, error) {
	info, err := k.conn.LanguageInfo(ctx)
	name, _ := info["name"].(string)
	return name, err
}

// pythonSpec is the kernelspec that is wanted if it is one of Python, else
// python3, the server's default, or another one of Python.
func (m *Manager) pythonSpec(ctx context.Context, wanted string) (string, error) {
	specs, err := m.cfg.Kernels.KernelSpecs(ctx)
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
