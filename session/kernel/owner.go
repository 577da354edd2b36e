package kernel

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// Owners knows the owners of the kernels without a notebook. The zero value is ready for use.
type Owners struct {
	mu       sync.Mutex
	owner    map[string]string // by the kernel's id
	starting map[*Starting]bool
}

// Starting is a kernel that the server may know before its id is recorded here.
type Starting struct {
	k     *Owners
	owner string
	known chan struct{}
}

// Begin notes that a kernel is about to start. Call it before the start, and End afterwards.
func (k *Owners) Begin(owner string) *Starting {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := &Starting{k, owner, make(chan struct{})}
	if k.starting == nil {
		k.owner, k.starting = map[string]string{}, map[*Starting]bool{}
	}
	k.starting[s] = true
	return s
}

// End names the kernel, "" if none was started.
func (s *Starting) End(id string) {
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	if id != "" {
		s.k.owner[id] = s.owner
	}
	delete(s.k.starting, s)
	close(s.known)
}

// Release forgets the owner of a kernel that is gone or that every client may see.
func (k *Owners) Release(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.owner, id)
}

// Others returns the ids of the kernels without a notebook that were started for other owners, and that only these may see.
// List the server's kernels first: Others waits for those that are starting then.
func (k *Owners) Others(ctx context.Context, owner string) (map[string]bool, error) {
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

// Len returns how many kernels have an owner.
func (k *Owners) Len() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.owner)
}
