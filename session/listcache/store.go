package listcache

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// For is how long an answer is kept at most, from when it was asked for.
const For = 2 * time.Second

// The bounds of what is kept; what would go over them is passed on and not kept.
const (
	maxAnswers = 2_000
	maxBytes   = 16 << 20
)

// A store keeps answers, by what was asked.
type store struct {
	servers []*jupyter.Server // whose changes end what is kept

	mu      sync.Mutex
	answers map[string]*answer
	bytes   int
}

// An answer has come, or is on its way.
type answer struct {
	count uint64 // of changes, when it was asked for
	asked time.Time
	size  int           // under store.mu
	done  chan struct{} // closed when it has come, or nothing will

	good  bool // then: whether it has come
	value any
}

// count is that of the changes on all servers. Where one is known to be away, nothing is quiet: whoever lists something is
// to hear of it.
func (s *store) count() (n uint64, quiet bool) {
	quiet = true
	for _, srv := range s.servers {
		m, still := srv.Changes.Count()
		_, away := srv.Health.Away()
		n, quiet = n+m, quiet && still && !away
	}
	return n, quiet
}

// get is what ask answers, with its size, or what was answered before to the same key and still holds.
func get[T any](ctx context.Context, s *store, key string, ask func() (T, int, error)) (T, error) {
	a, mine := s.take(key)
	switch {
	case a == nil:
		v, _, err := ask()
		return v, err
	case mine:
		size, good := 0, false
		var v T
		defer func() { s.settle(key, a, v, size, good) }()
		var err error
		v, size, err = ask()
		good = err == nil
		return v, err
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("wait for an answer that others wait for: %w", ctx.Err())
	}
	if v, ok := a.value.(T); ok && a.good {
		return v, nil
	}
	v, _, err := ask() // whoever asked has failed, or has given up
	return v, err
}

// take returns the answer to a key that is there or on its way, or a new one, which is the caller's to fill and settle; nil
// if the caller has to ask for itself.
func (s *store) take(key string) (a *answer, mine bool) {
	count, quiet := s.count()
	if !quiet {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.answers[key]; a != nil && a.count == count && time.Since(a.asked) < For {
		return a, false
	}
	s.drop(key)
	if len(s.answers) >= maxAnswers || s.bytes >= maxBytes {
		s.tidy(count)
	}
	if len(s.answers) >= maxAnswers || s.bytes >= maxBytes {
		return nil, false
	}
	a = &answer{count: count, asked: time.Now(), done: make(chan struct{})}
	s.answers[key] = a
	return a, true
}

// settle hands an answer, if it is good, to those who wait for it, and keeps it if nothing has changed meanwhile.
func (s *store) settle(key string, a *answer, value any, size int, good bool) {
	defer close(a.done)
	a.value, a.good = value, good
	count, quiet := s.count()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers[key] != a {
		return
	}
	a.size = size
	s.bytes += size
	if !good || !quiet || a.count != count || s.bytes > maxBytes {
		s.drop(key)
	}
}

// drop forgets an answer. The caller holds mu.
func (s *store) drop(key string) {
	if a := s.answers[key]; a != nil {
		s.bytes -= a.size
		delete(s.answers, key)
	}
}

// tidy forgets what does not hold any more. The caller holds mu.
func (s *store) tidy(count uint64) {
	for key := range maps.Clone(s.answers) {
		if a := s.answers[key]; a.count != count || time.Since(a.asked) >= For {
			s.drop(key)
		}
	}
}
