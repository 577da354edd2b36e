package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// shutTimeout bounds the shutting down of one session's kernel.
const shutTimeout = 10 * time.Second

// DeleteAnalysis ends a session. Its kernel is shut down where it was started
// for the session and nobody else uses it; Analysis.End says what was done.
// What still waits to be run in the kernel alone is cancelled.
func (m *Manager) DeleteAnalysis(ctx context.Context, owner, id string) error {
	a, err := m.Analysis(owner, id)
	if err != nil {
		return err
	}
	if !m.analyses.remove(a) {
		return fmt.Errorf("%w: %q", ErrNoAnalysis, id)
	}
	kept, err := a.needed(ctx)
	a.end()
	if kept == "" && err == nil {
		err = a.shutDown(ctx)
	} else if err == nil {
		a.m.owners.Release(a.KernelID()) // whoever uses it may see it
	}
	a.mu.Lock()
	a.ended = AnalysisEnd{KernelEnded: kept == "" && err == nil, Kept: kept}
	a.mu.Unlock()
	if err != nil {
		return fmt.Errorf("session %s is ended, but its kernel %s may still run: %w", id, a.KernelID(), err)
	}
	return nil
}

// close ends all sessions. Kernels that were started for sessions without a
// notebook are shut down.
func (t *analysisTable) close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	all := t.byID
	t.byID = nil
	t.mu.Unlock()
	var ending sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for _, a := range all {
		ending.Go(func() {
			a.end()
			if a.NotebookPath() != "" {
				return
			}
			if err := a.shutDown(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, fmt.Errorf("shut down the kernel of session %s: %w", a.id, err))
			}
		})
	}
	ending.Wait()
	return errors.Join(errs...)
}

// end stops what the session does here, and lets go of the kernel.
func (a *Analysis) end() {
	a.cancel()
	a.alone.Close()
	a.kernel.Close()
}

// shutDown shuts down the kernel that was started for the session, if any.
func (a *Analysis) shutDown(ctx context.Context) error {
	a.mu.Lock()
	id := a.started
	a.mu.Unlock()
	if id == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), shutTimeout)
	defer stop()
	if err := a.m.cfg.Kernels.ShutdownKernel(ctx, id); err != nil && !errors.Is(err, jupyter.ErrNotFound) {
		return err
	}
	a.m.owners.Release(id)
	return nil
}

// needed says why the session's kernel is to go on when the session ends, ""
// where it is to be shut down.
func (a *Analysis) needed(ctx context.Context) (string, error) {
	a.mu.Lock()
	id, path, started := a.kernelID, a.path, a.started
	a.mu.Unlock()
	if started == "" || started != id {
		return "it was not started for this session", nil
	}
	others := a.m.analyses.list(func(b *Analysis) bool { return b != a && b.KernelID() == id })
	if len(others) > 0 {
		return "another analysis session uses it", nil
	}
	ours, kept := 0, ""
	if path != "" {
		ours, kept = a.m.neededInNotebook(path)
	} else if a.kernel.Connected() {
		ours = 1
	}
	if kept != "" {
		return kept, nil
	}
	k, err := a.m.cfg.Kernels.Kernel(ctx, id)
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return "", nil // gone already
	case err != nil:
		return "", err
	case k.Connections > ours:
		return "somebody else is connected to it, such as an open tab", nil
	}
	return "", nil
}

// neededInNotebook looks for people who have a notebook open, and for runs in it
// that nobody's session ending may stop. ours counts our own connections to its
// kernel.
func (m *Manager) neededInNotebook(path string) (ours int, kept string) {
	for _, r := range m.Runs(path) {
		if !r.Status().State.Ended() {
			return 0, "a cell of the notebook is running or waits to be run"
		}
	}
	d := m.hold(path)
	if d == nil {
		return 0, ""
	}
	defer d.Release()
	if d.kernel.link.Connected() {
		ours = 1
	}
	if people := d.People(); len(people) > 0 && !m.Apart() {
		return ours, "somebody has the notebook open: " + people[0].Name
	}
	return ours, ""
}
