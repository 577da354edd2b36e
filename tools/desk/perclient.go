package desk

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// ClientsKept is how many clients something is kept for; those that did nothing for longest are forgotten first.
const ClientsKept = 1000

// PerClient keeps something for each client. The zero value is ready for use, by several goroutines at once: what is
// done with it is done by one at a time.
type PerClient[V any] struct {
	mu  sync.Mutex
	all *simplelru.LRU[string, V] // nil until there is something
}

// newLRU makes one of a positive size.
func newLRU[K comparable, V any](size int) *simplelru.LRU[K, V] {
	l, err := simplelru.NewLRU[K, V](size, nil)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return l
}

// With does something with what a client has; first makes what it has at first.
func (p *PerClient[V]) With(client string, first func() V, do func(V)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = newLRU[string, V](ClientsKept)
	}
	v, ok := p.all.Get(client)
	if !ok {
		v = first()
		p.all.Add(client, v)
	}
	do(v)
}

// Each does something with what every client has.
func (p *PerClient[V]) Each(do func(V)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		return
	}
	for _, v := range p.all.Values() {
		do(v)
	}
}

// Forget forgets a client that has left.
func (p *PerClient[V]) Forget(client string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all != nil {
		p.all.Remove(client)
	}
}
