package kernel

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// Owners knows whose the kernels are that belong to no notebook. The zero value is ready for use.
type Owners struct {
	mu       sync.Mutex
	owner    map[string]string // by the kernel's id
	starting map[*Starting]bool
}

// Starting is a kernel of which the server knows, perhaps, and we do not yet.
type Starting struct {
	k     *Owners
	owner string
	known chan struct{}
}

// Begin is to be called before a kernel is started, and the end of what it returns after.
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

// End names the kernel, "" where there is none.
func (s *Starting) End(id string) {
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	if id != "" {
		s.k.owner[id] = s.owner
	}
	delete(s.k.starting, s)
	close(s.known)
}

// Release makes a kernel anybody's, or forgets one that is gone.
func (k *Owners) Release(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.owner, id)
}

// Others gives the ids of the kernels that were started for other owners, without a notebook: they are nobody else's to
// see. A list of kernels is to be asked for before, as those that are being started then are waited for.
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

// Len is how many kernels are somebody's.
func (k *Owners) Len() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.owner)
}
