package tool

import (
	"context"
	"sync"
)

// A KeyedLock is a lock for each key, for calls that must not run at the same time. Waiting for a lock ends with a context.
// The zero value is ready for use.
type KeyedLock struct {
	mu sync.Mutex
	by map[string]*lockEntry
}

type lockEntry struct {
	token chan struct{} // holds one value while the lock is taken
	users int           // holders and waiters
}

// Lock takes the lock of a key; done releases it.
func (k *KeyedLock) Lock(ctx context.Context, key string) (done func(), err error) {
	k.mu.Lock()
	mine := k.by[key]
	if mine == nil {
		mine = &lockEntry{token: make(chan struct{}, 1)}
		if k.by == nil {
			k.by = map[string]*lockEntry{}
		}
		k.by[key] = mine
	}
	mine.users++
	k.mu.Unlock()
	select {
	case mine.token <- struct{}{}:
		return func() {
			<-mine.token
			k.leave(key, mine)
		}, nil
	case <-ctx.Done():
		k.leave(key, mine)
		return nil, ctx.Err()
	}
}

func (k *KeyedLock) leave(key string, mine *lockEntry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(k.by, key)
	}
}
