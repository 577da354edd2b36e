package serve

import (
	"context"
	"sync"
)

// A budget limits what callers use at once, in total and each, so that one caller cannot use up everything.
type budget struct {
	most, each int64

	mu   sync.Mutex
	used int64
	by   map[caller]int64
	free chan struct{} // closed when an amount is given back
}

// newBudget returns a budget that gives no caller more than half.
func newBudget(most int64) *budget {
	return &budget{most: most, each: max(most/2, 1), by: map[caller]int64{}, free: make(chan struct{})}
}

// shortage is the reason why an amount is not available.
type shortage int

const (
	enough     shortage = iota
	shortOfOwn          // the caller has used its share
	shortOfAll          // all callers together have used everything
)

// take takes n, or the most that a caller can have if n is more. The returned function gives it back.
func (b *budget) take(who caller, n int64) (back func(), short shortage) {
	back, short, _ = b.try(who, n)
	return back, short
}

// await is like take, but waits until ctx ends.
func (b *budget) await(ctx context.Context, who caller, n int64) (back func(), short shortage) {
	for {
		back, short, free := b.try(who, n)
		if short == enough {
			return back, short
		}
		select {
		case <-free:
		case <-ctx.Done():
			return nil, short
		}
	}
}

func (b *budget) try(who caller, n int64) (back func(), short shortage, free <-chan struct{}) {
	n = min(n, b.each)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.by[who]+n > b.each:
		return nil, shortOfOwn, b.free
	case b.used+n > b.most:
		return nil, shortOfAll, b.free
	}
	b.used += n
	b.by[who] += n
	return sync.OnceFunc(func() { b.give(who, n) }), enough, nil
}

// inUse returns the amount in use.
func (b *budget) inUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

func (b *budget) give(who caller, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.by[who] -= n; b.by[who] == 0 {
		delete(b.by, who)
	}
	close(b.free)
	b.free = make(chan struct{})
}
