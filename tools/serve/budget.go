package serve

import (
	"context"
	"sync"
)

// A budget is what callers can use at once, in all and each, so that one of them does not leave the others without.
type budget struct {
	most, each int64

	mu   sync.Mutex
	used int64
	by   map[caller]int64
	free chan struct{} // closed when something is given back
}

// newBudget makes a budget of which no caller can have more than half.
func newBudget(most int64) *budget {
	return &budget{most: most, each: max(most/2, 1), by: map[caller]int64{}, free: make(chan struct{})}
}

// shortage says why something cannot be had.
type shortage int

const (
	enough     shortage = iota
	shortOfOwn          // the caller has its share
	shortOfAll          // all have what there is
)

// take takes n, or what a caller can have at most, and gives it back when the returned function is called.
func (b *budget) take(who caller, n int64) (back func(), short shortage) {
	back, short, _ = b.try(who, n)
	return back, short
}

// await is take that waits until ctx ends.
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

// inUse is how much is taken.
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
