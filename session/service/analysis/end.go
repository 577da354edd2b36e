package analysis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// shutTimeout bounds the shutdown of one session's kernel.
const shutTimeout = 10 * time.Second

// Delete ends a session. It shuts the kernel down if it was started for the session and is not used otherwise; Session.End
// returns the result. Code waiting in the session's own queue is cancelled.
func (t *Table) Delete(ctx context.Context, owner, id string) error {
	a, err := t.Get(owner, id)
	if err != nil {
		return err
	}
	if !t.remove(a) {
		return fmt.Errorf("%w: %q", ErrNoSession, id)
	}
	kept, err := a.needed(ctx)
	a.end()
	if kept == "" && err == nil {
		err = a.shutDown(ctx)
	} else if err == nil {
		a.t.owners.Release(a.KernelID()) // its other users may see it
	}
	a.mu.Lock()
	a.ended = End{KernelEnded: kept == "" && err == nil, Kept: kept}
	a.mu.Unlock()
	if err != nil {
		return fmt.Errorf("session %s is ended, but its kernel %s may still run: %w", id, a.KernelID(), err)
	}
	return nil
}

// Close ends all sessions, and shuts down the kernels that were started for sessions without a notebook.
func (t *Table) Close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	all := t.byID
	t.byID = nil
	t.mu.Unlock()
	return forEach(slices.Collect(maps.Values(all)), func(a *Session) error {
		a.end()
		if !a.NotebookPath().IsRoot() {
			return nil
		}
		if err := a.shutDown(ctx); err != nil {
			return fmt.Errorf("shut down the kernel of session %s: %w", a.id, err)
		}
		return nil
	})
}

// forEach calls do with all sessions at once, and joins the errors.
func forEach(all []*Session, do func(*Session) error) error {
	errs := make([]error, len(all))
	var calls sync.WaitGroup
	for i, a := range all {
		calls.Go(func() { errs[i] = do(a) })
	}
	calls.Wait()
	return errors.Join(errs...)
}

// end stops the session's queue and closes the connection to the kernel.
func (a *Session) end() {
	a.cancel()
	a.alone.Close()
	a.kernel.Close()
}

// shutDown shuts down the kernel that was started for the session, if any.
func (a *Session) shutDown(ctx context.Context) error {
	a.mu.Lock()
	id := a.started
	a.mu.Unlock()
	if id == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), shutTimeout)
	defer stop()
	if err := a.t.servers.Runtime.Kernels.Shutdown(ctx, id); err != nil && !errors.Is(err, jupyter.ErrNotFound) {
		return err
	}
	a.t.owners.Release(id)
	return nil
}

// needed returns why the session's kernel must outlive the session, "" if it can be shut down.
func (a *Session) needed(ctx context.Context) (string, error) {
	a.mu.Lock()
	id, path, started := a.kernelID, a.path, a.started
	a.mu.Unlock()
	if started == "" || started != id {
		return "it was not started for this session", nil
	}
	if others := a.t.list(func(b *Session) bool { return b != a && b.KernelID() == id }); len(others) > 0 {
		return "another analysis session uses it", nil
	}
	ours, kept := 0, ""
	if !path.IsRoot() {
		ours, kept = a.t.m.KernelInUse(path)
	} else if a.kernel.Connected() {
		ours = 1
	}
	if kept != "" {
		return kept, nil
	}
	k, err := a.t.servers.Runtime.Kernels.Get(ctx, id)
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return "", nil // gone already
	case err != nil:
		return "", err
	case k.Connections > ours:
		return "another client is connected to it, such as an open tab", nil
	}
	return "", nil
}

// EndOwner ends all analysis sessions of an owner, as [Table.Delete] does, and drops its state in the manager, see
// [session.Manager.Forget]. The owner must have no call in progress.
func (t *Table) EndOwner(ctx context.Context, owner string) error {
	err := forEach(t.List(owner), func(a *Session) error {
		if err := t.Delete(ctx, owner, a.id); !errors.Is(err, ErrNoSession) {
			return err
		}
		return nil
	})
	t.m.Forget(owner)
	return err
}
