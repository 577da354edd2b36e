package session

import (
	"context"
	"errors"
	"sync"
)

// An owner is who analysis sessions and runs belong to: one MCP client session,
// or a person's name where there are none. Documents belong to nobody: whoever
// names a path works in the same room, as people do.

// EndOwner ends all that an owner has: its analysis sessions, as
// [Manager.DeleteAnalysis] does, the runs that are remembered, and what is known
// of what it was shown. Runs in notebooks go on, and are forgotten when they
// have ended. It is to be called when no call of the owner's goes on.
func (m *Manager) EndOwner(ctx context.Context, owner string) error {
	all := m.Analyses(owner)
	errs := make([]error, len(all))
	var ending sync.WaitGroup
	for i, a := range all {
		ending.Go(func() {
			if err := m.DeleteAnalysis(ctx, owner, a.id); !errors.Is(err, ErrNoAnalysis) {
				errs[i] = err
			}
		})
	}
	ending.Wait()
	m.runs.Leave(owner)
	m.mu.Lock()
	var docs []*Document
	for _, e := range m.open {
		if e.doc != nil {
			docs = append(docs, e.doc)
		}
	}
	m.mu.Unlock()
	for _, d := range docs {
		shown := d.current().shown
		for _, key := range shown.Keys() {
			if key.client == owner {
				shown.Remove(key)
			}
		}
	}
	return errors.Join(errs...)
}

// OthersKernels gives the ids of the kernels that were started for analysis
// sessions of other owners, without a notebook: they are nobody else's to see.
// A list of kernels is to be asked for before, as those that are being started
// then are waited for.
func (m *Manager) OthersKernels(ctx context.Context, owner string) (map[string]bool, error) {
	return m.owners.Others(ctx, owner)
}
