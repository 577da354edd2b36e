package analysis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
)

// Create makes an analysis session. Without a notebook it starts a kernel; with one it uses the notebook's kernel, or
// starts it as an open tab would, so that later tabs find it.
func (t *Table) Create(ctx context.Context, owner string, opt Options) (*Session, error) {
	if err := t.allow(owner); err != nil {
		return nil, err
	}
	a := t.newSession(owner, opt.Name)
	var err error
	if opt.NotebookPath.IsRoot() {
		err = a.startKernel(ctx, opt.KernelName)
	} else {
		err = a.takeNotebook(ctx, opt.NotebookPath, opt.KernelName)
	}
	if err == nil {
		_, err = a.begun(ctx)
	}
	if err != nil {
		a.end()
		return nil, errors.Join(err, a.shutDown(ctx))
	}
	return a, nil
}

// Connect makes an analysis session with a running kernel: a notebook's, or the one with the id, with its notebook if it
// has one. If the owner already has that session, Connect returns it. The error matches ErrNoSession if the kernel does not
// exist.
func (t *Table) Connect(ctx context.Context, owner string, path jupyter.Path, kernelID string) (*Session, error) {
	if path.IsRoot() && kernelID == "" {
		return nil, errors.New("connect a session: name a notebook or a kernel")
	}
	found, path, err := t.findKernel(ctx, owner, path, kernelID)
	if err != nil {
		return nil, err
	}
	had := t.list(func(a *Session) bool {
		return a.owner == owner && a.KernelID() == found.ID && a.NotebookPath() == path
	})
	if len(had) > 0 {
		return had[0], nil
	}
	if err := t.allow(owner); err != nil {
		return nil, err
	}
	a := t.newSession(owner, "")
	a.path, a.kernelID, a.spec = path, found.ID, found.Name
	return a.begun(ctx)
}

// findKernel finds a running kernel by notebook or by id, and its notebook: "" if it has none or several. It does not
// find kernels that were started for another owner.
func (t *Table) findKernel(ctx context.Context, owner string, path jupyter.Path, id string) (jupyter.Kernel, jupyter.Path, error) {
	if fixed := t.m.Fixed().At(path); fixed != "" && (id == "" || id == fixed) {
		k, err := t.m.Fixed().LookUp(ctx, t.servers.Runtime, path, fixed)
		return k, path, err
	}
	sessions, err := t.servers.Runtime.Sessions.List(ctx)
	if err != nil {
		return jupyter.Kernel{}, jupyter.Path{}, fmt.Errorf("connect a session: %w", err)
	}
	var of []jupyter.Session
	for _, s := range sessions {
		switch {
		case !path.IsRoot() && s.Path == path && (id == "" || s.Kernel.ID == id):
			return s.Kernel, path, nil
		case path.IsRoot() && s.Kernel.ID == id && !t.servers.NotebookOf(s).IsRoot():
			of = append(of, s)
		}
	}
	switch {
	case !path.IsRoot() && id != "":
		return jupyter.Kernel{}, jupyter.Path{}, fmt.Errorf("%w: the notebook %s has no kernel with the id %q", ErrNoSession, path, id)
	case !path.IsRoot():
		return jupyter.Kernel{}, jupyter.Path{}, fmt.Errorf("%w: the notebook %s has no running kernel", ErrNoSession, path)
	case len(of) == 1:
		return of[0].Kernel, of[0].Path, nil
	}
	// Not by a request for the id, which may be invalid in a path.
	kernels, err := t.servers.Runtime.Kernels.List(ctx)
	if err != nil {
		return jupyter.Kernel{}, jupyter.Path{}, fmt.Errorf("connect a session: %w", err)
	}
	others, err := t.owners.Others(ctx, owner)
	if err != nil {
		return jupyter.Kernel{}, jupyter.Path{}, fmt.Errorf("connect a session: %w", err)
	}
	for _, k := range kernels {
		if k.ID == id && !others[id] {
			return k, jupyter.Path{}, nil
		}
	}
	return jupyter.Kernel{}, jupyter.Path{}, fmt.Errorf("%w: no kernel with the id %q is running", ErrNoSession, id)
}

func (t *Table) newSession(owner, name string) *Session {
	now := time.Now()
	a := &Session{t: t, id: strings.ToLower(rand.Text()[:12]), owner: owner, name: name, created: now, last: now}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.kernel = kernel.NewLink(alone{a}, t.servers.Runtime, t.m.Log())
	a.alone = run.NewAlone(a.ctx, alone{a}, t.m.RunTable(), t.m.IdleTimeout(), errSessionEnded)
	return a
}

// startKernel starts a kernel for this session only.
func (a *Session) startKernel(ctx context.Context, spec string) error {
	// Not bound to the call: a kernel whose id never arrives would be lost.
	k, err := a.launch(context.WithoutCancel(ctx), spec)
	if err != nil {
		return fmt.Errorf("start a kernel: %w", err)
	}
	a.kernelID, a.spec, a.started = k.ID, k.Name, k.ID
	return ctx.Err()
}

// launch starts a kernel that only the owner may use.
func (a *Session) launch(ctx context.Context, spec string) (jupyter.Kernel, error) {
	begun := a.t.owners.Begin(a.owner)
	// In the root folder, so that the Contents API finds the files that its code writes.
	k, err := a.t.servers.Runtime.Kernels.Start(ctx, spec, jupyter.Path{})
	begun.End(k.ID)
	return k, err
}

// takeNotebook gives the session a notebook and its kernel, starting it if necessary.
func (a *Session) takeNotebook(ctx context.Context, path jupyter.Path, spec string) error {
	d, err := a.t.m.Open(ctx, path)
	if err != nil {
		return err
	}
	defer d.Release()
	s, started, err := d.Kernel().Ensure(ctx, spec)
	if err != nil {
		return err
	}
	a.path, a.kernelID, a.spec = d.Path(), s.Kernel.ID, s.Kernel.Name
	if started {
		a.started = s.Kernel.ID
	} else if spec != "" && s.Kernel.Name != spec {
		return fmt.Errorf("the notebook %s already runs the kernel %q, not %q, and shares it with everyone who has it open", a.path, s.Kernel.Name, spec)
	}
	return nil
}

// begun returns the session when its kernel has started, its queue works and the table has it. On an error it ends the
// session.
func (a *Session) begun(ctx context.Context) (*Session, error) {
	err := a.ready(ctx)
	if err == nil {
		if a.path.IsRoot() {
			a.alone.Start()
		}
		err = a.t.add(a)
	}
	if err != nil {
		a.end()
		return nil, err
	}
	return a, nil
}

// ready waits until the session's kernel has started, at most readyTimeout.
func (a *Session) ready(ctx context.Context) error {
	wait, stop := context.WithTimeout(ctx, readyTimeout)
	defer stop()
	conn, done, err := a.connect(ctx)
	switch {
	case err == nil:
		defer done()
		if _, err := conn.LanguageInfo(wait); err != nil && (ctx.Err() != nil || conn.Err() != nil) {
			return err
		}
	case !errors.Is(err, session.ErrKernelSocket): // its cells can be run without a connection
		return err
	}
	// The server learns about it a little later than we do.
	for a.Status(wait) == kernel.StateStarting {
		select {
		case <-wait.Done():
			return ctx.Err() // a kernel that takes longer shows as "starting"
		case <-time.After(readyEvery):
		}
	}
	return ctx.Err()
}
