package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/run"
)

// analysesMax is how many analysis sessions one owner may have.
const analysesMax = 64

// analysisTable finds analysis sessions by id.
type analysisTable struct {
	mu     sync.Mutex
	closed bool
	byID   map[string]*Analysis
}

// room reports whether the owner may have another session.
func (t *analysisTable) room(owner string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	n := 0
	for _, a := range t.byID {
		if a.owner == owner {
			n++
		}
	}
	if n >= analysesMax {
		return fmt.Errorf("there are %d analysis sessions already, and no more than %d may be: end one first", n, analysesMax)
	}
	return nil
}

func (t *analysisTable) add(a *Analysis) error {
	if err := t.room(a.owner); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	if t.byID == nil {
		t.byID = make(map[string]*Analysis)
	}
	t.byID[a.id] = a
	return nil
}

// remove takes a session out; false where it was not in.
func (t *analysisTable) remove(a *Analysis) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	had := t.byID[a.id] == a
	delete(t.byID, a.id)
	return had
}

// list is the sessions that are wanted, oldest first.
func (t *analysisTable) list(wanted func(*Analysis) bool) []*Analysis {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*Analysis
	for _, a := range t.byID {
		if wanted(a) {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b *Analysis) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))
	})
	return out
}

// CreateAnalysis makes an analysis session. Without a notebook it has a kernel
// started; with one it takes the notebook's kernel, or has it started as an
// open tab would, so that a tab that comes later finds it.
func (m *Manager) CreateAnalysis(ctx context.Context, owner string, opt AnalysisOptions) (*Analysis, error) {
	if err := m.analyses.room(owner); err != nil {
		return nil, err
	}
	a := m.newAnalysis(owner, opt.Name)
	var err error
	if opt.NotebookPath == "" {
		err = a.startKernel(ctx, opt.KernelName)
	} else {
		err = a.takeNotebook(ctx, opt.NotebookPath, opt.KernelName)
	}
	if err == nil {
		err = a.ready(ctx)
	}
	if err == nil {
		err = a.enter()
	}
	if err != nil {
		a.end()
		return nil, errors.Join(err, a.shutDown(ctx))
	}
	return a, nil
}

// ConnectAnalysis makes an analysis session of what runs already: the kernel of
// a notebook, or the one with the id, and then with the notebook that it is of,
// if any. An owner that has such a session gets that one. The error matches
// ErrNoAnalysis where there is no such kernel.
func (m *Manager) ConnectAnalysis(ctx context.Context, owner, notebookPath, kernelID string) (*Analysis, error) {
	path, err := jupyter.CleanPath(notebookPath)
	if err != nil {
		return nil, err
	}
	if path == "" && kernelID == "" {
		return nil, errors.New("connect a session: neither a notebook nor a kernel was named")
	}
	found, path, err := m.findKernel(ctx, owner, path, kernelID)
	if err != nil {
		return nil, err
	}
	had := m.analyses.list(func(a *Analysis) bool {
		return a.owner == owner && a.KernelID() == found.ID && a.NotebookPath() == path
	})
	if len(had) > 0 {
		return had[0], nil
	}
	if err := m.analyses.room(owner); err != nil {
		return nil, err
	}
	a := m.newAnalysis(owner, "")
	a.path, a.kernelID, a.spec = path, found.ID, found.Name
	if err = a.ready(ctx); err == nil {
		err = a.enter()
	}
	if err != nil {
		a.end()
		return nil, err
	}
	return a, nil
}

// findKernel finds a running kernel by the notebook or by its id, and the
// notebook that it belongs to: "" where it belongs to none, or to several. One
// that was started for another owner is not found.
func (m *Manager) findKernel(ctx context.Context, owner, path, id string) (jupyter.Kernel, string, error) {
	if fixed := m.fixed.At(path); fixed != "" && (id == "" || id == fixed) {
		k, err := m.fixed.LookUp(ctx, m.cfg.Kernels, path, fixed)
		return k, path, err
	}
	sessions, err := m.cfg.Kernels.Sessions(ctx)
	if err != nil {
		return jupyter.Kernel{}, "", fmt.Errorf("connect a session: %w", err)
	}
	var of []jupyter.Session
	for _, s := range sessions {
		switch {
		case path != "" && s.Path == path && (id == "" || s.Kernel.ID == id):
			return s.Kernel, path, nil
		case path == "" && s.Kernel.ID == id && m.NotebookOf(s) != "":
			of = append(of, s)
		}
	}
	switch {
	case path != "" && id != "":
		return jupyter.Kernel{}, "", fmt.Errorf("%w: the notebook %s has no kernel with the id %q", ErrNoAnalysis, path, id)
	case path != "":
		return jupyter.Kernel{}, "", fmt.Errorf("%w: the notebook %s has no running kernel", ErrNoAnalysis, path)
	case len(of) == 1:
		return of[0].Kernel, of[0].Path, nil
	}
	// Not by its id, which may be no path of the server's.
	kernels, err := m.cfg.Kernels.Kernels(ctx)
	if err != nil {
		return jupyter.Kernel{}, "", fmt.Errorf("connect a session: %w", err)
	}
	others, err := m.OthersKernels(ctx, owner)
	if err != nil {
		return jupyter.Kernel{}, "", fmt.Errorf("connect a session: %w", err)
	}
	for _, k := range kernels {
		if k.ID == id && !others[id] {
			return k, "", nil
		}
	}
	return jupyter.Kernel{}, "", fmt.Errorf("%w: no kernel with the id %q is running", ErrNoAnalysis, id)
}

