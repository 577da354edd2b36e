package listcache

import (
	"context"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// For is how long an answer is cached at most, from the time of its request.
const For = 2 * time.Second

// The bounds of a store: answers, and entries of all their lists.
const (
	maxAnswers = 2_000
	maxEntries = 40_000
)

// A store caches answers by key. Callers with the same key share one request.
type store struct {
	servers []*jupyter.Server // whose changes invalidate the answers

	mu      sync.Mutex
	answers *lru.Cache[string, *answer]
	entries int // added since the store was last empty
}

// An answer is complete, or in progress.
type answer struct {
	count uint64 // of changes, at the time of the request
	asked time.Time
	done  chan struct{} // closed when the request has ended
	value any           // set with done; nil if it failed
}

func newStore(servers ...*jupyter.Server) *store {
	return &store{servers: servers, answers: lo.Must(lru.New[string, *answer](maxAnswers))}
}

// count returns the number of changes on all servers. If quiet is false, nothing is cached: our code is running, or a
// server is known to be away, which the caller must learn.
func (s *store) count() (n uint64, quiet bool) {
	quiet = true
	for _, srv := range s.servers {
		m, still := srv.Changes.Count()
		_, away := srv.Health.Away()
		n, quiet = n+m, quiet && still && !away
	}
	return n, quiet
}

// get returns the answer of ask, which also returns its number of entries, or an earlier answer to the same key that is
// still valid.
func get[T any](ctx context.Context, s *store, key string, ask func() (answer T, entries int, err error)) (T, error) {
	count, quiet := s.count()
	if !quiet {
		v, _, err := ask()
		return v, err
	}
	a, mine := s.take(key, count)
	if mine {
		kept := 0
		defer func() { s.settle(key, a, kept) }() // also if ask panics
		v, entries, err := ask()
		if err == nil {
			a.value, kept = v, entries
		}
		return v, err
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("wait for an answer to another caller: %w", ctx.Err())
	}
	if v, ok := a.value.(T); ok {
		return v, nil
	}
	v, _, err := ask() // the other caller has failed, or given up
	return v, err
}

// take returns the answer to a key, or a new one, which the caller must fill and settle.
func (s *store) take(key string, count uint64) (a *answer, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, ok := s.answers.Get(key); ok && a.count == count && time.Since(a.asked) < For {
		return a, false
	}
	a = &answer{count: count, asked: time.Now(), done: make(chan struct{})}
	s.answers.Add(key, a)
	return a, true
}

// settle releases the callers that wait for an answer, and drops an answer that failed, or whose request a change followed.
// Too many entries empty the store.
func (s *store) settle(key string, a *answer, entries int) {
	close(a.done)
	count, quiet := s.count()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now, ok := s.answers.Peek(key); ok && now == a && (a.value == nil || !quiet || a.count != count) {
		s.answers.Remove(key)
		return
	}
	if s.entries += entries + 1; s.entries > maxEntries {
		s.answers.Purge()
		s.entries = 0
	}
}
