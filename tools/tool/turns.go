package tool

import (
	"context"
	"sync"
)

// Turns lets calls that would find each other's work in their way go one after the other, by a key. The zero value is
// ready for use.
type Turns struct {
	mu sync.Mutex
	by map[string]*turn
}

type turn struct {
	token chan struct{} // holds one value while it is somebody's turn
	users int           // who has it or waits for it
}

// Take waits for the turn, which ends with done.
func (t *Turns) Take(ctx context.Context, key string) (done func(), err error) {
	t.mu.Lock()
	mine := t.by[key]
	if mine == nil {
		mine = &turn{token: make(chan struct{}, 1)}
		if t.by == nil {
			t.by = map[string]*turn{}
		}
		t.by[key] = mine
	}
	mine.users++
	t.mu.Unlock()
	select {
	case mine.token <- struct{}{}:
		return func() {
			<-mine.token
			t.leave(key, mine)
		}, nil
	case <-ctx.Done():
		t.leave(key, mine)
		return nil, ctx.Err()
	}
}

func (t *Turns) leave(key string, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.by, key)
	}
}