// Analyses lists the owner's sessions, oldest first.
func (m *Manager) Analyses(owner string) []*Analysis {
	return m.analyses.list(func(a *Analysis) bool { return a.owner == owner })
}

// Analysis finds one of the owner's sessions; the error matches ErrNoAnalysis.
func (m *Manager) Analysis(owner, id string) (*Analysis, error) {
	m.analyses.mu.Lock()
	defer m.analyses.mu.Unlock()
	a := m.analyses.byID[id]
	if a == nil || a.owner != owner {
		return nil, fmt.Errorf("%w: %q", ErrNoAnalysis, id)
	}
	return a, nil
}

func (m *Manager) newAnalysis(owner, name string) *Analysis {
	now := time.Now()
	a := &Analysis{m: m, id: strings.ToLower(rand.Text()[:12]), owner: owner, name: name, created: now, last: now}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.kernel = kernel.NewLink(analysisKernel{a}, m.cfg.Kernels, m.log)
	a.alone = run.NewAlone(a.ctx, analysisKernel{a}, m.runs, m.cfg.IdleTimeout, errSessionEnded)
	return a
}

// startKernel has a kernel started for the session alone.
func (a *Analysis) startKernel(ctx context.Context, spec string) error {
	// Not bound to the call: what becomes of a kernel whose id never arrives
	// nobody would know.
	k, err := a.launch(context.WithoutCancel(ctx), spec)
	if err != nil {
		return fmt.Errorf("start a kernel: %w", err)
	}
	a.kernelID, a.spec, a.started = k.ID, k.Name, k.ID
	return ctx.Err()
}

// launch starts a kernel that is the owner's alone.
func (a *Analysis) launch(ctx context.Context, spec string) (jupyter.Kernel, error) {
	begun := a.m.owners.Begin(a.owner)
	// In the root folder: what its code writes is then where the Contents API finds it.
	k, err := a.m.cfg.Kernels.StartKernelIn(ctx, spec, "")
	begun.End(k.ID)
	return k, err
}

// takeNotebook gives the session a notebook and its kernel, started if need be.
func (a *Analysis) takeNotebook(ctx context.Context, path, spec string) error {
	d, err := a.m.Open(ctx, path)
	if err != nil {
		return err
	}
	defer d.Release()
	s, started, err := d.kernel.session(ctx, spec)
	if err != nil {
		return err
	}
	a.path, a.kernelID, a.spec = d.Path(), s.Kernel.ID, s.Kernel.Name
	if started {
		a.started = s.Kernel.ID
	} else if spec != "" && s.Kernel.Name != spec {
		return fmt.Errorf("the notebook %s runs the kernel %q already, not %q: its kernel is shared with whoever has it open", a.path, s.Kernel.Name, spec)
	}
	return nil
}

// enter sets the session to work and makes it known.
func (a *Analysis) enter() error {
	if a.path == "" {
		a.alone.Start()
	}
	return a.m.analyses.add(a)
}

// ready waits until the session's kernel has started up, for a while.
func (a *Analysis) ready(ctx context.Context) error {
	wait, stop := context.WithTimeout(ctx, readyTimeout)
	defer stop()
	conn, done, err := a.connect(ctx)
	switch {
	case err == nil:
		defer done()
		if _, err := conn.LanguageInfo(wait); err != nil && (ctx.Err() != nil || conn.Err() != nil) {
			return err
		}
	case !errors.Is(err, ErrKernelSocket): // its cells can be run all the same
		return err
	}
	// The server hears of it a little later than we do.
	for a.Status(wait) == kernel.StateStarting {
		select {
		case <-wait.Done():
			return ctx.Err() // a kernel that takes longer shows as "starting"
		case <-time.After(readyEvery):
		}
	}
	return ctx.Err()
}
