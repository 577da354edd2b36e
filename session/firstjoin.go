package session

import (
	"context"
	"sync"
	"time"
)

// firstJoinMax is how long other joins wait for the first one.
const firstJoinMax = 5 * time.Second

// firstJoin makes other joins wait for the first one of a server. The server creates the store of its rooms with the first
// room that it opens, and a room that opens in the meantime fails: at once, or because its people no longer see each other's
// edits (pycrdt.store, SQLiteYStore). Once a join has succeeded, joins do not wait.
type firstJoin struct {
	mu   sync.Mutex
	done bool
	back chan struct{} // closed when the current first join has ended; nil without one
}

// enter waits for its turn, at most until ctx ends. leave must be called after the join, with its success.
func (f *firstJoin) enter(ctx context.Context) (leave func(joined bool)) {
	ctx, stop := context.WithTimeout(ctx, firstJoinMax)
	defer stop()
	for {
		f.mu.Lock()
		if f.done {
			f.mu.Unlock()
			return func(bool) {}
		}
		back := f.back
		if back == nil {
			f.back = make(chan struct{})
			f.mu.Unlock()
			return f.leave
		}
		f.mu.Unlock()
		select {
		case <-back:
		case <-ctx.Done():
			return func(bool) {}
		}
	}
}

func (f *firstJoin) leave(joined bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.back)
	f.back, f.done = nil, joined
}
