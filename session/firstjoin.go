package session

import (
	"context"
	"sync"
	"time"
)

// firstJoinMax is how long other joins wait for the first one.
const firstJoinMax = 5 * time.Second

// firstJoin lets the first join of a server go alone. The server makes the store of its rooms with the first room that
// it opens, and a room that opens meanwhile fails: at once, or in that its people do not see each other's edits any more
// (pycrdt.store, SQLiteYStore). Nobody waits once a join has succeeded.
type firstJoin struct {
	mu   sync.Mutex
	done bool
	back chan struct{} // closed when the one that set out is back; nil if none has
}

// enter waits for the turn, at most until ctx ends. leave must be called after the join, with its success.
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
