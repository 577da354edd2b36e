package session

import (
	"context"
	"errors"
	"maps"
	"slices"
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
	m.runs.leave(owner)
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
	return m.kernels.others(ctx, owner)
}

// privateKernels knows whose the kernels are that belong to no notebook. The
// zero value is ready for use.
type privateKernels struct {
	mu       sync.Mutex
	owner    map[string]string // by the kernel's id
	starting map[*starting]bool
}

// starting is a kernel of which the server knows, perhaps, and we do not yet.
type starting struct {
	k     *privateKernels
	owner string
	known chan struct{}
}

// begin is to be called before a kernel is started, and end after.
func (k *privateKernels) begin(owner string) *starting {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := &starting{k, owner, make(chan struct{})}
	if k.starting == nil {
		k.owner, k.starting = map[string]string{}, map[*starting]bool{}
	}
	k.starting[s] = true
	return s
}

// end names the kernel, "" where there is none.
func (s *starting) end(id string) {
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	if id != "" {
		s.k.owner[id] = s.owner
	}
	delete(s.k.starting, s)
	close(s.known)
}

// release makes a kernel anybody's, or forgets one that is gone.
func (k *privateKernels) release(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.owner, id)
}

func (k *privateKernels) others(ctx context.Context, owner string) (map[string]bool, error) {
	k.mu.Lock()
	wait := slices.Collect(maps.Keys(k.starting))
	k.mu.Unlock()
	for _, s := range wait {
		if s.owner == owner {
			continue
		}
		select {
		case <-s.known:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	out := map[string]bool{}
	for id, of := range k.owner {
		if of != owner {
			out[id] = true
		}
	}
	return out, nil
}
